"""The rounds of mini-batch k-means behind T_C, on arrays alone (paper: abstraction tree)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from engine.settings import AbstractionSettings
from engine.trees.schedule import schedule_for

if TYPE_CHECKING:
    from sklearn.cluster import MiniBatchKMeans

Vectors = NDArray[np.float32]
Sums = NDArray[np.float64]
Groups = NDArray[np.intp]

_CHUNK: Final = 65_536  # rows that are widened to float64 at a time: 64 MiB at 128 dimensions
_PLACED: Final = 4096  # rows that are compared with all centroids at a time
_BATCH: Final = 4096
_STEPS: Final = 500  # 60,000 vectors need fewer than 100; a million took 850 for nothing
_NOTHING: Final = 1e-9  # what rounding leaves of vectors that were added and taken away
_CAREFUL: Final = 512  # up to so many clusters, careful starts cost a second at most


def cluster_levels(vectors: Vectors, settings: AbstractionSettings) -> Iterator[Groups]:
    """For each round the group of every leaf, numbered from 0 without gaps.

    The rounds depend on the order of the rows: give them in the order of the nodes' ids.

    Args:
        vectors: Shape (N, d), float32, unit or zero rows; N >= 1.
        settings: K_1, K_n, K_min, rounds and seed.
    """
    groups = np.arange(len(vectors), dtype=np.intp)
    for round_, wanted in enumerate(schedule_for(len(vectors), settings)):
        if round_ == 0:
            points, sizes = vectors, np.ones(len(vectors))
        else:
            sums, counts = group_sums(vectors, groups)
            points, sizes = unit(sums), counts.astype(np.float64)
        groups = _cluster(points, sizes, wanted, settings.seed)[groups]
        yield groups


def group_sums(
    vectors: Vectors, groups: Groups, count: int | None = None
) -> tuple[Sums, NDArray[np.int64]]:
    """The sum of the rows of each group, shape (g, d), and their number, shape (g,).

    Summed in float64 and in the order of the rows, so that one input has one outcome.

    Args:
        vectors: Shape (N, d).
        groups: Shape (N,), the group of each row.
        count: Number of groups g; one more than the largest if omitted.
    """
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    count = int(groups.max(initial=-1)) + 1 if count is None else count
    sums = np.zeros((count, vectors.shape[1]))
    for start in range(0, len(vectors), _CHUNK):
        chunk = groups[start : start + _CHUNK]
        places = (np.ones(len(chunk)), (chunk, np.arange(len(chunk))))
        belongs = csr_array(places, shape=(count, len(chunk)))
        sums += belongs @ vectors[start : start + _CHUNK].astype(np.float64)
    return sums, np.bincount(groups, minlength=count).astype(np.int64)


def nearest_rows(vectors: Vectors, centroids: Vectors) -> Groups:
    """The row of the centroid with the largest cosine to each vector; of equal ones the first.

    Args:
        vectors: Shape (N, d), unit or zero rows.
        centroids: Shape (K, d), unit or zero rows; K >= 1.
    """
    found = np.empty(len(vectors), dtype=np.intp)
    for start in range(0, len(vectors), _PLACED):
        end = start + _PLACED
        found[start:end] = (vectors[start:end] @ centroids.T).argmax(axis=1)
    return found


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Rows scaled to length 1; a row of (almost) nothing becomes zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    known = lengths > _NOTHING
    return np.where(known, vectors / np.where(known, lengths, 1.0), 0.0).astype(np.float32)


def _cluster(points: Vectors, sizes: NDArray[np.float64], wanted: int, seed: int) -> Groups:
    """One round: the group of each point, numbered by first occurrence.

    Equal points always share a group, so that the cap on K_t is the number of distinct ones.
    """
    first, copy_of = _distinct(points)
    if wanted >= len(first):
        return copy_of
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    distinct = points if len(first) == len(points) else points[first]
    means = _careful(wanted, seed) if wanted <= _CAREFUL else _fast(wanted, seed, len(distinct))
    # One thread: sums in a fixed order, and no waiting for cores that others use.
    with threadpool_limits(limits=1):
        groups = means.fit_predict(distinct, sample_weight=np.bincount(copy_of, weights=sizes))
    _fill_empty(groups, distinct, means.cluster_centers_)
    return _renumbered(groups[copy_of])


def _fill_empty(
    groups: NDArray[np.integer], points: Vectors, centres: NDArray[np.floating]
) -> None:
    """Moves the points that lie farthest from their centres into the groups that stayed empty.

    So there are K_t clusters, not about as many.
    """
    sizes = np.bincount(groups, minlength=len(centres))
    empty = np.flatnonzero(sizes == 0)[::-1].tolist()
    if not empty:
        return
    for point in np.argsort(-_distances(points, centres, groups), kind="stable"):
        if sizes[groups[point]] > 1:
            sizes[groups[point]] -= 1
            groups[point] = empty.pop()
            if not empty:
                return


def _distances(
    points: Vectors, centres: NDArray[np.floating], groups: NDArray[np.integer]
) -> NDArray[np.floating]:
    """The squared distance of each point to the centre of its group."""
    found = np.empty(len(points))
    for start in range(0, len(points), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        apart = points[chunk] - centres[groups[chunk]]
        found[chunk] = np.einsum("ij,ij->i", apart, apart)
    return found


def _careful(wanted: int, seed: int) -> MiniBatchKMeans:
    """The best of three k-means++ starts, for the few clusters that a person looks at."""
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(n_clusters=wanted, random_state=seed, n_init=3, batch_size=1024)


def _fast(wanted: int, seed: int, count: int) -> MiniBatchKMeans:
    """One random start and larger batches, for many clusters, in a bounded number of steps.

    For 4,000 clusters of 60,000 vectors it took 13 s where a k-means++ start took 20 s, with the
    same mean distance to within a hundredth.
    """
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(
        n_clusters=wanted,
        random_state=seed,
        n_init=1,
        init="random",
        init_size=3 * wanted,
        batch_size=_BATCH,
        max_iter=max(1, _STEPS * _BATCH // count),
    )


def _distinct(points: Vectors) -> tuple[Groups, Groups]:
    """The first row of each distinct point, and for every row the number of its point."""
    numbers: dict[bytes, int] = {}
    copy_of = np.empty(len(points), dtype=np.intp)
    firsts: list[int] = []
    for row, point in enumerate(points):
        # Adding zero makes -0.0 and 0.0 the same bytes.
        key = hashlib.blake2b((point + np.float32(0.0)).tobytes(), digest_size=16).digest()
        copy_of[row] = numbers.setdefault(key, len(numbers))
        if copy_of[row] == len(firsts):
            firsts.append(row)
    return np.array(firsts, dtype=np.intp), copy_of


def _renumbered(groups: NDArray[np.integer]) -> Groups:
    """The same partition with numbers 0, 1, … in the order of first occurrence."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    renumbered: Groups = rank[inverse.reshape(-1)]
    return renumbered
