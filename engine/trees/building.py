"""How T_C is made: from nodes, or from ids and vectors alone (paper: abstraction tree)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.model import MethodNode
from engine.settings import AbstractionSettings
from engine.trees.abstraction import AbstractionTree, Level
from engine.trees.clustering import Groups, Vectors, cluster_levels, group_sums, unit
from engine.trees.identity import carried_names, new_names
from engine.trees.summaries import Summariser, summarised, symbolic_summary
from verifier.errors import InputError


def build_abstraction(
    nodes: Sequence[MethodNode],
    vectors: Vectors,
    settings: AbstractionSettings,
    summariser: Summariser = symbolic_summary,
) -> AbstractionTree:
    """Build T_C with summaries. The same nodes, vectors and seed give the same tree, in any order.

    Args:
        nodes: The method nodes, each id once.
        vectors: Shape (len(nodes), d), float32, unit rows: v(sum(m)) of each node.
        settings: K_1, K_n, K_min, rounds and seed.
        summariser: Makes s(c) of what is known of a cluster.

    Raises:
        InputError: Nodes and vectors are not equally many, or an id occurs twice.
    """
    ids, rows = in_order([node.id for node in nodes], vectors)
    return summarised(cluster_nodes(ids, rows, settings), nodes, rows, summariser)


def cluster_nodes(
    ids: Sequence[str],
    vectors: Vectors,
    settings: AbstractionSettings,
    previous: AbstractionTree | None = None,
) -> AbstractionTree:
    """Build T_C without summaries, from ids and vectors alone, in whatever order they come.

    The partition depends on ids, vectors and settings only. With a previous tree the new clusters
    take over the names of the old ones that they are most alike, see :mod:`engine.trees.identity`.

    Args:
        ids: Ids of the method nodes, each once.
        vectors: Shape (len(ids), d), float32, unit or zero rows.
        settings: K_1, K_n, K_min, rounds, seed, and the bound for taking over a name.
        previous: The tree that this one replaces.

    Raises:
        InputError: Ids and vectors are not equally many, or an id occurs twice.
    """
    nodes, rows = in_order(ids, vectors)
    if not nodes:
        return AbstractionTree()
    old = _Old(previous or AbstractionTree(), nodes, settings.keep_id)
    levels: list[Level] = []
    placed: list[Groups] = []
    for groups in cluster_levels(rows, settings):
        names = _names(len(levels) + 1, nodes, groups, old)
        order = sorted(range(len(names)), key=names.__getitem__)
        placed.append(np.argsort(order)[groups])
        levels.append(_level([names[group] for group in order], rows, placed[-1]))
    return AbstractionTree(
        nodes=nodes, home=placed[0], levels=tuple(_linked(levels, placed)), built=len(nodes)
    )


def in_order(ids: Sequence[str], vectors: Vectors) -> tuple[tuple[str, ...], Vectors]:
    """Ids and vectors in the order of the ids; the very same ones if they are in order already.

    Raises:
        InputError: Ids and vectors are not equally many, or an id occurs twice.
    """
    if len(ids) != len(vectors):
        raise InputError(
            f"{len(ids)} nodes came with {len(vectors)} vectors", "encode the nodes once more"
        )
    order = sorted(range(len(ids)), key=ids.__getitem__)
    names = tuple(ids[index] for index in order)
    if any(here == following for here, following in pairwise(names)):
        raise InputError("a node occurs twice", "give each node once")
    return names, vectors if order == list(range(len(ids))) else vectors[order]


class _Old:
    """The tree that is replaced, seen from the nodes of the new one."""

    def __init__(self, tree: AbstractionTree, nodes: Sequence[str], bound: float) -> None:
        self._tree = tree
        self._bound = bound
        # One place for every leaf of either tree: first the new ones, then those that are gone.
        place = {node: row for row, node in enumerate(nodes)}
        gone = (node for node in tree.nodes if node not in place)
        place.update((node, row) for row, node in enumerate(gone, start=len(nodes)))
        self._rows = np.array([place[node] for node in tree.nodes], dtype=np.intp)
        self._count = len(place)
        self._groups = list(tree.groups())

    def names(self, level: int) -> tuple[str, ...]:
        """The names of its clusters of a level."""
        return self._tree.levels[level - 1].ids if level <= self._tree.depth else ()

    def carried(self, level: int, groups: Groups) -> list[str | None]:
        """For each new cluster the name that it takes over, if any."""
        count = int(groups.max()) + 1
        if level > self._tree.depth:
            return [None] * count
        before = np.full(self._count, -1, dtype=np.intp)
        before[self._rows] = self._groups[level - 1]
        after = np.full(self._count, -1, dtype=np.intp)
        after[: len(groups)] = groups
        return carried_names(before, self.names(level), after, count, self._bound)


def _names(level: int, nodes: Sequence[str], groups: Groups, old: _Old) -> list[str]:
    """The name of each group: taken over, or new."""
    carried = old.carried(level, groups)
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(len(carried) + 1))
    members = ([nodes[row] for row in order[start:end]] for start, end in pairwise(starts))
    fresh = new_names(level, members, frozenset(old.names(level)))
    return [kept or new for kept, new in zip(carried, fresh, strict=True)]


def _level(ids: Sequence[str], vectors: Vectors, groups: Groups) -> Level:
    sums, sizes = group_sums(vectors, groups)
    roots = np.full(len(ids), -1, dtype=np.intp)
    return Level(ids=tuple(ids), parents=roots, sizes=sizes, sums=sums, built=unit(sums))


def _linked(levels: Sequence[Level], placed: Sequence[Groups]) -> Iterator[Level]:
    """The levels with the parent of each cluster, which all its leaves share."""
    for number, level in enumerate(levels):
        if number + 1 < len(levels):
            parents = np.empty(len(level), dtype=np.intp)
            parents[placed[number]] = placed[number + 1]
            level = replace(level, parents=parents)
        yield level
