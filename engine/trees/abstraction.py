"""The abstraction tree T_C: clusters of methods, clusters of clusters (paper: abstraction tree).

n rounds of mini-batch k-means. Round t = 1 groups the method nodes, every later round groups the
centroids of the round before, into

    K_t = max(K_min, ceil(K_1 * rho^(t-1))),    rho = (K_n / K_1)^(1/(n-1)),

clusters, never more than there are distinct points. The clusters of the last round are the roots.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.model import MethodNode
from engine.settings import AbstractionSettings
from engine.trees.cluster import Cluster
from verifier.errors import InputError

Vectors = NDArray[np.float32]
Groups = NDArray[np.intp]
KeyT = TypeVar("KeyT", int, str)

_SUMMARY_SYMBOLS: Final = 5
_STATEMENT_LENGTH: Final = 160
_ID_LENGTH: Final = 16


def cluster_schedule(k_1: int, k_n: int, k_min: int, rounds: int) -> tuple[int, ...]:
    """K_1..K_n, the number of clusters of each round, leaves first.

    Computed exactly: ceil(K_1 rho^(t-1)) is the least k with k^(n-1) >= K_1^(n-t) K_n^(t-1), so
    that no rounding adds a cluster (64 * 0.25 must not become 17).

    Args:
        k_1: Clusters of the first round.
        k_n: Clusters of the last round.
        k_min: Lower bound for every round.
        rounds: Number n of rounds; with one round only k_1 counts.

    Raises:
        InputError: A number is below 1.
    """
    if min(k_1, k_n, k_min, rounds) < 1:
        raise InputError(
            "a cluster schedule needs numbers of at least 1", "see AbstractionSettings"
        )
    degree = rounds - 1
    if degree == 0:
        return (max(k_min, k_1),)
    return tuple(
        max(k_min, _ceil_root(k_1 ** (degree - t) * k_n**t, degree)) for t in range(rounds)
    )


def schedule_for(count: int, settings: AbstractionSettings) -> tuple[int, ...]:
    """The cluster schedule for so many nodes, where K_1 may depend on their number.

    Args:
        count: Number N of method nodes.
        settings: K_1 (``None`` for ceil(sqrt(N))), K_n, K_min and rounds.
    """
    k_1 = settings.k_1 or max(1, math.isqrt(max(0, count - 1)) + 1)
    return cluster_schedule(k_1, min(settings.k_n, k_1), settings.k_min, settings.rounds)


def funnel_schedule(k_1: int, eta: float, n: int) -> tuple[int, ...]:
    """k_1..k_n with k_t = max(1, ceil(k_1 * eta^(t-1))), roots first (paper: funnel retrieval).

    Eta counts as the decimal number that it is written as: 10 * 0.1 is 1, not a little more.

    Args:
        k_1: Width at the roots, at least 1.
        eta: Factor a step, 0 < eta < 1.
        n: Number of steps; 0 gives an empty schedule.

    Raises:
        InputError: A number is outside its range.
    """
    if k_1 < 1 or not 0.0 < eta < 1.0 or n < 0:
        raise InputError(
            f"no funnel has k_1 = {k_1}, eta = {eta} and {n} steps",
            "use k_1 >= 1, 0 < eta < 1 and at least 0 steps",
        )
    factor = Fraction(str(eta))
    return tuple(max(1, math.ceil(k_1 * factor**t)) for t in range(n))


@dataclass(frozen=True)
class AbstractionTree:
    """T_C: several roots, one level of clusters a round, the method nodes as leaves.

    Attributes:
        clusters: All clusters, by level (leaves first) and id.
    """

    clusters: tuple[Cluster, ...]

    @property
    def depth(self) -> int:
        """Number n of levels; 0 for the tree of no nodes."""
        return max((cluster.level for cluster in self.clusters), default=0)

    @property
    def roots(self) -> tuple[Cluster, ...]:
        """The clusters of the highest level."""
        return self.level(self.depth)

    def level(self, level: int) -> tuple[Cluster, ...]:
        """The clusters of one level, by id; level 1 lies directly above the leaves."""
        return self._by_level.get(level, ())

    def cluster(self, cluster_id: str) -> Cluster:
        """One cluster.

        Raises:
            InputError: There is no such cluster in this tree.
        """
        if cluster_id not in self._by_id:
            raise InputError(
                f"there is no cluster {cluster_id!r}", "the tree was rebuilt meanwhile"
            )
        return self._by_id[cluster_id]

    def children(self, cluster_id: str) -> tuple[Cluster, ...]:
        """The clusters directly below one, by id; none at level 1."""
        return self._by_parent.get(cluster_id, ())

    def leaves(self, cluster_id: str) -> tuple[str, ...]:
        """The ids of all method nodes below a cluster, sorted."""
        below, found = [self.cluster(cluster_id)], list[str]()
        while below:
            cluster = below.pop()
            found.extend(cluster.members)
            below.extend(self.children(cluster.id))
        return tuple(sorted(found))

    def path(self, cluster_id: str) -> tuple[Cluster, ...]:
        """The clusters from a root down to this one, both included."""
        path = [self.cluster(cluster_id)]
        while (parent := path[-1].parent) is not None:
            path.append(self.cluster(parent))
        return tuple(reversed(path))

    @cached_property
    def _by_id(self) -> Mapping[str, Cluster]:
        return {cluster.id: cluster for cluster in self.clusters}

    @cached_property
    def _by_level(self) -> Mapping[int, tuple[Cluster, ...]]:
        return _grouped((cluster.level, cluster) for cluster in self.clusters)

    @cached_property
    def _by_parent(self) -> Mapping[str, tuple[Cluster, ...]]:
        return _grouped((c.parent, c) for c in self.clusters if c.parent is not None)


def build_abstraction(
    nodes: Sequence[MethodNode], vectors: Vectors, settings: AbstractionSettings
) -> AbstractionTree:
    """Build T_C. The same nodes, vectors and seed give the same tree, in whatever order.

    Args:
        nodes: The method nodes, each id once.
        vectors: Shape (len(nodes), d), float32, unit rows: v(sum(m)) of each node.
        settings: K_1, K_n, K_min, rounds and seed.

    Raises:
        InputError: Nodes and vectors are not equally many, or an id occurs twice.
    """
    _require_matching(nodes, vectors)
    if not nodes:
        return AbstractionTree(clusters=())
    order = sorted(range(len(nodes)), key=lambda index: nodes[index].id)
    leaves = _Leaves([nodes[index] for index in order], vectors[order])
    levels = list(_levels(leaves.vectors, settings))
    return AbstractionTree(clusters=tuple(_clusters(leaves, levels)))


class _Leaves:
    """The nodes in the order of their ids, with what a summary needs to know of all of them."""

    def __init__(self, nodes: Sequence[MethodNode], vectors: Vectors) -> None:
        self.nodes = nodes
        self.vectors = vectors
        self._frequency = Counter(symbol for node in nodes for symbol in set(node.symbols))

    def ids(self, rows: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.nodes[row].id for row in rows)

    def centroid(self, rows: Sequence[int]) -> Vectors:
        return _unit(self.vectors[rows].mean(axis=0, dtype=np.float64))

    def summary(self, rows: Sequence[int], centroid: Vectors) -> str:
        """s(c): the symbols that set the cluster apart, and its most central statement."""
        nearest = rows[int(np.argmax(self.vectors[rows] @ centroid))]
        statement = " ".join(self.nodes[nearest].statement.split())
        if len(statement) > _STATEMENT_LENGTH:
            statement = statement[: _STATEMENT_LENGTH - 1] + "…"
        return " — ".join(filter(None, (", ".join(self._dominant(rows)), statement)))

    def _dominant(self, rows: Sequence[int]) -> list[str]:
        counts = Counter(symbol for row in rows for symbol in set(self.nodes[row].symbols))
        return sorted(counts, key=lambda symbol: (-self._salience(symbol, counts[symbol]), symbol))[
            :_SUMMARY_SYMBOLS
        ]

    def _salience(self, symbol: str, count: int) -> float:
        # Frequent here and not everywhere: count times the smoothed inverse document frequency.
        return count * math.log((1 + len(self.nodes)) / (0.5 + self._frequency[symbol]))


def _levels(vectors: Vectors, settings: AbstractionSettings) -> Iterator[Groups]:
    """For each round the group of every leaf, numbered from 0 without gaps."""
    groups = np.arange(len(vectors), dtype=np.intp)
    for wanted in schedule_for(len(vectors), settings):
        points, sizes = _centroids(vectors, groups)
        groups = _cluster(points, sizes, wanted, settings.seed)[groups]
        yield groups


def _centroids(vectors: Vectors, groups: Groups) -> tuple[Vectors, NDArray[np.float64]]:
    """Unit mean vector, shape (g, d), and number of leaves, shape (g,), of each group."""
    sizes = np.bincount(groups).astype(np.float64)
    sums = np.zeros((len(sizes), vectors.shape[1]))
    np.add.at(sums, groups, vectors)
    return _unit(sums / sizes[:, None]), sizes


def _cluster(points: Vectors, sizes: NDArray[np.float64], wanted: int, seed: int) -> Groups:
    """One round: the group of each point, numbered by first occurrence.

    Equal points always share a group, so that the cap on K_t is the number of distinct ones.
    """
    distinct, copy_of = np.unique(points, axis=0, return_inverse=True)
    copy_of = copy_of.reshape(-1)
    if wanted >= len(distinct):
        return _renumbered(copy_of)
    from sklearn.cluster import MiniBatchKMeans
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    weights = np.bincount(copy_of, weights=sizes)
    means = MiniBatchKMeans(n_clusters=wanted, random_state=seed, n_init=3, batch_size=1024)
    # One thread: sums in a fixed order, and no waiting for cores that others use.
    with threadpool_limits(limits=1):
        groups = means.fit_predict(distinct, sample_weight=weights)
    return _renumbered(groups[copy_of])


def _renumbered(groups: NDArray[np.integer]) -> Groups:
    """The same partition with numbers 0, 1, … in the order of first occurrence."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    renumbered: Groups = rank[inverse.reshape(-1)]
    return renumbered


def _clusters(leaves: _Leaves, levels: Sequence[Groups]) -> Iterator[Cluster]:
    """The clusters of all levels, level 1 first, each level by id."""
    rows = [_rows_of(groups) for groups in levels]
    ids = [
        [_content_id(level, leaves.ids(members)) for members in clusters]
        for level, clusters in enumerate(rows, start=1)
    ]
    for depth, clusters in enumerate(rows):
        top = depth + 1 == len(levels)
        for cluster_id, members in sorted(
            zip(ids[depth], clusters, strict=True), key=itemgetter(0)
        ):
            centroid = leaves.centroid(members)
            yield Cluster(
                id=cluster_id,
                level=depth + 1,
                parent=None if top else ids[depth + 1][levels[depth + 1][members[0]]],
                summary=leaves.summary(members, centroid),
                centroid=tuple(centroid.tolist()),
                size=len(members),
                members=leaves.ids(members) if depth == 0 else (),
            )


def _rows_of(groups: Groups) -> list[list[int]]:
    """The rows of each group, by group number."""
    rows: list[list[int]] = [[] for _ in range(int(groups.max()) + 1)]
    for row, group in enumerate(groups.tolist()):
        rows[group].append(row)
    return rows


def _content_id(level: int, members: Iterable[str]) -> str:
    text = "\0".join((str(level), *members))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH]


def _unit(vectors: NDArray[np.floating]) -> Vectors:
    """Rows scaled to length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)


def _ceil_root(value: int, degree: int) -> int:
    """The least k with k ** degree >= value."""
    low, high = 0, value
    while low < high:
        middle = (low + high) // 2
        if middle**degree >= value:
            high = middle
        else:
            low = middle + 1
    return low


def _grouped(pairs: Iterable[tuple[KeyT, Cluster]]) -> dict[KeyT, tuple[Cluster, ...]]:
    groups: defaultdict[KeyT, list[Cluster]] = defaultdict(list)
    for key, cluster in pairs:
        groups[key].append(cluster)
    return {key: tuple(clusters) for key, clusters in groups.items()}


def _require_matching(nodes: Sequence[MethodNode], vectors: Vectors) -> None:
    if len(nodes) != len(vectors):
        raise InputError(
            f"{len(nodes)} nodes came with {len(vectors)} vectors", "encode the nodes once more"
        )
    if len({node.id for node in nodes}) != len(nodes):
        raise InputError("a node occurs twice", "give each node once")
