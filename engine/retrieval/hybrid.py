"""Several searches as one, by reciprocal rank fusion (Cormack, Clarke, Buettcher, SIGIR 2009).

score(m) = sum over the searches of 1 / (c + rank(m)), ranks from 1. Only ranks count, so cosines
and BM25 scores need no common scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.retrieval.index import require_count
from engine.retrieval.interface import FunnelPath, Hit, Query, Retrieval, Retriever
from verifier.errors import InputError

RANK_CONSTANT: Final = 60
"""c, the value of the paper: the first ranks differ, and no single one outweighs two others."""
POOL: Final = 100
"""How deep each search is read at least; a node may be at rank 40 in both and first when fused."""


class HybridRetriever:
    """Fuses the ranks of several retrievers over the same nodes.

    Args:
        retrievers: By the name under which a hit mentions them: ``{"vectors": …, "BM25": …}``.
        rank_constant: c, at least 1.
        pool: How many hits of each are looked at, at least; k where that is more.

    Raises:
        InputError: There is no retriever, or a number is below 1.
    """

    def __init__(
        self,
        retrievers: Mapping[str, Retriever],
        rank_constant: int = RANK_CONSTANT,
        pool: int = POOL,
    ) -> None:
        if not retrievers or rank_constant < 1 or pool < 1:
            raise InputError(
                "a hybrid search needs retrievers, and numbers of at least 1",
                "give it at least one retriever",
            )
        self._retrievers = dict(retrievers)
        self._constant = rank_constant
        self._pool = pool

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nodes that the searches together rank highest, see ``Retriever.search``.

        A hit says its rank in each search that found it, and keeps its path through T_C.
        """
        require_count(k)
        found = {
            name: retriever.search(query, max(k, self._pool))
            for name, retriever in self._retrievers.items()
        }
        fused: dict[str, list[tuple[str, int, Hit]]] = {}
        for name, retrieval in found.items():
            for rank, hit in enumerate(retrieval.hits, start=1):
                fused.setdefault(hit.node, []).append((name, rank, hit))
        hits = sorted((self._fused(seen) for seen in fused.values()), key=_rank)
        return Retrieval(
            hits=tuple(hits[:k]),
            visits=sum(retrieval.visits for retrieval in found.values()),
            budget=sum(retrieval.budget for retrieval in found.values()),
            comparisons=sum(retrieval.comparisons for retrieval in found.values()),
        )

    def _fused(self, seen: list[tuple[str, int, Hit]]) -> Hit:
        """One hit of what several searches say about a node."""
        paths = (hit.path for _, _, hit in seen if hit.path.steps)
        return Hit(
            node=seen[0][2].node,
            score=sum(1.0 / (self._constant + rank) for _, rank, _ in seen),
            path=next(paths, FunnelPath()),
            why=(
                *(f"{name} rank {rank}" for name, rank, _ in seen),
                *(reason for _, _, hit in seen for reason in hit.why),
            ),
        )


def _rank(hit: Hit) -> tuple[float, str]:
    return (-hit.score, hit.node)
