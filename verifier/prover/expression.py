"""Reading kernel expressions in their JSON form (``session/expr.js``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

Expression: TypeAlias = Any
"""Nested lists, as JSON has them: ``["a", f, x]``, ``["c", name, levels]``, ``["v", index]``."""

EXPLICIT = 0
HYGIENE = "«_@»"


@dataclass(frozen=True, eq=False)
class Binder:
    """A universally quantified variable: its name, its type, and whether it is written out."""

    name: str
    type: Expression
    explicit: bool

    @property
    def accessible(self) -> bool:
        """Whether a proof can say the name: Lean's hygiene makes some names unspeakable."""
        return bool(self.name) and HYGIENE not in self.name.split(".")


def telescope(type_: Expression) -> tuple[list[Binder], Expression]:
    """The binders of a ``∀ … , conclusion`` and the conclusion."""
    binders: list[Binder] = []
    while type_[0] == "p":
        binders.append(Binder(type_[1], type_[2], type_[4] == EXPLICIT))
        type_ = type_[3]
    return binders, type_


def spine(expression: Expression) -> tuple[Expression, list[Expression]]:
    """Head and arguments of an application."""
    arguments: list[Expression] = []
    while expression[0] == "a":
        arguments.append(expression[2])
        expression = expression[1]
    return expression, arguments[::-1]


def head_constant(expression: Expression) -> str | None:
    """The constant that an application applies, if it is one."""
    head, _ = spine(expression)
    return str(head[1]) if head[0] == "c" else None


def parts(expression: Expression) -> list[tuple[Expression, int]]:
    """Direct subexpressions, each with the number of binders that it stands under."""
    match expression:
        case ["a", function, argument]:
            return [(function, 0), (argument, 0)]
        case ["l" | "p", _, type_, body, *_]:
            return [(type_, 0), (body, 1)]
        case ["let", _, type_, value, body]:
            return [(type_, 0), (value, 0), (body, 1)]
        case ["proj", _, _, structure]:
            return [(structure, 0)]
    return []


def applications(expression: Expression, depth: int = 0) -> Iterator[tuple[Expression, int]]:
    """All maximal applications and atoms, outermost first, with their binder depth."""
    yield expression, depth
    head, arguments = spine(expression)
    below = [(a, 0) for a in arguments] + (parts(head) if head[0] != "a" else [])
    for part, binders in below:
        yield from applications(part, depth + binders)


def constants(expression: Expression) -> list[str]:
    """Names of the constants, in order of appearance, without repetition."""
    found: dict[str, None] = {}
    for part, _ in applications(expression):
        head, _ = spine(part)
        if head[0] == "c":
            found.setdefault(head[1])
    return list(found)


def occurrences(expression: Expression) -> Counter[str]:
    """How often each constant occurs."""
    found: Counter[str] = Counter()
    pending = [expression]
    while pending:
        part = pending.pop()
        if part[0] == "c":
            found[part[1]] += 1
        pending += (below for below, _ in parts(part))
    return found


def variables(expression: Expression, depth: int = 0) -> set[int]:
    """Loose bound variables, as indices outside of the expression."""
    if expression[0] == "v":
        return {expression[1] - depth} if expression[1] >= depth else set()
    return {v for part, n in parts(expression) for v in variables(part, depth + n)}


def size(expression: Expression) -> int:
    """The number of nodes."""
    return 1 + sum(size(part) for part, _ in parts(expression))


def matches(
    pattern: Expression, expression: Expression, bound: dict[int, Expression] | None = None
) -> dict[int, Expression] | None:
    """First-order matching: the loose variables of the pattern may become anything.

    Returns:
        What each variable stands for, or ``None``.
    """
    bound = {} if bound is None else bound
    if pattern[0] == "v":
        known = bound.setdefault(pattern[1], expression)
        return bound if known == expression else None
    if pattern[0] != expression[0]:
        return None
    if pattern[0] == "c":
        return bound if pattern[1] == expression[1] else None
    below, other = parts(pattern), parts(expression)
    if not below:
        return bound if pattern == expression else None
    for (one, _), (two, _) in zip(below, other, strict=True):
        if matches(one, two, bound) is None:
            return None
    return bound
