"""What follows from two laws by using one inside the other, to a bounded depth.

Rewriting alone does not see all consequences: from ``reverse (reverse xs) = xs`` and ``reverse
(concat (reverse xs)) = concat (map reverse xs)`` follows ``reverse (concat xs) = concat (map
reverse (reverse xs))``. Such equations are critical pairs (Knuth and Bendix); those that are small
become rules, so that they are not drafted.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.rewriting import Rewriter, greater, is_distribution, oriented
from engine.language.term import Law, Symbol, Term
from engine.language.typing import IllTyped
from engine.language.unification import rename_apart, unify
from engine.trees.canonical import presented_law

MAX_SIDE = 9
"""Symbols and variables of a side of a consequence."""

MAX_LAWS = 60
"""Laws that a new one is combined with, the latest ones."""


class Consequences:
    """Adds small consequences of laws to a rewriter.

    Args:
        rewriter: Is told the laws themselves as well.
    """

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter
        self._laws: list[Law] = []

    def add(self, law: Law) -> None:
        """Adds an unconditional law with its critical pairs with those before it."""
        self._rewriter.add(law)
        self._laws.append(law)
        for other in self._laws[-MAX_LAWS:]:
            for consequence in (*critical_pairs(law, other), *critical_pairs(other, law)):
                if simplifies(consequence) and not self._rewriter.joins(consequence):
                    self._rewriter.add(consequence)


def simplifies(law: Law) -> bool:
    """Whether a law makes every instance of one side smaller, and is no distribution.

    Those alone cannot go round in circles with other rules.
    """
    if is_distribution(law) or is_distribution(law.flipped()):
        return False
    return greater(law.lhs, law.rhs) or greater(law.rhs, law.lhs)


def critical_pairs(rule: Law, base: Law) -> Iterator[Law]:
    """Small equations between the two ways to rewrite a term where two laws overlap."""
    inner, outer = oriented(rename_apart(rule, "_1")), oriented(rename_apart(base, "_2"))
    if not isinstance(inner.lhs.head, Symbol):
        return
    for path, part in outer.lhs.positions():
        if not isinstance(part.head, Symbol) or part.head != inner.lhs.head:
            continue
        bound = unify(inner.lhs, part)
        if bound is None:
            continue
        one = outer.lhs.replace_at(path, inner.rhs).substitute(bound)
        other = outer.rhs.substitute(bound)
        if one != other and max(one.size, other.size) <= MAX_SIDE:
            yield from _typed(one, other)


def _typed(one: Term, other: Term) -> Iterator[Law]:
    try:
        yield presented_law(one, other)
    except IllTyped:
        return
