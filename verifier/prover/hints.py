"""What a proof may use: definitions to unfold and lemmas to rewrite with, and which way round.

A lemma can send the simplifier round in circles. What is safe is read off its statement: a side
that is found again inside the other loops, and a side that lacks variables of the other cannot be
rewritten into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from verifier.prover.expression import (
    Expression,
    applications,
    matches,
    spine,
    telescope,
    variables,
)


class Direction(StrEnum):
    """How a lemma is used.

    To rewrite: left to right, right to left, or where that brings the arguments into order. For a
    search by instances only. Or as its own shape says.
    """

    FORWARD = "forward"
    BACKWARD = "backward"
    PERMUTE = "permute"
    SEARCH = "search"
    AUTOMATIC = "automatic"


@dataclass(frozen=True)
class Lemma:
    """An earlier theorem, by its full name."""

    name: str
    direction: Direction = Direction.AUTOMATIC


@dataclass(frozen=True)
class Hints:
    """What the caller offers beyond what the statement itself mentions.

    Attributes:
        definitions: Further definitions to unfold, by full name.
        lemmas: Earlier theorems; the irrelevant ones are left out by the prover.
    """

    definitions: tuple[str, ...] = ()
    lemmas: tuple[Lemma, ...] = ()


def orientation(type_: Expression) -> Direction:
    """How the simplifier can use a lemma of this type.

    ``PERMUTE`` when the sides are instances of each other, such as those of commutativity;
    ``SEARCH`` when neither way is safe. What is no equation is ``FORWARD``: a fact that can be
    rewritten to ``True``.
    """
    binders, conclusion = telescope(type_)
    sides = _sides(conclusion)
    if sides is None:
        return Direction.FORWARD
    left, right = sides
    if _is_permutation(left, right):
        return Direction.PERMUTE
    conditions = {
        outside + len(binders) - at
        for at, binder in enumerate(binders)
        for outside in variables(binder.type)
    }
    if _is_safe(left, right) and conditions <= variables(left):
        return Direction.FORWARD
    if _is_safe(right, left) and conditions <= variables(right):
        return Direction.BACKWARD
    return Direction.SEARCH


def _sides(conclusion: Expression) -> tuple[Expression, Expression] | None:
    head, arguments = spine(conclusion)
    if head[0] != "c":
        return None
    if head[1] == "Eq" and len(arguments) == 3:
        return arguments[1], arguments[2]
    if head[1] == "Iff" and len(arguments) == 2:
        return arguments[0], arguments[1]
    return None


def _is_permutation(left: Expression, right: Expression) -> bool:
    return left[0] == "a" and matches(left, right) is not None and matches(right, left) is not None


def _is_safe(pattern: Expression, result: Expression) -> bool:
    if spine(pattern)[0][0] == "v" or not variables(result) <= variables(pattern):
        return False
    return not any(
        matches(pattern, part) is not None for part, _ in applications(result) if part[0] == "a"
    )
