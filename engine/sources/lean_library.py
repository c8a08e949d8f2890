"""A declaration of a compiled module becomes a method node."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from engine.model import Binder, Label, MethodNode, NodeKind, SourceLocation
from engine.retrieval.features import statement_features
from engine.sources.lean_module import node_id
from engine.trees.evidence import Evidence
from engine.trees.statement import statement_key
from verifier.audit import ALLOWED_AXIOMS
from verifier.prover.expression import Expression
from verifier.reading.facts import LibraryDeclaration

STYLES: Final[tuple[Literal["explicit", "implicit", "strict", "instance"], ...]] = (
    "explicit",
    "implicit",
    "strict",
    "instance",
)


def library_node(declaration: LibraryDeclaration, module: str, document: str = "") -> MethodNode:
    """The method node of a declaration.

    Its label is ``assumed``: it was compiled elsewhere and is taken as given. A theorem of a
    project that rests on an axiom beyond the allowed ones is a conjecture.

    Args:
        declaration: As Lean describes it.
        module: Where it stands.
        document: The source file, where it is known.
    """
    d = declaration
    is_theorem = d.kind == "theorem"
    constants = mentioned(d.type)
    return MethodNode(
        id=node_id(module, d.name),
        kind=NodeKind.THEOREM if is_theorem else NodeKind.DEFINITION,
        name=d.name,
        statement=signature_of(d.signature, d.name),
        summary=(d.doc or "").strip(),
        label=_label(d),
        symbols=tuple(sorted(constants)),
        axioms=d.axioms or (),
        premises=tuple(sorted(d.body)) if is_theorem and d.body else (),
        module=module,
        location=_location(document, d.lines),
        lean_kind=d.kind,
        universes=d.levels,
        binders=_binders(d),
        attributes=d.attributes,
        private=d.private,
        deprecated=d.deprecated,
        features=statement_features(d.type),
        canonical=statement_key(d.type) if is_theorem and d.type is not None else "",
    )


def mentions_of(
    declaration: LibraryDeclaration, uses: Mapping[str, Evidence] | None = None
) -> dict[str, Evidence]:
    """How a declaration uses each constant that it mentions.

    Args:
        declaration: As Lean describes it: occurrences in its statement and in its body.
        uses: What its source has told beside that: tactics, and whether the proof survives.
    """
    stated, used = mentioned(declaration.type), declaration.body or {}
    found = {}
    for name in {*stated, *used}:
        more = (uses or {}).get(name, Evidence())
        found[name] = Evidence(stated.get(name, 0), used.get(name, 0), more.tactics, more.survives)
    return found


def mentioned(expression: Expression | None) -> Mapping[str, int]:
    """How often each constant stands in an expression."""
    found: dict[str, int] = {}
    pending: list[Any] = [] if expression is None else [expression]
    while pending:
        at = pending.pop()
        kind = at[0]
        if kind == "c":
            found[at[1]] = found.get(at[1], 0) + 1
        elif kind == "a":
            pending += (at[1], at[2])
        elif kind in ("p", "l"):
            pending += (at[2], at[3])
        elif kind == "let":
            pending += (at[2], at[3], at[4])
        elif kind == "proj":
            pending.append(at[3])
    return found


def signature_of(text: str, name: str) -> str:
    """What Lean prints of a signature behind the name and its universe parameters."""
    rest = text.removeprefix(name) if text.startswith(name) else text.partition(" ")[2]
    if rest.startswith(".{"):
        rest = rest.partition("}")[2]
    return rest.strip()


def _label(d: LibraryDeclaration) -> Label:
    sound = d.safe and set(d.axioms or ()) <= ALLOWED_AXIOMS
    return Label.ASSUMED if sound or d.axioms is None else Label.CONJECTURE


def _location(document: str, lines: tuple[int, int] | None) -> SourceLocation | None:
    if not document or lines is None:
        return None
    return SourceLocation(document=document, first_line=lines[0], last_line=lines[1])


def _binders(d: LibraryDeclaration) -> tuple[Binder, ...]:
    found: list[Binder] = []
    type_ = d.type
    for role in d.roles:
        if type_ is None or type_[0] != "p":
            break  # Lean unfolds a definition to find more arguments; the text does not
        name = "" if "_@" in type_[1] or "✝" in type_[1] else type_[1]
        found.append(_binder(name, STYLES[type_[4]], role))
        type_ = type_[3]
    return tuple(found)


@lru_cache(maxsize=50_000)
def _binder(name: str, style: Any, role: Any) -> Binder:
    return Binder(name=name, style=style, role=role)
