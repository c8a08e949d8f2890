"""The provenance tree T_M: which method came from which (paper: method provenance).

parent(m_j) = argmax_i w_ij. Every other edge is kept as a supporting edge. Where the choices
close a circle, the circle loses its weakest edge and that child chooses again among the rest.

Ties are broken by content alone, so that two builds from the same edges agree: of equally heavy
in-edges the stronger is primary, and of those the one with the smallest parent id; of equally weak
edges of a circle the one with the smallest (child, parent) is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

from engine.model import Contribution


class Edge(Protocol):
    """A rated edge parent -> child: a :class:`engine.model.Contribution`, or a lighter value.

    A library has hundreds of thousands of edges; their sentences are made only where one is shown
    (:class:`engine.trees.evidence.EvidenceEdge`).
    """

    @property
    def parent(self) -> str:
        """Id of the node that contributes."""

    @property
    def child(self) -> str:
        """Id of the node that it contributes to."""

    @property
    def rating(self) -> int:
        """The rating r in 1..5."""

    @property
    def strength(self) -> float:
        """Tells edges of one rating apart, in [0, 1]."""

    @property
    def weight(self) -> float:
        """The weight w = (r - 1) / 4."""

    @property
    def explanation(self) -> str:
        """Why, as a sentence."""

    @property
    def operator(self) -> str:
        """The operator that made the edge."""


class Ancestry(Protocol):
    """Whatever knows the primary parents: all of T_M, or the saved chains alone."""

    def parent(self, node: str) -> str | None:
        """The primary parent of a node, or ``None`` at a root or an unknown node."""

    def ancestors(self, node: str, depth: int | None = None) -> tuple[Contribution, ...]:
        """The primary-parent chain of a node: edges from the node upwards, nearest first."""


@dataclass(frozen=True)
class ProvenanceTree:
    """T_M: a forest of primary edges over the method nodes, with the supporting edges beside it.

    Attributes:
        nodes: Ids of all nodes, sorted.
        primary: The primary edge into each node that has a parent, by child id.
        supporting: Surviving edges that are not primary, sorted by child and parent.
        lost: Edges that were given up to break a circle, in the order in which they were lost.
    """

    nodes: tuple[str, ...]
    primary: Mapping[str, Edge]
    supporting: tuple[Edge, ...]
    lost: tuple[Edge, ...]

    @property
    def roots(self) -> tuple[str, ...]:
        """The nodes without a parent, sorted."""
        return tuple(node for node in self.nodes if node not in self.primary)

    def parent(self, node: str) -> str | None:
        """The primary parent of a node, or ``None`` at a root or an unknown node."""
        edge = self.primary.get(node)
        return edge.parent if edge else None

    def children(self, node: str) -> tuple[str, ...]:
        """The nodes whose primary parent this is, sorted."""
        return self._children.get(node, ())

    def ancestors(self, node: str, depth: int | None = None) -> tuple[Contribution, ...]:
        """The primary-parent chain of a node: edges from the node upwards, nearest first.

        Args:
            node: Where the chain starts.
            depth: At most so many edges; all the way to the root if omitted.
        """
        chain: list[Contribution] = []
        while (edge := self.primary.get(node)) and (depth is None or len(chain) < depth):
            chain.append(as_contribution(edge))
            node = edge.parent
        return tuple(chain)

    def supporters(self, node: str) -> tuple[Edge, ...]:
        """The supporting edges into a node, by parent."""
        return self._supporters.get(node, ())

    @cached_property
    def _children(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for child in sorted(self.primary):
            found.setdefault(self.primary[child].parent, []).append(child)
        return {parent: tuple(children) for parent, children in found.items()}

    @cached_property
    def _supporters(self) -> dict[str, tuple[Edge, ...]]:
        found: dict[str, list[Edge]] = {}
        for edge in self.supporting:
            found.setdefault(edge.child, []).append(edge)
        return {child: tuple(edges) for child, edges in found.items()}


def as_contribution(edge: Edge) -> Contribution:
    """An edge as a value of the model."""
    if isinstance(edge, Contribution):
        return edge
    return Contribution(
        parent=edge.parent,
        child=edge.child,
        rating=edge.rating,
        strength=edge.strength,
        explanation=edge.explanation,
        operator=edge.operator,
    )


def build_provenance(nodes: Iterable[str], edges: Iterable[Edge]) -> ProvenanceTree:
    """Build T_M.

    Of several edges between the same ends the heaviest counts. Edges with an end outside the
    nodes, and edges from a node to itself, have no place in the tree and are left out; so T_M can
    be built for a part of the store.

    Args:
        nodes: Ids of the method nodes.
        edges: Contributions between them.
    """
    known = frozenset(nodes)
    incoming = _incoming(known, edges)
    primary = {child: choices[0] for child, choices in incoming.items()}
    lost: list[Edge] = []
    pending = sorted(primary)
    while circles := _circles(primary, pending):
        pending = []
        for circle in circles:
            weakest = min(circle, key=_weakness)
            lost.append(weakest)
            choices = incoming[weakest.child]
            choices.remove(weakest)
            del primary[weakest.child]
            if choices:
                primary[weakest.child] = choices[0]
                pending.append(weakest.child)
    return ProvenanceTree(
        nodes=tuple(sorted(known)),
        primary=MappingProxyType(primary),
        supporting=tuple(
            edge for child in sorted(incoming) for edge in _others(incoming[child], primary)
        ),
        lost=tuple(lost),
    )


def _incoming(known: frozenset[str], edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    """The usable edges into each node, the best choice of a parent first."""
    heaviest: dict[str, dict[str, Edge]] = {}
    for edge in edges:
        parent, child = edge.parent, edge.child
        if parent != child and parent in known and child in known:
            into = heaviest.setdefault(child, {})
            if parent not in into or _outweighs(edge, into[parent]):
                into[parent] = edge
    return {child: sorted(into.values(), key=_rank) for child, into in heaviest.items()}


def _outweighs(edge: Edge, other: Edge) -> bool:
    """Whether an edge counts rather than another one between the same ends."""
    one, two = _rank(edge), _rank(other)
    if one != two:
        return one < two
    return (edge.explanation, edge.operator) < (other.explanation, other.operator)


def _rank(edge: Edge) -> tuple[int, float, str]:
    return (-edge.rating, -edge.strength, edge.parent)


def _weakness(edge: Edge) -> tuple[int, float, str, str]:
    return (edge.rating, edge.strength, edge.child, edge.parent)


def _circles(primary: Mapping[str, Edge], starts: Iterable[str]) -> list[list[Edge]]:
    """The circles that the parent chains from these nodes run into, each once."""
    circles: list[list[Edge]] = []
    walk_of: dict[str, str] = {}
    for start in starts:
        node = start
        while node in primary and node not in walk_of:
            walk_of[node] = start
            node = primary[node].parent
        if node in primary and walk_of[node] == start:
            circles.append(_circle_through(primary, node))
    return circles


def _circle_through(primary: Mapping[str, Edge], node: str) -> list[Edge]:
    circle = [primary[node]]
    while circle[-1].parent != node:
        circle.append(primary[circle[-1].parent])
    return circle


def _others(edges: Iterable[Edge], primary: Mapping[str, Edge]) -> list[Edge]:
    return sorted(
        (edge for edge in edges if edge is not primary.get(edge.child)),
        key=lambda edge: edge.parent,
    )
