"""Funnel search down the abstraction tree T_C (paper: funnel retrieval).

Step t searches level n - t + 1 of T_C, the roots first: C_t are the k_t clusters among the
children of C_(t-1) with the largest cos(v(q), v(s(c))), where k_t = max(1, ceil(k_1 eta^(t-1))).
The method nodes below C_n are then ranked by cos(v(q), v(sum(m))).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.retrieval.encoders import Encoder
from engine.retrieval.index import Rows, VectorIndex, Vectors, best_rows, require_count
from engine.retrieval.interface import FunnelPath, FunnelStep, Hit, Query, Retrieval
from engine.settings import FunnelSettings
from engine.trees.abstraction import AbstractionTree
from engine.trees.schedule import funnel_widths
from verifier.errors import InputError


@dataclass(frozen=True)
class Step:
    """One step of the funnel: the clusters that it kept of one level.

    Attributes:
        level: The level that it searched.
        rows: C_t, the rows of the kept clusters there, best first.
        cosines: Their cosines to the query.
        compared: How many clusters it computed a cosine of.
    """

    level: int
    rows: Rows
    cosines: Vectors
    compared: int


@dataclass(frozen=True)
class Descent:
    """A whole way down, and what it ended with.

    Attributes:
        steps: From the roots down.
        rows: The rows of the nearest nodes, best first.
        cosines: Their cosines to the query.
        compared: How many nodes it computed a cosine of.
    """

    steps: tuple[Step, ...]
    rows: Rows
    cosines: Vectors
    compared: int

    @property
    def visits(self) -> int:
        """Clusters that were opened."""
        return sum(len(step.rows) for step in self.steps)

    @property
    def comparisons(self) -> int:
        """Cosines that were computed, of clusters and nodes."""
        return sum(step.compared for step in self.steps) + self.compared


class Funnel:
    """The way down T_C for a vector, on rows alone.

    Args:
        tree: T_C.
        vectors: Shape (N, d), the vectors of ``tree.nodes`` in that order.
        clusters: For each level, leaves first, what stands for v(s(c)), shape (K_t, d).
        widths: k_1..k_n, roots first.
    """

    def __init__(
        self,
        tree: AbstractionTree,
        vectors: Vectors,
        clusters: Sequence[Vectors],
        widths: Sequence[int],
    ) -> None:
        self._tree = tree
        self._vectors = vectors
        self._clusters = clusters
        self.widths = tuple(widths)

    def descend(self, vector: Vectors, k: int) -> Descent:
        """Opens at most sum(k_t) clusters, then ranks the nodes below the last ones.

        Args:
            vector: Shape (d,), v(q).
            k: How many nodes at most, at least 1.
        """
        steps: list[Step] = []
        for level, width in zip(range(self._tree.depth, 0, -1), self.widths, strict=True):
            frontier = (
                self._tree.children_of(level, steps[-1].rows)
                if steps
                else np.arange(len(self._tree.levels[level - 1]))
            )
            rows, cosines = best_rows(self._clusters[level - 1], vector, frontier, width)
            steps.append(Step(level, rows, cosines, len(frontier)))
        leaves = self._tree.leaf_rows(steps[-1].rows if steps else np.zeros(0, dtype=np.intp))
        rows, cosines = best_rows(self._vectors, vector, leaves, k)
        return Descent(tuple(steps), rows, cosines, len(leaves))


class FunnelRetriever:
    """Opens at most sum(k_t) clusters of T_C, then ranks the nodes below the last ones.

    Args:
        tree: T_C over exactly the nodes of the index.
        index: The vectors of the nodes, by node id.
        encoder: The encoder that made them; encodes the queries, and the summaries of clusters
            where these stand for them.
        settings: k_1, eta, breadth, and what stands for v(s(c)).

    Raises:
        InputError: T_C was built over other nodes, or from another encoder's vectors.
    """

    def __init__(
        self,
        tree: AbstractionTree,
        index: VectorIndex,
        encoder: Encoder,
        settings: FunnelSettings | None = None,
    ) -> None:
        settings = settings or FunnelSettings()
        _require_fitting(tree, index)
        self._tree = tree
        self._encoder = encoder
        count = len(tree.levels[0]) if tree.levels else 0
        self._funnel = Funnel(
            tree,
            index.vectors,
            _cluster_vectors(tree, encoder, settings),
            funnel_widths(len(tree.nodes), count, tree.depth, settings),
        )

    @property
    def budget(self) -> int:
        """The most clusters that a search may open: sum of k_t."""
        return sum(self._funnel.widths)

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nearest nodes below the clusters that the funnel ends in.

        See ``Retriever.search``; each hit carries its path through T_C.
        """
        require_count(k)
        descent = self._funnel.descend(self._encoder.encode([query])[0], k)
        paths = _Paths(self._tree, descent)
        return Retrieval(
            hits=tuple(
                Hit(
                    node=self._tree.nodes[row],
                    score=float(cosine),
                    path=paths.to(int(self._tree.home[row])),
                )
                for row, cosine in zip(descent.rows, descent.cosines, strict=True)
            ),
            visits=descent.visits,
            budget=self.budget,
            comparisons=descent.comparisons,
        )


class _Paths:
    """The paths of one descent, each made once."""

    def __init__(self, tree: AbstractionTree, descent: Descent) -> None:
        self._tree = tree
        self._steps = {step.level: step for step in descent.steps}
        self._made: dict[int, FunnelPath] = {}

    def to(self, row: int) -> FunnelPath:
        """The path to a cluster of level 1 that the descent ended in."""
        if row not in self._made:
            steps, cluster = [], row
            for number, level in enumerate(self._tree.levels, start=1):
                steps.append(self._step(number, cluster))
                cluster = int(level.parents[cluster])
            self._made[row] = FunnelPath(steps=tuple(reversed(steps)))
        return self._made[row]

    def _step(self, level: int, row: int) -> FunnelStep:
        step = self._steps[level]
        rank = int(np.flatnonzero(step.rows == row)[0])
        return FunnelStep(
            cluster=self._tree.levels[level - 1].ids[row],
            level=level,
            summary=self._tree.levels[level - 1].text(row).summary,
            cosine=float(step.cosines[rank]),
            rank=rank + 1,
            among=step.compared,
        )


def _cluster_vectors(
    tree: AbstractionTree, encoder: Encoder, settings: FunnelSettings
) -> list[Vectors]:
    """What stands for v(s(c)), for each level, leaves first."""
    if settings.cluster_vector == "centroid":
        return [level.centroids for level in tree.levels]
    return [
        encoder.encode([level.text(row).summary for row in range(len(level))])
        for level in tree.levels
    ]


def _require_fitting(tree: AbstractionTree, index: VectorIndex) -> None:
    hint = "build it anew from these nodes and this encoder"
    if tree.nodes != index.names:
        raise InputError("the abstraction tree was built over other nodes", hint)
    if tree.levels and tree.dimensions != index.dimensions:
        raise InputError("the abstraction tree was built from another encoder's vectors", hint)
