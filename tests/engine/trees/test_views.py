"""Both trees as networkx graphs and as files."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.settings import AbstractionSettings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import build_abstraction
from engine.trees.provenance import build_provenance
from engine.trees.views import abstraction_graph, provenance_graph, write_graphml, write_json

ODD = ["List.«a b»", 'x & <y> "z"', "two\nlines", "tab\there", "ctl\x01\x1f", "cr\rlf", "\ufffe😀"]


def node(name: str, statement: str = "s") -> MethodNode:
    return MethodNode(
        id=f"M:{name}", kind=NodeKind.THEOREM, name=name, statement=statement, label=Label.ASSUMED
    )


def edge(parent: str, child: str, rating: int, explanation: str = "used") -> Contribution:
    return Contribution(parent=parent, child=child, rating=rating, explanation=explanation)


@pytest.fixture
def nodes() -> list[MethodNode]:
    return [node(name, f"statement of {name}") for name in ODD]


@pytest.fixture
def tree(nodes: list[MethodNode]) -> AbstractionTree:
    vectors = np.eye(len(nodes), dtype=np.float32)
    return build_abstraction(nodes, vectors, AbstractionSettings(k_1=4, k_n=2, rounds=2))


def test_provenance_keeps_both_kinds_of_edges() -> None:
    tree = build_provenance("abc", [edge("a", "c", 2), edge("b", "c", 4)])
    graph = provenance_graph(tree)
    assert set(graph) == {"a", "b", "c"}
    assert graph.edges["b", "c"] == {
        "weight": 0.75,
        "rating": 4,
        "strength": 0.0,
        "explanation": "used",
        "operator": "",
        "primary": True,
    }
    assert graph.edges["a", "c"]["primary"] is False
    primary = [(u, v) for u, v, chosen in graph.edges(data="primary") if chosen]
    assert networkx.is_forest(networkx.DiGraph(primary))


def test_nodes_carry_what_is_known_of_them(nodes: list[MethodNode]) -> None:
    tree = build_provenance([n.id for n in nodes], [])
    graph = provenance_graph(tree, [*nodes, node("elsewhere")])
    assert set(graph) == {n.id for n in nodes}
    assert graph.nodes["M:two\nlines"] == {
        "kind": "theorem",
        "label": "assumed",
        "name": "two\nlines",
        "module": "",
        "statement": "statement of two\nlines",
    }


def test_abstraction_is_a_forest_from_the_roots_to_the_nodes(
    tree: AbstractionTree, nodes: list[MethodNode]
) -> None:
    graph = abstraction_graph(tree, nodes)
    assert networkx.is_branching(graph)
    assert {n for n in graph if graph.in_degree(n) == 0} == {f"cluster:{c.id}" for c in tree.roots}
    assert {n for n in graph if graph.out_degree(n) == 0} == set(tree.nodes)
    for cluster in tree.clusters:
        carried = graph.nodes[f"cluster:{cluster.id}"]
        assert (carried["level"], carried["size"]) == (cluster.level, cluster.size)
        assert carried["summary"] == cluster.summary != ""
        below = networkx.descendants(graph, f"cluster:{cluster.id}")
        assert {n for n in below if graph.nodes[n]["level"] == 0} == set(tree.leaves(cluster.id))


def test_graphml_comes_back_but_for_what_xml_cannot_write(
    tree: AbstractionTree, nodes: list[MethodNode], tmp_path: Path
) -> None:
    graph = abstraction_graph(tree, nodes)
    write_graphml(graph, tmp_path / "tree.graphml")
    back = networkx.read_graphml(tmp_path / "tree.graphml")
    escaped = {
        "M:ctl\x01\x1f": "M:ctl\\u0001\\u001f",
        "M:cr\rlf": "M:cr\\u000dlf",
        "M:\ufffe😀": "M:\\ufffe😀",
    }
    assert set(back) == {escaped.get(n, n) for n in graph}
    assert {(u, v) for u, v in back.edges} == {
        (escaped.get(u, u), escaped.get(v, v)) for u, v in graph.edges
    }
    for name in graph:
        if name not in escaped and graph.nodes[name]["level"] == 0:
            assert back.nodes[name] == graph.nodes[name]
    assert back.nodes["M:cr\\u000dlf"]["statement"] == "statement of cr\\u000dlf"


def test_json_comes_back_whole(
    tree: AbstractionTree, nodes: list[MethodNode], tmp_path: Path
) -> None:
    graph = abstraction_graph(tree, nodes)
    write_json(graph, tmp_path / "tree.json")
    data = orjson.loads((tmp_path / "tree.json").read_bytes())
    back = networkx.node_link_graph(data, edges="edges")
    assert back.nodes == graph.nodes and back.edges == graph.edges
    assert back.graph == {"tree": "abstraction"}


def test_a_lone_surrogate_does_not_stop_the_export(tmp_path: Path) -> None:
    graph = provenance_graph(build_provenance(["a\ud800"], []))
    write_json(graph, tmp_path / "t.json")
    write_graphml(graph, tmp_path / "t.graphml")
    (found,) = networkx.read_graphml(tmp_path / "t.graphml")
    assert found == "a\\ud800"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1, max_size=4))
def test_any_text_can_be_written(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("views")
    names = sorted({name for name, _ in texts})
    edges = [edge(names[0], name, 3, why) for name, why in texts if name != names[0]]
    graph = provenance_graph(build_provenance(names, edges))
    write_graphml(graph, folder / "t.graphml")
    write_json(graph, folder / "t.json")
    back = networkx.read_graphml(folder / "t.graphml")
    assert len(back) == len(graph) and len(back.edges) == len(graph.edges)


def test_the_empty_trees_have_empty_graphs(tmp_path: Path) -> None:
    for graph in (abstraction_graph(AbstractionTree()), provenance_graph(build_provenance([], []))):
        write_graphml(graph, tmp_path / "t.graphml")
        assert len(networkx.read_graphml(tmp_path / "t.graphml")) == 0
