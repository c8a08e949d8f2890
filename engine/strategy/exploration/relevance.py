"""Which conditions are worth a law, together and for a conclusion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.language.term import Term
from engine.strategy.exploration.hypotheses import Hypothesis, Mask


def pairs(conditions: Sequence[Hypothesis]) -> list[tuple[Hypothesis, Hypothesis]]:
    """Pairs of conditions that share a variable, the smallest first."""
    found = []
    conditions = [c for c in conditions if c.is_general]
    for i, one in enumerate(conditions):
        for j, other in enumerate(conditions):
            is_first = not other.canonical or i < j
            says_enough = not (one.is_equality and other.is_equality)
            if one.canonical and i != j and is_first and one.variables & other.variables:
                found += [(one, other)] if says_enough else []
    return sorted(found, key=lambda pair: pair[0].size + pair[1].size)


def speaks_of(conditions: Sequence[Hypothesis], one: Term, other: Term) -> bool:
    """Whether the variables of the conditions occur in the conclusion.

    A variable that two conditions share, like the one in the middle of transitivity, need not;
    nor need those that determine another one's value.
    """
    used = set(one.variables()) | set(other.variables())
    if one.size == other.size == 1 and used:
        return all(v & used for v in (c.variables for c in conditions))
    if len(conditions) == 1:
        return conditions[0].variables <= used
    first, second = (c.variables for c in conditions)
    return (first | second) - (first & second) <= used and all(v & used for v in (first, second))


class Weaker:
    """Whether a law holds under a weaker condition already, and so is no news under a stronger.

    Args:
        known: Conditions, smallest first.
    """

    def __init__(self, known: Sequence[Hypothesis]) -> None:
        self._masks = np.stack([h.mask for h in known])
        self._counts = self._masks.sum(axis=1)
        self._sizes = np.array([h.size for h in known])

    def suffices(self, conditions: Sequence[Hypothesis], mask: Mask, equal: Mask) -> bool:
        """Whether one no larger holds wherever these do, and two terms are equal there.

        Args:
            conditions: What the law assumes.
            mask: Where they hold.
            equal: Where the terms are; a condition that says no more than that is none.
        """
        if any(equal[c.mask].all() for c in conditions if len(conditions) > 1):
            return True
        candidates = self._sizes <= sum(c.size for c in conditions)
        candidates &= self._counts > mask.sum()
        candidates &= self._counts < equal.sum()
        masks = self._masks[candidates]
        implied = ~(mask & ~masks).any(axis=1)
        holds = ~(masks & ~equal).any(axis=1)
        return bool((implied & holds).any())
