"""What Lean tells of a declaration in a compiled module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from verifier.lean import ConstantKind, Facts

Role = Literal["type", "instance", "function", "hypothesis", "value"]


class LibraryDeclaration(Facts):
    """A declaration of a compiled module, as ``reader.lean`` describes it.

    Attributes:
        name: Full name; that of a private declaration has its module in front.
        kind: What it was declared as; a theorem whose proof is not exported is a theorem.
        signature: Lean's own rendering, ``name (binders) : type``; empty when it is too long.
        type: The type as JSON of a kernel expression (see ``session/expr.js``), constants without
            their levels; ``None`` when it is too large.
        roles: What each argument of the type is.
        levels: Universe parameters.
        body: How often each constant stands in the body or the proof; ``None`` where the module
            carries none.
        axioms: Those that it rests on; ``None`` where that was not asked for.
        doc: Docstring. lines: First and last line in the source. Both where they are known.
        attributes: Such as ``simp``, sorted.
        deprecated: What to use instead, or an empty text; ``None`` where it is not deprecated.
        safe: Neither unsafe nor partial.
    """

    name: str
    kind: ConstantKind
    signature: str
    type: Any
    roles: tuple[Role, ...]
    levels: tuple[str, ...]
    body: dict[str, int] | None
    axioms: tuple[str, ...] | None
    doc: str | None
    lines: tuple[int, int] | None
    attributes: tuple[str, ...]
    deprecated: str | None
    private: bool
    safe: bool


class Failure(Facts):
    """A declaration that Lean could not describe, and why."""

    name: str
    failure: str


@dataclass(frozen=True)
class ModuleContents:
    """What one module declares, in the order of the file."""

    module: str
    declarations: tuple[LibraryDeclaration, ...]
    failures: tuple[Failure, ...] = ()
