"""What a person reads about a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model import Label, MethodNode, NodeKind
from engine.settings import AbstractionSettings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import build_abstraction, cluster_nodes
from engine.trees.growth import insert
from engine.trees.summaries import ClusterFacts, summarised, symbolic_summary
from verifier.errors import InputError

TWO = AbstractionSettings(k_1=2, k_n=2, rounds=2)
AXES = np.eye(2, dtype=np.float32)


def node(name: str, statement: str = "a = a", symbols: tuple[str, ...] = ()) -> MethodNode:
    return MethodNode(
        id=f"M:{name}",
        kind=NodeKind.THEOREM,
        name=name,
        statement=statement,
        label=Label.ASSUMED,
        symbols=symbols,
    )


def alone(*nodes: MethodNode) -> AbstractionTree:
    """T_C with one cluster over some nodes and one over a stranger."""
    vectors = AXES[[0] * len(nodes) + [1]]
    return build_abstraction([*nodes, node("stranger", "s", ("Eq",))], vectors, TWO)


def text_of(tree: AbstractionTree, name: str) -> ClusterFacts:
    cluster = next(c for c in tree.level(1) if f"M:{name}" in c.members)
    return ClusterFacts(1, cluster.size, cluster.symbols, cluster.namespace, cluster.typical)


def test_symbols_are_those_that_set_the_cluster_apart() -> None:
    nodes = [node(f"t{i}", symbols=("Eq", "List.append", "instAppend")) for i in range(4)]
    assert text_of(alone(*nodes), "t0").symbols == ("List.append", "Eq")


def test_instances_are_named_where_there_is_nothing_else() -> None:
    assert text_of(alone(node("t", symbols=("instFoo",))), "t").symbols == ("instFoo",)


@pytest.mark.parametrize(
    ("names", "namespace"),
    [
        (["List.map.a", "List.map.b", "List.c"], "List.map"),
        (["List.map.a", "List.b", "Array.c"], "List"),
        (["List.a", "Array.b"], ""),
        (["a", "b"], ""),
        (["A.«x.y».b", "A.«x.y».c"], "A.«x.y»"),
        (["_private.Init.Data.0.List.a", "List.b"], "List"),
    ],
)
def test_the_namespace_is_the_deepest_that_most_share(names: list[str], namespace: str) -> None:
    assert text_of(alone(*map(node, names)), names[0]).namespace == namespace


def test_typical_statements_are_central_short_and_different() -> None:
    angles = [0.0, 0.05, -0.05, 0.3, -0.4]
    vectors = np.array([[np.cos(a), np.sin(a)] for a in angles] + [[-1.0, 0.0]], dtype=np.float32)
    nodes = [
        node("mid", f"mid.{{u, v}} (x : α) :\n  {'x + ' * 40}x = x"),
        node("near", "(x : α) : g x"),
        node("copy", "near (x : α) : g x").model_copy(update={"name": None}),
        node("far", "h"),
        node("further", "i"),
        node("stranger"),
    ]
    typical = text_of(build_abstraction(nodes, vectors, TWO), "mid").typical
    assert typical[0].startswith("mid (x : α) : x + x") and typical[0].endswith("…")
    assert len(typical[0]) == 120 and typical[1:] == ("near (x : α) : g x", "far h")


def test_the_sentence_names_constants_from_within_the_namespace() -> None:
    facts = ClusterFacts(1, 2, ("List", "List.map", "Eq"), "List", ("s", "t"))
    assert symbolic_summary(facts) == "List: map, Eq — s"
    assert symbolic_summary(ClusterFacts(1, 1, (), "", ("s",))) == "s"
    assert symbolic_summary(ClusterFacts(1, 1, ("f",), "", ())) == "f"


def test_a_summariser_can_be_plugged_in() -> None:
    seen: list[ClusterFacts] = []

    def model(facts: ClusterFacts) -> str:
        seen.append(facts)
        return f"  about\n{facts.size} things "

    nodes = [node("A.a", symbols=("f",)), node("A.b", symbols=("f",)), node("c")]
    tree = build_abstraction(nodes, AXES[[0, 0, 1]], TWO, model)
    assert [c.summary for c in tree.clusters].count("about 2 things") == 2
    assert sorted(f.level for f in seen) == [1, 1, 2, 2]


def test_higher_levels_add_up_what_lies_below() -> None:
    vectors = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    nodes = [node(f"A.t{i}", f"s{i}", symbols=(f"f{i}", "g")) for i in range(3)]
    shape = AbstractionSettings(k_1=3, k_n=1, k_min=1, rounds=2)
    (root,) = build_abstraction(nodes, vectors, shape).roots
    assert root.symbols == ("f0", "f1", "f2", "g") and root.namespace == "A"
    assert set(root.typical) == {"A.t0 s0", "A.t1 s1", "A.t2 s2"}


def test_nodes_may_come_from_a_file_and_more_than_are_needed() -> None:
    nodes = [node("a", symbols=("f",)), node("b", symbols=("g",))]
    bare = cluster_nodes(["M:a", "M:b"], AXES, TWO)
    assert bare.level(1)[0].summary == ""
    told = summarised(bare, (n for n in [node("c"), *nodes]), AXES)
    assert told == build_abstraction(nodes, AXES, TWO)
    with pytest.raises(InputError, match="'M:b'"):
        summarised(bare, nodes[:1], AXES)


def test_summaries_are_made_anew_after_an_insertion() -> None:
    nodes = [node("a", symbols=("f",)), node("b", symbols=("g",))]
    tree = insert(build_abstraction(nodes, AXES, TWO), ["M:c", "M:d"], AXES[[0, 0]])
    more = [*nodes, node("c", symbols=("h",)), node("d", symbols=("h",))]
    again = summarised(tree, more, AXES[[0, 1, 0, 0]])
    assert text_of(again, "c").symbols[0] == "h" and text_of(tree, "c").symbols == ("f",)
