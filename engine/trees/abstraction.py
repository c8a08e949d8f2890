"""The abstraction tree T_C: clusters of methods, clusters of clusters (paper: abstraction tree).

n rounds of mini-batch k-means. Round t = 1 groups the method nodes, every later round groups the
centroids of the round before, into

    K_t = max(K_min, ceil(K_1 * rho^(t-1))),    rho = (K_n / K_1)^(1/(n-1)),

clusters, never more than there are distinct points. The clusters of the last round are the roots.
A level is a handful of arrays with one row a cluster, so that a library of a million nodes has a
tree; ``Cluster`` is the view of one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.trees.cluster import Cluster, ClusterText
from engine.trees.clustering import Groups, Sums, Vectors, unit
from verifier.errors import InputError


@dataclass(frozen=True, eq=False)
class Level:
    """The clusters of one level of T_C, one row each, in order of id.

    Attributes:
        ids: Stable names of the clusters.
        parents: Shape (K,), the row of each cluster's parent in the next level; -1 at the roots.
        sizes: Shape (K,), the number of method nodes below each.
        sums: Shape (K, d), float64, the sum of the vectors below each.
        built: Shape (K, d), float32, the centroids when the tree was last clustered.
        texts: What a person reads about each; empty before ``summarised``.
    """

    ids: tuple[str, ...]
    parents: Groups
    sizes: NDArray[np.int64]
    sums: Sums
    built: Vectors
    texts: tuple[ClusterText, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def centroids(self) -> Vectors:
        """Shape (K, d), float32, unit rows: what stands for v(s(c))."""
        return unit(self.sums)

    @cached_property
    def row(self) -> Mapping[str, int]:
        """The row of each cluster, by id."""
        return {cluster: row for row, cluster in enumerate(self.ids)}

    def text(self, row: int) -> ClusterText:
        """What a person reads about a cluster; empty before it was summarised."""
        return self.texts[row] if self.texts else ClusterText()

    def same_as(self, other: Level) -> bool:
        """Whether two levels are equal to the last bit."""
        return (self.ids, self.texts) == (other.ids, other.texts) and all(
            np.array_equal(mine, its)
            for mine, its in (
                (self.parents, other.parents),
                (self.sizes, other.sizes),
                (self.sums, other.sums),
                (self.built, other.built),
            )
        )


@dataclass(frozen=True, eq=False)
class AbstractionTree:
    """T_C: several roots, one level of clusters a round, the method nodes as leaves.

    Attributes:
        nodes: Ids of the method nodes, sorted.
        home: Shape (N,), for each node the row of its cluster at level 1.
        levels: Level 1, directly above the leaves, first; the roots last.
        built: Number of nodes when the tree was last clustered.
        changed: Number of nodes that came or went since.
    """

    nodes: Sequence[str] = ()
    home: Groups = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    levels: tuple[Level, ...] = ()
    built: int = 0
    changed: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbstractionTree):
            return NotImplemented
        return (
            (tuple(self.nodes), self.built, self.changed)
            == (tuple(other.nodes), other.built, other.changed)
            and np.array_equal(self.home, other.home)
            and len(self.levels) == len(other.levels)
            and all(a.same_as(b) for a, b in zip(self.levels, other.levels, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def depth(self) -> int:
        """Number n of levels; 0 for the tree of no nodes."""
        return len(self.levels)

    @property
    def dimensions(self) -> int:
        """Width d of the vectors that it was built from; 0 for the tree of no nodes."""
        return self.levels[0].sums.shape[1] if self.levels else 0

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters, by level (leaves first) and id."""
        return tuple(c for level in range(1, self.depth + 1) for c in self.level(level))

    @property
    def roots(self) -> tuple[Cluster, ...]:
        """The clusters of the highest level."""
        return self.level(self.depth)

    def level(self, level: int) -> tuple[Cluster, ...]:
        """The clusters of one level, by id; level 1 lies directly above the leaves."""
        if not 1 <= level <= self.depth:
            return ()
        return tuple(self._view(level, row) for row in range(len(self.levels[level - 1])))

    def cluster(self, cluster_id: str) -> Cluster:
        """One cluster.

        Raises:
            InputError: There is no such cluster in this tree.
        """
        return self._view(*self.place(cluster_id))

    def place(self, cluster_id: str) -> tuple[int, int]:
        """The level of a cluster and its row there.

        Raises:
            InputError: There is no such cluster in this tree.
        """
        for number, level in enumerate(self.levels, start=1):
            if cluster_id in level.row:
                return number, level.row[cluster_id]
        raise InputError(f"there is no cluster {cluster_id!r}", "the tree was rebuilt meanwhile")

    def children(self, cluster_id: str) -> tuple[Cluster, ...]:
        """The clusters directly below one, by id; none at level 1."""
        level, row = self.place(cluster_id)
        if level == 1:
            return ()
        below = np.flatnonzero(self.levels[level - 2].parents == row)
        return tuple(self._view(level - 1, int(child)) for child in below)

    def leaves(self, cluster_id: str) -> tuple[str, ...]:
        """The ids of all method nodes below a cluster, sorted."""
        level, row = self.place(cluster_id)
        rows = np.array([row])
        for below in range(level - 1, 0, -1):
            rows = self.children_of(below, rows)
        return tuple(self.nodes[leaf] for leaf in np.sort(self.leaf_rows(rows)))

    def path(self, cluster_id: str) -> tuple[Cluster, ...]:
        """The clusters from a root down to this one, both included."""
        level, row = self.place(cluster_id)
        path = [self._view(level, row)]
        while level < self.depth:
            level, row = level + 1, int(self.levels[level - 1].parents[row])
            path.append(self._view(level, row))
        return tuple(reversed(path))

    def children_of(self, level: int, parents: Groups) -> Groups:
        """The rows of one level whose parents are among these rows of the next, ascending."""
        wanted = np.zeros(len(self.levels[level]), dtype=bool)
        wanted[parents] = True
        return np.flatnonzero(wanted[self.levels[level - 1].parents])

    def leaf_rows(self, clusters: Groups) -> Groups:
        """The places in ``nodes`` of the leaves of some clusters of level 1, cluster by cluster."""
        order, starts = self._members
        parts = [order[starts[row] : starts[row + 1]] for row in clusters]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)

    @cached_property
    def _members(self) -> tuple[Groups, Groups]:
        """The places of all leaves, cluster by cluster, and where each cluster's part starts."""
        count = len(self.levels[0]) if self.levels else 0
        starts = np.concatenate(([0], np.cumsum(np.bincount(self.home, minlength=count))))
        return np.argsort(self.home, kind="stable"), starts

    def groups(self) -> Iterator[Groups]:
        """For each level, leaves first, the row of the cluster that each node lies below."""
        groups = self.home
        for level in self.levels:
            yield groups
            groups = level.parents[groups]

    def _view(self, level: int, row: int) -> Cluster:
        rows = self.levels[level - 1]
        parent = int(rows.parents[row])
        members = self.leaf_rows(np.array([row])) if level == 1 else ()
        return Cluster(
            id=rows.ids[row],
            level=level,
            parent=None if parent < 0 else self.levels[level].ids[parent],
            centroid=tuple(rows.centroids[row].tolist()),
            size=int(rows.sizes[row]),
            members=tuple(self.nodes[leaf] for leaf in members),
            **dict(rows.text(row)),
        )
