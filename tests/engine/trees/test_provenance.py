from __future__ import annotations

import random
from itertools import pairwise

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Contribution
from engine.trees.evidence import Evidence, Shares
from engine.trees.evidence import edge as evidence_edge
from engine.trees.provenance import as_contribution, build_provenance

NODES = tuple("abcdefgh")


def edge(parent: str, child: str, rating: int, strength: float = 0.0) -> Contribution:
    return Contribution(
        parent=parent, child=child, rating=rating, strength=strength, explanation="used"
    )


edges = st.lists(
    st.builds(
        edge,
        st.sampled_from(NODES),
        st.sampled_from(NODES),
        st.integers(1, 5),
        st.sampled_from((0.0, 0.25, 0.5)),
    ),
    max_size=40,
)


def test_the_heaviest_edge_makes_the_parent() -> None:
    tree = build_provenance("abc", [edge("a", "c", 2), edge("b", "c", 4)])
    assert tree.parent("c") == "b"
    assert [e.parent for e in tree.supporting] == ["a"]
    assert tree.roots == ("a", "b")
    assert tree.children("b") == ("c",) and tree.children("a") == ()


def test_a_tie_goes_to_the_smallest_parent() -> None:
    tree = build_provenance("abc", [edge("b", "c", 3), edge("a", "c", 3)])
    assert tree.parent("c") == "a"


def test_of_equally_heavy_edges_the_stronger_makes_the_parent() -> None:
    tree = build_provenance("abc", [edge("a", "c", 3, 0.2), edge("b", "c", 3, 0.4)])
    assert tree.parent("c") == "b"
    assert [e.parent for e in tree.supporters("c")] == ["a"] and tree.supporters("b") == ()


def test_edges_with_evidence_and_contributions_make_one_tree() -> None:
    light = evidence_edge("a", "b", "a", Evidence(in_statement=2), Shares({}, 0))
    tree = build_provenance("abc", [light, edge("b", "c", 5)])
    assert [e.explanation for e in tree.ancestors("c")] == [
        "used",
        "a occurs twice in the statement of b.",
    ]
    assert tree.ancestors("b") == (as_contribution(light),)


def test_of_equally_heavy_edges_a_circle_loses_the_weaker() -> None:
    tree = build_provenance("ab", [edge("a", "b", 3, 0.4), edge("b", "a", 3, 0.2)])
    assert [(e.parent, e.child) for e in tree.lost] == [("b", "a")]


def test_a_circle_loses_its_weakest_edge() -> None:
    tree = build_provenance(
        "abc", [edge("a", "b", 5), edge("b", "c", 5), edge("c", "a", 2), edge("b", "a", 1)]
    )
    assert [(e.parent, e.child) for e in tree.lost] == [("c", "a"), ("b", "a")]
    assert tree.roots == ("a",)
    assert [e.parent for e in tree.ancestors("c")] == ["b", "a"]
    assert [e.parent for e in tree.ancestors("c", depth=1)] == ["b"]


def test_edges_from_elsewhere_and_loops_are_left_out() -> None:
    tree = build_provenance("ab", [edge("a", "a", 5), edge("z", "b", 5), edge("a", "b", 1)])
    assert tree.parent("b") == "a" and tree.supporting == () and tree.lost == ()


@pytest.mark.parametrize("nodes", ["", "a"])
def test_few_nodes(nodes: str) -> None:
    tree = build_provenance(nodes, [])
    assert tree.roots == tuple(nodes)
    assert tree.ancestors("a") == ()


@settings(max_examples=150, deadline=None)
@given(edges)
def test_the_tree_is_acyclic_and_takes_the_heaviest_survivor(
    given_edges: list[Contribution],
) -> None:
    tree = build_provenance(NODES, given_edges)
    forest = networkx.DiGraph([(e.parent, e.child) for e in tree.primary.values()])
    assert networkx.is_directed_acyclic_graph(forest)
    for child, chosen in tree.primary.items():
        rivals = [e for e in tree.supporting if e.child == child]
        best = min([chosen, *rivals], key=lambda e: (-e.weight, -e.strength, e.parent))
        assert best is chosen
    with_support = {e.child for e in tree.supporting}
    assert with_support <= set(tree.primary)
    kept = {(e.parent, e.child) for e in (*tree.primary.values(), *tree.supporting, *tree.lost)}
    assert kept == {(e.parent, e.child) for e in given_edges if e.parent != e.child}


@settings(max_examples=50, deadline=None)
@given(edges, st.integers())
def test_the_order_of_the_edges_does_not_matter(given_edges: list[Contribution], seed: int) -> None:
    shuffled = list(given_edges)
    random.Random(seed).shuffle(shuffled)
    assert build_provenance(NODES, given_edges) == build_provenance(NODES[::-1], shuffled)


def test_long_chains_do_not_exhaust_the_stack() -> None:
    names = [f"n{i:05}" for i in range(5000)]
    links = [edge(p, c, 3) for p, c in pairwise(names)]
    tree = build_provenance(names, [*links, edge(names[-1], names[0], 1)])
    assert len(tree.ancestors(names[-1])) == 4999
    assert len(tree.lost) == 1
