"""What a proof will cost: an estimate from the searches of earlier runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from engine.store.records import ProofSearch

SIZE_SCALE = 24
"""Symbols and variables at which a statement counts as hopeless before anything was tried."""
ALIKE = 2
"""Searches count for a statement whose size differs by at most so much."""
PRIOR = 4.0
"""Weight of the guess from the size alone, in searches: ten real ones outweigh it clearly."""
ENOUGH = 5
"""Proofs of like statements that a time limit is read off; fewer say too little."""
COVERED = 0.9
"""Share of the like proofs that a time limit would have let through."""
MARGIN = 1.5


@dataclass(frozen=True)
class Estimate:
    """What to expect of a proof search.

    Attributes:
        chance: Probability that it finds a proof, in (0, 1).
        seconds: Mean time of like searches, fruitless ones included; ``None`` if there are none.
        searches: How many like searches it rests on.
    """

    chance: float
    seconds: float | None
    searches: int


class ProofCosts:
    """Estimates from what earlier searches took.

    Args:
        searches: From :meth:`engine.store.Store.proof_searches`.
    """

    def __init__(self, searches: Iterable[ProofSearch] = ()) -> None:
        self._searches = list(searches)

    def add(self, search: ProofSearch) -> None:
        """Takes a search of this run in."""
        self._searches.append(search)

    def estimate(self, size: int, hypotheses: int = 0) -> Estimate:
        """The chance and the time of a search.

        The chance is (proved + PRIOR * guess) / (searches + PRIOR) over the like searches, where
        the guess falls with the size.

        Args:
            size: Symbols and variables of the statement.
            hypotheses: Searches for statements with and without hypotheses are kept apart.
        """
        like = self._like(size, hypotheses)
        proved = sum(search.proved for search in like)
        chance = (proved + PRIOR * guess(size)) / (len(like) + PRIOR)
        seconds = math.fsum(s.seconds for s in like) / len(like) if like else None
        return Estimate(chance, seconds, len(like))

    def limit(self, size: int, hypotheses: int = 0, default: float = 3.0) -> float:
        """A time limit for a search, in seconds.

        It is long enough for nine of ten like proofs with a margin, and between a half and the
        double of the default; the default where too few are known.
        """
        proofs = sorted(s.seconds for s in self._like(size, hypotheses) if s.proved)
        if len(proofs) < ENOUGH:
            return default
        at = proofs[min(len(proofs) - 1, int(COVERED * len(proofs)))]
        return min(2 * default, max(default / 2, MARGIN * at))

    def _like(self, size: int, hypotheses: int) -> list[ProofSearch]:
        return [
            search
            for search in self._searches
            if abs(search.size - size) <= ALIKE and bool(search.hypotheses) == bool(hypotheses)
        ]


def guess(size: int) -> float:
    """The chance of a proof by the size of the statement alone, in (0, 1)."""
    return min(0.95, max(0.05, 1.0 - size / SIZE_SCALE))
