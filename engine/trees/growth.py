"""New leaves into T_C, and old ones out of it, without clustering anew.

A new node joins the cluster above the leaves whose centroid is nearest; sizes and centroids are
brought up to date on the way to the root, names stay. How far a tree has moved since it was
clustered is its wear; past a bound it is to be built anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from engine.settings import AbstractionSettings
from engine.trees.abstraction import AbstractionTree, Level
from engine.trees.building import in_order
from engine.trees.clustering import Groups, Vectors, group_sums, nearest_rows
from verifier.errors import InputError


@dataclass(frozen=True)
class Wear:
    """How far a tree has moved since it was clustered.

    Attributes:
        growth: Nodes that came or went, as a share of the nodes that it was built from.
        drift: Mean of 1 - cos between the centroid of a cluster above the leaves when it was
            built and now, weighted by size; in [0, 2].
    """

    growth: float
    drift: float


def insert(tree: AbstractionTree, ids: Sequence[str], vectors: Vectors) -> AbstractionTree:
    """The tree with more leaves, each in the cluster with the nearest centroid.

    All of them are placed by the centroids of the given tree, so their order does not matter.

    Args:
        tree: T_C with at least one node.
        ids: Ids of the new nodes.
        vectors: Shape (len(ids), d), their vectors by the tree's encoder.

    Raises:
        InputError: The tree is empty, an id occurs twice or is in the tree already, or the
            vectors are of another width.
    """
    names, rows = in_order(ids, vectors)
    if not names:
        return tree
    _require_fitting(tree, rows)
    known = frozenset(tree.nodes)
    if twice := next((name for name in names if name in known), None):
        raise InputError(f"{twice!r} is in the abstraction tree already", "remove it first")
    groups = nearest_rows(rows, tree.levels[0].centroids)
    every = [*tree.nodes, *names]
    order = sorted(range(len(every)), key=every.__getitem__)
    return replace(
        tree,
        nodes=tuple(every[place] for place in order),
        home=np.concatenate((tree.home, groups))[order],
        levels=_moved(tree, groups, rows, sign=1),
        changed=tree.changed + len(names),
    )


def remove(tree: AbstractionTree, ids: Sequence[str], vectors: Vectors) -> AbstractionTree:
    """The tree without some leaves, and without the clusters that have none left.

    Args:
        tree: T_C.
        ids: Ids of nodes of the tree.
        vectors: Shape (len(ids), d), the vectors that they were put in with.

    Raises:
        InputError: An id occurs twice or is not in the tree, or the vectors are of another width.
    """
    names, rows = in_order(ids, vectors)
    if not names:
        return tree
    place = {node: row for row, node in enumerate(tree.nodes)}
    if lost := next((name for name in names if name not in place), None):
        raise InputError(f"{lost!r} is not in the abstraction tree", "it was removed before")
    _require_fitting(tree, rows)
    gone = np.array([place[name] for name in names], dtype=np.intp)
    kept = np.ones(len(tree.nodes), dtype=bool)
    kept[gone] = False
    smaller = replace(
        tree,
        nodes=tuple(compress(tree.nodes, kept)),
        home=tree.home[kept],
        levels=_moved(tree, tree.home[gone], rows, sign=-1),
        changed=tree.changed + len(names),
    )
    return _without_empty(smaller)


def wear(tree: AbstractionTree) -> Wear:
    """How far a tree has moved since it was clustered; nothing for the tree of no nodes."""
    if not tree.levels:
        return Wear(growth=0.0, drift=0.0)
    level = tree.levels[0]
    cosines = np.einsum("ij,ij->i", level.built, level.centroids, dtype=np.float64)
    # Of a zero centroid nothing can be said; it did not drift where it was zero before.
    still = ~level.built.any(axis=1) & ~level.centroids.any(axis=1)
    apart = np.where(still, 0.0, 1.0 - cosines)
    drift = float(np.average(apart, weights=level.sizes))
    return Wear(growth=tree.changed / max(1, tree.built), drift=max(0.0, drift))


def needs_rebuild(tree: AbstractionTree, settings: AbstractionSettings) -> bool:
    """Whether growth or drift passed its bound, so that the tree should be clustered anew.

    A tree that lost all its nodes needs it as well: nothing can be inserted into it.
    """
    worn = wear(tree)
    return (
        worn.growth > settings.growth
        or worn.drift > settings.drift
        or (tree.changed > 0 and not tree.levels)
    )


def _moved(tree: AbstractionTree, groups: Groups, vectors: Vectors, sign: int) -> tuple[Level, ...]:
    """The levels with the vectors of some leaves added to, or taken from, all above them."""
    levels = []
    for level in tree.levels:
        sums, sizes = group_sums(vectors, groups, len(level))
        levels.append(
            replace(level, sums=level.sums + sign * sums, sizes=level.sizes + sign * sizes)
        )
        groups = level.parents[groups]
    return tuple(levels)


def _without_empty(tree: AbstractionTree) -> AbstractionTree:
    """The tree without clusters of no leaves; the empty one, worn, where none are left."""
    if not tree.nodes:
        return AbstractionTree(built=tree.built, changed=tree.changed)
    keeps = [level.sizes > 0 for level in tree.levels]
    if all(kept.all() for kept in keeps):
        return tree
    new_rows = [np.cumsum(kept) - 1 for kept in keeps]
    levels = []
    for number, (level, kept) in enumerate(zip(tree.levels, keeps, strict=True)):
        parents = level.parents[kept]
        levels.append(
            Level(
                ids=tuple(compress(level.ids, kept)),
                parents=parents if number + 1 == tree.depth else new_rows[number + 1][parents],
                sizes=level.sizes[kept],
                sums=level.sums[kept],
                built=level.built[kept],
                texts=tuple(compress(level.texts, kept)),
            )
        )
    return replace(tree, home=new_rows[0][tree.home], levels=tuple(levels))


def _require_fitting(tree: AbstractionTree, vectors: Vectors) -> None:
    if not tree.levels:
        raise InputError("the abstraction tree has no clusters yet", "build it from the nodes")
    if vectors.shape[1] != tree.dimensions:
        raise InputError(
            "the abstraction tree was built from another encoder's vectors",
            "build it anew from these nodes and this encoder",
        )
