"""What the library remembers beside its lemmas, and what it gives back; all frozen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engine.model import Frozen, MethodNode
from engine.store import LemmaRecord
from verifier.lean import Environment

LIBRARY_ROOT = "Lemmata"


class Snapshot(Frozen):
    """A local module that lemmas rest on, as it was when they were proved.

    Attributes:
        imports: Its imports, local or not. body_start: The byte behind them.
    """

    module: str
    text: str
    imports: tuple[str, ...]
    body_start: int


class Adoption(Frozen):
    """A theory that the library has lemmas about.

    Attributes:
        theory: Name of the theory's module.
        namespace: Where its lemmas live. context: Commands that open the scope.
        toolchain: The Lean that was there when it was adopted, or proved its lemmas again.
    """

    theory: str
    namespace: str
    context: str
    toolchain: str

    @property
    def module(self) -> str:
        """The library's module of lemmas about it."""
        return library_module(self.theory)


def library_module(theory: str) -> str:
    """The library module that holds the lemmas about a theory's module."""
    return f"{LIBRARY_ROOT}.{theory}"


def full_name(name: str, namespace: str) -> str:
    """A name as Lean knows it outside of the namespace."""
    return f"{namespace}.{name}" if namespace else name


@dataclass(frozen=True)
class WrittenLemma:
    """A lemma that has joined the library.

    Attributes:
        environment: The library's environment with the lemma in it.
    """

    record: LemmaRecord
    node: MethodNode
    environment: Environment


@dataclass(frozen=True)
class AdoptionReport:
    """What adopting a theory did to the lemmas that were there.

    Attributes:
        changed: Modules whose snapshot was replaced.
        kept: Lemmas that were proved again. restored: Retracted ones that hold again.
        retracted: Lemmas that fell, each with the reason.
    """

    changed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    retracted: tuple[tuple[str, str], ...] = ()


class Finding(Frozen):
    """Something that is wrong with a library.

    Attributes:
        code: Stable code. where: Module, lemma or file. remedy: What to do.
    """

    code: str
    severity: Literal["error", "warning"]
    where: str
    message: str
    remedy: str


class CheckReport(Frozen):
    """What a check of the library has shown.

    Attributes:
        toolchain: The Lean that proved everything again.
        kernels: The kernels that had to accept it.
        proved: Lemmas that were proved again. modules: Library modules that were read.
    """

    toolchain: str
    kernels: tuple[str, ...] = ()
    modules: int
    proved: int
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; a warning alone is no failure."""
        return not errors_of(self.findings)


def errors_of(findings: Iterable[Finding]) -> list[Finding]:
    """Those that are no mere warnings."""
    return [f for f in findings if f.severity == "error"]
