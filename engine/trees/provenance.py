"""The provenance tree T_M: which method came from which (paper: method provenance).

parent(m_j) = argmax_i w_ij. Every other edge is kept as a supporting edge. Where the choices
close a circle, the circle loses its weakest edge and that child chooses again among the rest.

Ties are broken by content alone, so that two builds from the same edges agree: of equally heavy
in-edges the one with the smallest parent id is primary; of equally weak edges of a circle the one
with the smallest (child, parent) is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.model import Contribution

if TYPE_CHECKING:
    import networkx


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
    primary: Mapping[str, Contribution]
    supporting: tuple[Contribution, ...]
    lost: tuple[Contribution, ...]

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
            chain.append(edge)
            node = edge.parent
        return tuple(chain)

    @cached_property
    def _children(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for child in sorted(self.primary):
            found.setdefault(self.primary[child].parent, []).append(child)
        return {parent: tuple(children) for parent, children in found.items()}


def build_provenance(nodes: Iterable[str], edges: Iterable[Contribution]) -> ProvenanceTree:
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
    lost: list[Contribution] = []
    pending = sorted(primary)
    while circles := _circles(primary, pending):
        pending = []
        for circle in circles:
            weakest = min(circle, key=lambda edge: (edge.weight, edge.child, edge.parent))
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


def as_digraph(tree: ProvenanceTree) -> networkx.DiGraph[str]:
    """T_M with its supporting edges as a graph, parent to child.

    Edges carry ``weight``, ``rating``, ``explanation``, ``operator`` and ``primary`` (whether the
    edge belongs to the tree). The primary edges alone are acyclic; with the supporting ones the
    graph need not be.
    """
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(tree.nodes)
    for edges, primary in ((tree.supporting, False), (tree.primary.values(), True)):
        for edge in edges:
            graph.add_edge(
                edge.parent,
                edge.child,
                weight=edge.weight,
                rating=edge.rating,
                explanation=edge.explanation,
                operator=edge.operator,
                primary=primary,
            )
    return graph


def _incoming(
    known: frozenset[str], edges: Iterable[Contribution]
) -> dict[str, list[Contribution]]:
    """The usable edges into each node, the best choice of a parent first."""
    heaviest: dict[tuple[str, str], Contribution] = {}
    for edge in edges:
        usable = edge.parent in known and edge.child in known and edge.parent != edge.child
        ends = (edge.child, edge.parent)
        if usable and (ends not in heaviest or _rank(edge) < _rank(heaviest[ends])):
            heaviest[ends] = edge
    incoming: dict[str, list[Contribution]] = {}
    for edge in sorted(heaviest.values(), key=_rank):
        incoming.setdefault(edge.child, []).append(edge)
    return incoming


def _rank(edge: Contribution) -> tuple[float, str, str, str]:
    return (-edge.weight, edge.parent, edge.explanation, edge.operator)


def _circles(
    primary: Mapping[str, Contribution], starts: Iterable[str]
) -> list[list[Contribution]]:
    """The circles that the parent chains from these nodes run into, each once."""
    circles: list[list[Contribution]] = []
    walk_of: dict[str, str] = {}
    for start in starts:
        node = start
        while node in primary and node not in walk_of:
            walk_of[node] = start
            node = primary[node].parent
        if node in primary and walk_of[node] == start:
            circles.append(_circle_through(primary, node))
    return circles


def _circle_through(primary: Mapping[str, Contribution], node: str) -> list[Contribution]:
    circle = [primary[node]]
    while circle[-1].parent != node:
        circle.append(primary[circle[-1].parent])
    return circle


def _others(
    edges: Iterable[Contribution], primary: Mapping[str, Contribution]
) -> list[Contribution]:
    return sorted(
        (edge for edge in edges if edge is not primary.get(edge.child)),
        key=lambda edge: edge.parent,
    )
