"""Flat and funnel search behind one interface."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.model import MethodNode
from engine.retrieval.encoder import StructuralEncoder
from engine.retrieval.flat import FlatRetriever
from engine.retrieval.funnel import FunnelRetriever
from engine.retrieval.index import VectorIndex
from engine.retrieval.interface import Retriever
from engine.settings import AbstractionSettings, FunnelSettings
from engine.trees.abstraction import AbstractionTree, build_abstraction
from verifier.errors import InputError

Parts = tuple[AbstractionTree, StructuralEncoder]


def parts(nodes: list[MethodNode], rounds: int = 3) -> Parts:
    encoder = StructuralEncoder.fit(nodes)
    tree_settings = AbstractionSettings(rounds=rounds)
    return build_abstraction(nodes, encoder.encode(nodes), tree_settings), encoder


@pytest.fixture(scope="module")
def built(laws: list[MethodNode]) -> Parts:
    return parts(laws)


@pytest.fixture(params=["flat", "funnel", "funnel by summary"])
def retriever(request: pytest.FixtureRequest, laws: list[MethodNode], built: Parts) -> Retriever:
    tree, encoder = built
    if request.param == "flat":
        return FlatRetriever(laws, encoder)
    vector = "summary" if request.param.endswith("summary") else "centroid"
    return FunnelRetriever(tree, laws, encoder, FunnelSettings(cluster_vector=vector))


def test_a_node_finds_itself_first(retriever: Retriever, laws: list[MethodNode]) -> None:
    for node in laws[::9]:
        hits = retriever.search(node, 5).hits
        assert hits[0].node == node.id and len(hits) == 5
        assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_a_query_without_known_words_is_answered_in_order(retriever: Retriever) -> None:
    assert [hit.score for hit in retriever.search("qwertz", 3).hits] == [0.0, 0.0, 0.0]


def test_no_results_cannot_be_asked_for(retriever: Retriever) -> None:
    with pytest.raises(InputError, match="0 results"):
        retriever.search("add", 0)


def test_hits_explain_their_way_down(laws: list[MethodNode], built: Parts) -> None:
    tree, encoder = built
    found = FunnelRetriever(tree, laws, encoder).search(laws[0], 8)
    for hit in found.hits:
        steps = hit.path.steps
        assert [step.level for step in steps] == [3, 2, 1]
        assert tree.cluster(steps[0].cluster).parent is None
        assert hit.node in tree.cluster(steps[-1].cluster).members
        for above, below in pairwise(steps):
            assert tree.cluster(below.cluster).parent == above.cluster


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    k_1=st.integers(1, 12),
    eta=st.floats(0.05, 0.95),
    place=st.integers(0, 44),
    k=st.integers(1, 60),
)
def test_visits_stay_within_the_budget(
    laws: list[MethodNode], built: Parts, k_1: int, eta: float, place: int, k: int
) -> None:
    tree, encoder = built
    funnel = FunnelRetriever(tree, laws, encoder, FunnelSettings(k_1=k_1, eta=eta))
    found = funnel.search(laws[place], k)
    assert 0 < found.visits <= found.budget == funnel.budget
    assert 0 < len(found.hits) <= k
    assert found.comparisons <= len(tree.clusters) + len(laws)


def test_a_funnel_that_prunes_nothing_is_flat_search(laws: list[MethodNode], built: Parts) -> None:
    tree, encoder = built
    wide = FunnelRetriever(tree, laws, encoder, FunnelSettings(k_1=1000, eta=0.99))
    flat = FlatRetriever(laws, encoder)
    for node in laws[::11]:
        assert [h.node for h in wide.search(node, 45).hits] == [
            h.node for h in flat.search(node, 45).hits
        ]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_nodes(laws: list[MethodNode], count: int) -> None:
    nodes = laws[:count]
    tree, encoder = parts(nodes)
    found = FunnelRetriever(tree, nodes, encoder).search("add", 5)
    assert len(found.hits) == count and found.visits <= found.budget


def test_a_tree_over_other_nodes_is_refused(laws: list[MethodNode], built: Parts) -> None:
    tree, encoder = built
    with pytest.raises(InputError, match="other nodes"):
        FunnelRetriever(tree, laws[1:], encoder)
    with pytest.raises(InputError, match="another encoder"):
        FunnelRetriever(tree, laws, StructuralEncoder.fit(laws[:3]))


def test_ties_go_by_name() -> None:
    index = VectorIndex(["c", "a", "b"], np.ones((3, 1), dtype=np.float32))
    one = np.ones(1, dtype=np.float32)
    assert [name for name, _ in index.nearest(one, 2)] == ["a", "b"]
    assert [name for name, _ in index.nearest(one, 2, among=["c", "b"])] == ["b", "c"]
    with pytest.raises(InputError):
        VectorIndex(["a"], np.ones((2, 1), dtype=np.float32))
