from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Contribution
from engine.retrieval.backtracking import backtrack, influences
from engine.settings import BacktrackingSettings
from engine.trees.provenance import ProvenanceTree, build_provenance


def chain(*ratings: int) -> ProvenanceTree:
    """n0 -> n1 -> …, edge i with rating ratings[i]."""
    names = [f"n{number}" for number in range(len(ratings) + 1)]
    return build_provenance(
        names,
        [
            Contribution(parent=names[i], child=names[i + 1], rating=rating, explanation="used")
            for i, rating in enumerate(ratings)
        ],
    )


def test_influence_is_the_product_of_clamped_weights() -> None:
    assert list(influences([1.0, 0.5, 0.0], 0.05)) == pytest.approx([1.0, 0.55, 0.0275])


def test_two_middling_links_hold_and_a_third_does_not() -> None:
    found = backtrack(chain(3, 3, 3, 3), ["n4"])
    assert [(a.node, a.depth) for a in found] == [("n3", 1), ("n2", 2)]
    assert found[1].influence == pytest.approx(0.55**2)
    assert [edge.parent for edge in found[1].chain] == ["n3", "n2"]


def test_depth_bounds_strong_chains() -> None:
    found = backtrack(chain(5, 5, 5, 5, 5, 5), ["n6"], BacktrackingSettings(depth=2))
    assert [a.node for a in found] == ["n5", "n4"]
    assert backtrack(chain(5), ["n1"], BacktrackingSettings(depth=0)) == []


def test_a_shared_ancestor_counts_once_with_its_largest_influence() -> None:
    tree = build_provenance(
        "abc",
        [
            Contribution(parent="a", child="b", rating=3, explanation="used"),
            Contribution(parent="a", child="c", rating=5, explanation="used"),
        ],
    )
    (ancestor,) = backtrack(tree, ["b", "c", "c"])
    assert (ancestor.source, ancestor.influence) == ("c", 1.0)


def test_retrieved_nodes_are_not_their_own_ancestors() -> None:
    assert backtrack(chain(5), ["n0", "n1"]) == []
    assert backtrack(chain(5), ["unknown"]) == []


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=10),
    st.sets(st.integers(0, 10), min_size=1, max_size=4),
    st.floats(0.01, 1.0),
    st.integers(0, 6),
    st.floats(0.0, 0.24),
)
def test_what_is_kept(
    ratings: list[int], seeds: set[int], theta: float, depth: int, eps: float
) -> None:
    limits = BacktrackingSettings(theta=theta, depth=depth, eps=eps)
    retrieved = [f"n{seed}" for seed in seeds]
    found = backtrack(chain(*ratings), retrieved, limits)
    assert len(found) <= depth * len(retrieved)
    assert len({a.node for a in found}) == len(found)
    for ancestor in found:
        assert ancestor.influence >= theta and ancestor.depth == len(ancestor.chain) <= depth
        expected = math.prod(min(1.0, edge.weight + eps) for edge in ancestor.chain)
        assert ancestor.influence == pytest.approx(expected)
