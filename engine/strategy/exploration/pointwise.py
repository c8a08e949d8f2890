"""Laws between functions, said of their values."""

from __future__ import annotations

from engine.language.rewriting import Rewriter, missing_arguments
from engine.language.term import Law, Term
from engine.language.typing import IllTyped
from engine.trees.canonical import presented_law


def pointwise(law: Law, rewriter: Rewriter) -> Law:
    """A law between partial applications as one between their values; another as it is.

    Both say the same, but the second is what an induction proves and a reader expects:
    ``map f (fold cons xs ys) = fold cons (map f xs) (map f ys)`` for
    ``comp (map f) (fold cons xs) = fold (comp cons f) (map f xs)``.

    Args:
        law: Without hypotheses.
        rewriter: Simplifies the sides, where that makes them no larger.
    """
    missing = missing_arguments(law.lhs, law.rhs)
    if not missing:
        return law
    values = tuple(Term(f"value{at}") for at in range(missing))
    sides = []
    for side in (law.lhs, law.rhs):
        applied = side.applied(values)
        normal = rewriter.normal(applied)
        sides.append(normal if normal.size <= applied.size else applied)
    try:
        return presented_law(sides[0], sides[1])
    except IllTyped:
        return law
