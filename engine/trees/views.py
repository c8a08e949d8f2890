"""Both trees as networkx graphs, and as files that other programs read (GraphML, JSON).

Nodes and edges carry scalars only (text, numbers, truth values), as GraphML demands; lists are
joined by ``; ``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from engine.derived import writing
from engine.model import MethodNode
from engine.trees.abstraction import AbstractionTree
from engine.trees.provenance import ProvenanceTree

if TYPE_CHECKING:
    import networkx

Scalar = str | int | float | bool

_NOT_UNICODE: Final = re.compile("[\ud800-\udfff]")
# XML has no way to write these; a carriage return would be read back as a line feed.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")


def provenance_graph(
    tree: ProvenanceTree, nodes: Iterable[MethodNode] = ()
) -> networkx.DiGraph[str]:
    """T_M with its supporting edges as a graph, parent to child.

    Edges carry ``weight``, ``rating``, ``strength``, ``explanation``, ``operator`` and ``primary``
    (whether the edge belongs to the tree). The primary edges alone are acyclic; with the supporting
    ones the graph need not be.

    Args:
        tree: T_M.
        nodes: Those of its nodes that are to carry ``kind``, ``label``, ``name``, ``module`` and
            ``statement``.
    """
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph(tree="provenance")
    graph.add_nodes_from(tree.nodes)
    _describe(graph, nodes)
    for edges, primary in ((tree.supporting, False), (tree.primary.values(), True)):
        for edge in edges:
            graph.add_edge(
                edge.parent,
                edge.child,
                weight=edge.weight,
                rating=edge.rating,
                strength=edge.strength,
                explanation=edge.explanation,
                operator=edge.operator,
                primary=primary,
            )
    return graph


def abstraction_graph(
    tree: AbstractionTree, nodes: Iterable[MethodNode] = ()
) -> networkx.DiGraph[str]:
    """T_C as a graph, cluster to child, with the method nodes as leaves.

    Clusters carry ``level``, ``size``, ``summary``, ``symbols``, ``namespace`` and ``typical``;
    leaves carry ``level`` 0. A cluster's name in the graph is ``cluster:`` and its id.

    Args:
        tree: T_C.
        nodes: Those of its nodes that are to carry ``kind``, ``label``, ``name``, ``module`` and
            ``statement``.
    """
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph(tree="abstraction")
    names = [[f"cluster:{cluster}" for cluster in level.ids] for level in tree.levels]
    for number, level in enumerate(tree.levels, start=1):
        for row, name in enumerate(names[number - 1]):
            text = level.text(row)
            graph.add_node(
                name,
                level=number,
                size=int(level.sizes[row]),
                summary=text.summary,
                symbols="; ".join(text.symbols),
                namespace=text.namespace,
                typical="; ".join(text.typical),
            )
            if (parent := int(level.parents[row])) >= 0:
                graph.add_edge(names[number][parent], name)
    graph.add_nodes_from(tree.nodes, level=0)
    for node, row in zip(tree.nodes, tree.home.tolist(), strict=True):
        graph.add_edge(names[0][row], node)
    _describe(graph, nodes)
    return graph


def write_graphml(graph: networkx.DiGraph[str], path: Path) -> None:
    r"""Write a graph as GraphML. A character that XML forbids is written as its code, ``\u0000``.

    Raises:
        StorageError: The file cannot be written.
    """
    import networkx

    with writing(path) as temporary:
        networkx.write_graphml_xml(_escaped(graph, _NOT_XML), temporary, prettyprint=False)


def write_json(graph: networkx.DiGraph[str], path: Path) -> None:
    """Write a graph as JSON, nodes and links, as ``networkx.node_link_graph`` reads it.

    Raises:
        StorageError: The file cannot be written.
    """
    import networkx

    data = networkx.node_link_data(_escaped(graph, _NOT_UNICODE), edges="edges")
    with writing(path) as temporary:
        temporary.write_bytes(orjson.dumps(data))


def _describe(graph: networkx.DiGraph[str], nodes: Iterable[MethodNode]) -> None:
    for node in nodes:
        if node.id in graph:
            graph.nodes[node.id].update(
                kind=node.kind.value,
                label=node.label.value,
                name=node.name or "",
                module=node.module,
                statement=node.statement,
            )


def _escaped(graph: networkx.DiGraph[str], forbidden: re.Pattern[str]) -> networkx.DiGraph[str]:
    r"""The graph with every forbidden character written as its code, ``\u0000``."""
    if not any(forbidden.search(text) for text in _texts(graph)):
        return graph
    import networkx

    def clean(value: Scalar) -> Scalar:
        if not isinstance(value, str):
            return value
        return forbidden.sub(lambda found: f"\\u{ord(found[0]):04x}", value)

    def attributes(data: Mapping[str, Scalar]) -> dict[str, Scalar]:
        return {key: clean(value) for key, value in data.items()}

    escaped: networkx.DiGraph[str] = networkx.DiGraph(**graph.graph)
    escaped.add_nodes_from((clean(node), attributes(data)) for node, data in graph.nodes(data=True))
    escaped.add_edges_from(
        (clean(parent), clean(child), attributes(data))
        for parent, child, data in graph.edges(data=True)
    )
    return escaped


def _texts(graph: networkx.DiGraph[str]) -> Iterator[str]:
    """The names of the nodes, and all texts that nodes and edges carry."""
    yield from graph
    carried = (
        *(data for _, data in graph.nodes(data=True)),
        *(data for _, _, data in graph.edges(data=True)),
    )
    for data in carried:
        yield from (value for value in data.values() if isinstance(value, str))
