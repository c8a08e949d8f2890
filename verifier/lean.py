"""What the verifier asks of a Lean, whichever it is: the embedded one, or the user's own.

A Lean elaborates modules into environments, statements into types and proofs into *facts*. The
facts are judged in :mod:`verifier.audit`; nothing here says that anything is true.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

ConstantKind = Literal[
    "axiom",
    "definition",
    "theorem",
    "opaque",
    "quotient",
    "inductive",
    "constructor",
    "recursor",
]


class Facts(BaseModel):
    """A value that Lean reported; unknown fields are an error, so nothing is dropped silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Message(Facts):
    """A message of Lean: severity, text and position (line from 1, column from 0)."""

    severity: Literal["error", "warning", "information", "info", "trace"]
    text: str
    line: int
    column: int
    end_line: int | None = Field(None, alias="endLine")

    @property
    def is_error(self) -> bool:
        """Whether elaboration failed here."""
        return self.severity == "error"


class Fault(Facts):
    """Why a text is not the single theorem that it should be: it does not parse, or is more."""

    kind: Literal["parse", "shape"]
    text: str


class Header(Facts):
    """The head of a module: imported modules, and the byte where the body begins."""

    imports: tuple[str, ...]
    body_start: int = Field(alias="bodyStart")
    messages: tuple[Message, ...] = ()


class Added(Facts):
    """A constant that an elaboration added to the environment."""

    name: str
    kind: ConstantKind
    safety: str
    internal: bool
    reserved: bool


class DeclaredAt(Facts):
    """A constant of a module with the command that made it and its span in bytes."""

    name: str
    command: str
    span: tuple[int, int] | None


class Declaration(Facts):
    """A constant as the knowledge base reads it.

    Attributes:
        type: The type as JSON of a kernel expression (see ``session/expr.js``), or ``None`` when
            it is too large to print.
        together: Of a definition: those that mutual recursion defines with it, itself among them.
        type_constants: Constants of the statement.
        value_constants: Constants of the body or proof term.
        axioms: Axioms that it rests on.
        unsafe: Unsafe or partial declarations that it rests on.
    """

    name: str
    kind: ConstantKind
    safety: str
    internal: bool
    reserved: bool
    level_params: tuple[str, ...] = Field(alias="levelParams")
    type: Any
    value: Any = None
    parameters: int | None = None
    indices: int | None = None
    fields: int | None = None
    constructors: tuple[str, ...] = ()
    inductive: str | None = None
    together: tuple[str, ...] = ()
    type_constants: tuple[str, ...] = Field(alias="typeConstants")
    value_constants: tuple[str, ...] = Field(alias="valueConstants")
    axioms: tuple[str, ...]
    unsafe: tuple[str, ...]
    doc: str | None = None


class StatementFacts(Facts):
    """What elaborating a statement alone has shown.

    Attributes:
        fault: The text is not the signature of one theorem; then nothing was elaborated.
        kinds: Kinds of syntax in the signature. options: Options that it sets.
        name: Full name of the theorem. added: Constants that were new with it.
        without_init: The module ``Init`` is not below the environment.
        context_messages: Errors of the context. context_added: Constants that it declared.
        context_foreign: Kind of a command in it that was not run, since it opens no scope.
        context_options: Options that it sets.
        statement: Number of the statement in the session's process. kind: What it became.
        level_params: Universe parameters. type: The type, as in :class:`Declaration`.
        constants: Constants that the type mentions.
    """

    fault: Fault | None
    messages: tuple[Message, ...] = ()
    kinds: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    name: str | None = None
    added: tuple[str, ...] = ()
    without_init: bool = Field(False, alias="withoutInit")
    context_messages: tuple[Message, ...] = Field((), alias="contextMessages")
    context_added: tuple[str, ...] = Field((), alias="contextAdded")
    context_foreign: str | None = Field(None, alias="contextForeign")
    context_options: tuple[str, ...] = Field((), alias="contextOptions")
    statement: int | None = None
    kind: str | None = None
    level_params: tuple[str, ...] = Field((), alias="levelParams")
    type: Any = None
    constants: tuple[str, ...] = ()


class ProofFacts(Facts):
    """What elaborating a proof has shown; :func:`verifier.audit.audit_proof` reads them.

    Attributes:
        fault: The text is not one theorem; then nothing was elaborated.
        kinds: Kinds of syntax in the theorem. options: Options that it sets.
        name: Full name of the theorem. added: Constants that are new in the environment.
        present: Whether the theorem is there. kind: What kind of constant it is.
        type_matches: Whether its type is the type of the statement alone.
        axioms: Axioms that the theorem rests on, and names unknown to the environment.
        unsafe: Unsafe or partial declarations that it rests on.
        premises: Constants that the proof term uses.
        replay: ``accepted``, or what the kernel said when it was given the theorem, and all that
            it rests on, once more; ``None`` when it was not asked.
        delta: What the proof added, for another kernel, as :meth:`Lean.delta`; ``None`` when the
            kernel was not asked or there is too much of it.
    """

    fault: Fault | None
    messages: tuple[Message, ...] = ()
    kinds: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    name: str = ""
    added: tuple[Added, ...] = ()
    present: bool = False
    kind: str | None = None
    type_matches: bool = Field(False, alias="typeMatches")
    axioms: tuple[str, ...] = ()
    unsafe: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    replay: str | None = None
    delta: str | None = Field(None, repr=False)


class ExportSlice(Facts):
    """A part of an export in the format of lean4export 3.1.

    Attributes:
        text: Lines; each name, level and expression stands before its first use.
        groups: For each declaration its first name, and the names that it needs, in order.
        axioms: Axioms among them. assumed: Constants without their bodies, written as axioms.
        left: Constants that were asked for and are not written yet.
    """

    text: str = Field(repr=False)
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    axioms: tuple[str, ...]
    assumed: tuple[str, ...]
    left: int


@dataclass(frozen=True)
class ToolchainInfo:
    """Which Lean it is."""

    name: str
    version: str
    commit: str

    def __str__(self) -> str:
        return f"{self.version}+{self.commit[:7]} ({self.name})"


@dataclass(frozen=True, eq=False)
class Environment:
    """A recipe for an environment: imports, then module bodies, one upon the other.

    A recipe outlives the process that built it: a new session builds it again. Two recipes are
    equal when their ``key`` is, a hash over the whole chain.

    Attributes:
        imports: Modules of the installation.
        parent: The environment below, or ``None`` for the imports alone.
        text: The body that was elaborated on the parent. start: The byte where it begins.
    """

    imports: tuple[str, ...]
    parent: Environment | None = None
    text: str = ""
    start: int = 0
    key: str = field(init=False)

    def __post_init__(self) -> None:
        below = self.parent.key if self.parent else "\n".join(self.imports)
        content = f"{below}\0{self.start}\0{self.text}"
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "key", digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Environment) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def extended(self, text: str, start: int = 0) -> Environment:
        """The environment after a further module body."""
        return Environment(self.imports, self, text, start)

    def chain(self) -> list[Environment]:
        """This environment and all below it, the imports first."""
        links: list[Environment] = []
        at: Environment | None = self
        while at is not None:
            links.append(at)
            at = at.parent
        return links[::-1]


@dataclass(frozen=True)
class Statement:
    """A statement in its place: environment, context commands, name and signature.

    Attributes:
        context: Lean commands that open the scope (``namespace``, ``open``, ``variable``).
        name: Name of the theorem inside that scope.
        signature: Binders and type, ``(n : N) : add n zero = n``.
    """

    environment: Environment
    name: str
    signature: str
    context: str = ""


@dataclass(frozen=True)
class Extension:
    """The result of elaborating a module body.

    Attributes:
        refused: Constants that the kernel did not take when asked again, and why. They may be
            used, but no proof that rests on them is accepted.
    """

    environment: Environment
    messages: tuple[Message, ...]
    declarations: tuple[DeclaredAt, ...]
    refused: tuple[str, ...] = ()


class Lean(Protocol):
    """A Lean that elaborates. Every call is bounded in time.

    All calls raise :class:`verifier.toolchain.embedded.process.SessionLost` when they time out,
    crash or run out of memory, and :class:`verifier.errors.ToolchainError` when there is no Lean.
    """

    @property
    def toolchain(self) -> ToolchainInfo:
        """Which Lean answers."""

    def header(self, text: str) -> Header:
        """Reads the imports of a module."""

    def extend(self, environment: Environment, text: str, start: int = 0) -> Extension:
        """Elaborates a module body on an environment."""

    def declarations(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[Declaration | None, ...]:
        """Describes constants; ``None`` for a name that is not there."""

    def state(self, statement: Statement) -> StatementFacts:
        """Elaborates a statement alone."""

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        """Elaborates a proof of a statement; ``replay`` asks the kernel a second time."""

    def messages(self, environment: Environment, context: str, text: str) -> tuple[Message, ...]:
        """Runs commands for their messages; what they add is dropped."""

    def delta(self, environment: Environment) -> str | None:
        """What an environment adds to the one below it, for another kernel.

        Returns:
            Lines in the format of lean4export 3.1, or ``None`` when there are too many.
        """

    def close(self) -> None:
        """Ends the processes."""
