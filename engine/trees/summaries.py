"""Summaries s(c) of clusters that a person can read (paper: abstraction tree).

One pass over the nodes counts constants and namespaces for the clusters above the leaves; higher
levels add them up. The sentence itself comes from a summariser, so that a language model can write
it; the default one needs none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, Self

import numpy as np

from engine.model import MethodNode
from engine.trees.abstraction import AbstractionTree, Level
from engine.trees.cluster import ClusterText
from engine.trees.clustering import Groups, Vectors
from verifier.errors import InputError

_SYMBOLS: Final = 5
_TYPICAL: Final = 3
_CANDIDATES: Final = 8  # central nodes looked at for three different statements
_LENGTH: Final = 120
_CHUNK: Final = 65_536
_UNIVERSES: Final = re.compile(r"^\.\{[^}]*\}")
_COMPONENT: Final = re.compile(r"«[^»]*»|[^.]+")


@dataclass(frozen=True)
class ClusterFacts:
    """What is known of a cluster when its summary is written.

    Attributes:
        level: 1 directly above the method nodes.
        size: Number of method nodes below it.
        symbols: The constants that set it apart, most telling first.
        namespace: The deepest namespace that most of its declarations share; may be empty.
        typical: Two or three of its most central statements, shortened.
    """

    level: int
    size: int
    symbols: tuple[str, ...]
    namespace: str
    typical: tuple[str, ...]


Summariser = Callable[[ClusterFacts], str]
"""Makes s(c), one line, of what is known of a cluster."""


def symbolic_summary(facts: ClusterFacts) -> str:
    """s(c) without a model: ``namespace: constants — the most central statement``.

    Constants of the namespace are named from within it.

    Example:
        >>> symbolic_summary(ClusterFacts(1, 2, ("N.f", "g"), "N", ("t : N.f a = g a",)))
        'N: f, g — t : N.f a = g a'
    """
    inside = f"{facts.namespace}." if facts.namespace else ""
    told = [symbol.removeprefix(inside) for symbol in facts.symbols if symbol != facts.namespace]
    about = ": ".join(filter(None, (facts.namespace, ", ".join(told))))
    return " — ".join(filter(None, (about, *facts.typical[:1])))


def summarised(
    tree: AbstractionTree,
    nodes: Iterable[MethodNode],
    vectors: Vectors,
    summariser: Summariser = symbolic_summary,
) -> AbstractionTree:
    """The same tree with a text for each cluster, made anew from its present leaves.

    Args:
        tree: T_C.
        nodes: The method nodes in whatever order, others among them are passed over; read once,
            so that they may come from a file.
        vectors: Shape (N, d), the vectors of ``tree.nodes`` in that order.
        summariser: Makes s(c) of what is known of a cluster.

    Raises:
        InputError: A node of the tree is missing.
    """
    central = [
        _central(vectors, groups, level)
        for groups, level in zip(tree.groups(), tree.levels, strict=True)
    ]
    wanted = {row for clusters in central for rows in clusters for row in rows}
    tallies, statements = _read(tree, nodes, wanted)
    frequency = _Frequency.of(tallies, len(tree.nodes))
    levels = []
    for number, level in enumerate(tree.levels):
        typical = [[statements[leaf] for leaf in leaves] for leaves in central[number]]
        texts = tuple(
            _text(_facts(level, row, number + 1, tally, frequency, typical[row]), summariser)
            for row, tally in enumerate(tallies)
        )
        levels.append(replace(level, texts=texts))
        tallies = _merged(tallies, level)
    return replace(tree, levels=tuple(levels))


@dataclass
class _Tally:
    """How many nodes of a cluster mention a constant, and how many lie in a namespace."""

    symbols: Counter[str] = field(default_factory=Counter)
    namespaces: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Frequency:
    """How many of all nodes mention each constant."""

    counts: Counter[str]
    nodes: int

    @classmethod
    def of(cls, tallies: Iterable[_Tally], nodes: int) -> Self:
        counts: Counter[str] = Counter()
        for tally in tallies:
            counts.update(tally.symbols)
        return cls(counts, nodes)

    def rarity(self, symbol: str) -> float:
        """The smoothed inverse document frequency."""
        return math.log((1 + self.nodes) / (0.5 + self.counts[symbol]))


def _read(
    tree: AbstractionTree, nodes: Iterable[MethodNode], wanted: set[int]
) -> tuple[list[_Tally], dict[int, str]]:
    """The tallies of level 1, and the statements of the wanted places, in one pass."""
    place = {node: row for row, node in enumerate(tree.nodes)}
    tallies = [_Tally() for _ in range(len(tree.levels[0]) if tree.levels else 0)]
    statements: dict[int, str] = {}
    for node in nodes:
        row = place.pop(node.id, None)
        if row is None:
            continue
        tally = tallies[tree.home[row]]
        tally.symbols.update(set(node.symbols))
        tally.namespaces.update(_namespaces(node.name or ""))
        if row in wanted:
            statements[row] = _shortened(node)
    if place:
        raise InputError(
            f"the tree holds {min(place)!r}, which is not among the nodes",
            "summarise it with the nodes that it was built from",
        )
    return tallies, statements


def _facts(
    level: Level,
    row: int,
    number: int,
    tally: _Tally,
    frequency: _Frequency,
    typical: Sequence[str],
) -> ClusterFacts:
    size = int(level.sizes[row])
    return ClusterFacts(
        level=number,
        size=size,
        symbols=_dominant(tally.symbols, frequency),
        namespace=_shared(tally.namespaces, size),
        typical=tuple(dict.fromkeys(typical))[:_TYPICAL],
    )


def _merged(below: Sequence[_Tally], level: Level) -> list[_Tally]:
    """The tallies of the next level."""
    above = [_Tally() for _ in range(int(level.parents.max(initial=-1)) + 1)]
    for tally, parent in zip(below, level.parents, strict=True):
        if parent >= 0:
            above[parent].symbols.update(tally.symbols)
            above[parent].namespaces.update(tally.namespaces)
    return above


def _central(vectors: Vectors, groups: Groups, level: Level) -> list[list[int]]:
    """For each cluster the places of its most central nodes, nearest to its centroid first."""
    cosines = np.concatenate(
        [
            np.einsum("ij,ij->i", vectors[start:end], level.centroids[groups[start:end]])
            for start in range(0, len(groups), _CHUNK)
            for end in (start + _CHUNK,)
        ]
    )
    order = np.lexsort((np.arange(len(groups)), -cosines, groups))
    starts = np.searchsorted(groups[order], np.arange(len(level) + 1))
    return [
        order[start : min(end, start + _CANDIDATES)].tolist() for start, end in pairwise(starts)
    ]


def _dominant(counts: Counter[str], frequency: _Frequency) -> tuple[str, ...]:
    """The constants that are frequent here and not everywhere: by count times rarity.

    Instances, which Lean mostly names itself, are shown only where there is nothing else.
    """
    telling = {s: n for s, n in counts.items() if not _is_generated(s)} or counts

    def rank(symbol: str) -> tuple[float, str]:
        return (-telling[symbol] * frequency.rarity(symbol), symbol)

    return tuple(sorted(telling, key=rank)[:_SYMBOLS])


def _is_generated(symbol: str) -> bool:
    last = _COMPONENT.findall(symbol)[-1:]
    return bool(last) and last[0] != "inst" and last[0].startswith(("inst", "_"))


def _namespaces(name: str) -> Iterator[str]:
    """``A`` and ``A.B`` for ``A.B.c``; what marks a private name is left out."""
    parts = _COMPONENT.findall(name)
    if "0" in parts and parts[0] == "_private":
        parts = parts[parts.index("0") + 1 :]
    for end in range(1, len(parts)):
        yield ".".join(parts[:end])


def _shared(namespaces: Counter[str], size: int) -> str:
    """The deepest namespace that more than half of the nodes lie in: there is one at a depth."""
    shared = [namespace for namespace, count in namespaces.items() if 2 * count > size]
    return max(shared, key=len, default="")


def _shortened(node: MethodNode) -> str:
    name = node.name or ""
    statement = " ".join(node.statement.split()).removeprefix(name)
    statement = f"{name} {_UNIVERSES.sub('', statement).lstrip()}".lstrip()
    return statement if len(statement) <= _LENGTH else statement[: _LENGTH - 1] + "…"


def _text(facts: ClusterFacts, summariser: Summariser) -> ClusterText:
    return ClusterText(
        summary=" ".join(summariser(facts).split()),
        symbols=facts.symbols,
        namespace=facts.namespace,
        typical=facts.typical,
    )
