"""Names of clusters that outlive a change of the tree.

A new cluster is named by its content. The clusters of a rebuilt tree take over the names of the
old clusters that they are most alike: pairs of one level in order of the Jaccard coefficient of
their leaves, each old name once, none below a bound.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Groups = NDArray[np.intp]

_ID_LENGTH: Final = 16


def new_names(
    level: int, members: Iterable[Iterable[str]], taken: Collection[str] = ()
) -> list[str]:
    """A name for each cluster, derived from its level and leaves.

    Args:
        level: Level of the clusters.
        members: Ids of the leaves of each cluster, sorted.
        taken: Names that stand for other clusters or did so in the tree before.
    """
    return [_content_name(level, tuple(leaves), taken) for leaves in members]


def carried_names(
    before: Groups, names: Sequence[str], after: Groups, count: int, bound: float
) -> list[str | None]:
    """For each new cluster of a level the name that it takes over, if any.

    Args:
        before: Shape (N,), for each leaf the old cluster, or -1 where it is new.
        names: The names of the old clusters.
        after: Shape (N,), for each leaf the new cluster, or -1 where it is gone.
        count: Number of new clusters.
        bound: Least Jaccard coefficient, above 0.

    Returns:
        One entry a new cluster, each name at most once.
    """
    carried: list[str | None] = [None] * count
    given: set[int] = set()
    for old, new in _pairs(before, after, len(names), count, bound):
        if old not in given and carried[new] is None:
            carried[new] = names[old]
            given.add(old)
    return carried


def _pairs(
    before: Groups, after: Groups, old_count: int, count: int, bound: float
) -> list[tuple[int, int]]:
    """Pairs of an old and a new cluster that are alike enough, the most alike first."""
    both = (before >= 0) & (after >= 0)
    shared, overlap = np.unique(before[both] * count + after[both], return_counts=True)
    old, new = shared // max(1, count), shared % max(1, count)
    old_sizes = np.bincount(before[before >= 0], minlength=old_count)
    new_sizes = np.bincount(after[after >= 0], minlength=count)
    jaccard = overlap / (old_sizes[old] + new_sizes[new] - overlap)
    order = np.lexsort((new, old, -jaccard))
    return [(int(old[i]), int(new[i])) for i in order if jaccard[i] >= bound]


def _content_name(level: int, leaves: Sequence[str], taken: Collection[str]) -> str:
    attempt = 0
    while True:
        text = "\0".join((str(level), *leaves, *(["again"] * attempt)))
        name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH]
        if name not in taken:
            return name
        attempt += 1
