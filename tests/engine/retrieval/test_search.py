"""Flat and funnel search behind one interface."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.model import MethodNode
from engine.retrieval.encoders import StructuralEncoder
from engine.retrieval.flat import FlatRetriever
from engine.retrieval.funnel import Funnel, FunnelRetriever
from engine.retrieval.hybrid import HybridRetriever
from engine.retrieval.index import VectorIndex
from engine.retrieval.interface import Retriever
from engine.retrieval.lexical import LexicalRetriever
from engine.settings import AbstractionSettings, FunnelSettings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import build_abstraction, cluster_nodes
from engine.trees.cluster import Cluster
from engine.trees.schedule import funnel_schedule
from verifier.errors import InputError

Parts = tuple[AbstractionTree, StructuralEncoder]


def parts(nodes: list[MethodNode], rounds: int = 3) -> Parts:
    encoder = StructuralEncoder.fit(nodes)
    tree_settings = AbstractionSettings(rounds=rounds)
    return build_abstraction(nodes, encoder.encode(nodes), tree_settings), encoder


def indexed(nodes: list[MethodNode], encoder: StructuralEncoder) -> VectorIndex:
    return VectorIndex([node.id for node in nodes], encoder.encode(nodes))


@pytest.fixture(scope="module")
def built(laws: list[MethodNode]) -> Parts:
    return parts(laws)


Make = Callable[[list[MethodNode], Parts], Retriever]

BY_VECTORS: dict[str, Make] = {
    "flat": lambda laws, parts: FlatRetriever(indexed(laws, parts[1]), parts[1]),
    "funnel": lambda laws, parts: funnel(laws, parts, ranked=20),
    "funnel by summary": lambda laws, parts: funnel(laws, parts, cluster_vector="summary"),
}
OTHERS: dict[str, Make] = {
    "BM25": lambda laws, _: LexicalRetriever.of(laws),
    "hybrid": lambda laws, parts: HybridRetriever(
        {"vectors": BY_VECTORS["flat"](laws, parts), "BM25": LexicalRetriever.of(laws)}
    ),
    "hybrid with funnel": lambda laws, parts: HybridRetriever(
        {"vectors": BY_VECTORS["funnel"](laws, parts), "BM25": LexicalRetriever.of(laws)}
    ),
}


def funnel(laws: list[MethodNode], parts: Parts, **settings: Any) -> FunnelRetriever:
    tree, encoder = parts
    return FunnelRetriever(tree, indexed(laws, encoder), encoder, FunnelSettings(**settings))


@pytest.fixture(params=[*BY_VECTORS, *OTHERS])
def retriever(request: pytest.FixtureRequest, laws: list[MethodNode], built: Parts) -> Retriever:
    return {**BY_VECTORS, **OTHERS}[request.param](laws, built)


def test_a_node_finds_itself_first(retriever: Retriever, laws: list[MethodNode]) -> None:
    for node in laws[::9]:
        hits = retriever.search(node, 5).hits
        assert hits[0].node == node.id and len(hits) == 5
        assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


@pytest.mark.parametrize("make", BY_VECTORS.values(), ids=BY_VECTORS)
def test_a_query_without_known_words_is_answered_in_order(
    make: Make, laws: list[MethodNode], built: Parts
) -> None:
    assert [hit.score for hit in make(laws, built).search("qwertz", 3).hits] == [0.0, 0.0, 0.0]


def test_no_results_cannot_be_asked_for(retriever: Retriever) -> None:
    with pytest.raises(InputError, match="0 results"):
        retriever.search("add", 0)


def test_hits_explain_their_way_down(laws: list[MethodNode], built: Parts) -> None:
    tree, encoder = built
    found = FunnelRetriever(tree, indexed(laws, encoder), encoder).search(laws[0], 8)
    for hit in found.hits:
        steps = hit.path.steps
        assert [step.level for step in steps] == [3, 2, 1]
        assert tree.cluster(steps[0].cluster).parent is None
        assert hit.node in tree.cluster(steps[-1].cluster).members
        for above, below in pairwise(steps):
            assert tree.cluster(below.cluster).parent == above.cluster
        assert all(1 <= step.rank <= step.among for step in steps)
        assert steps[0].among == len(tree.roots)


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
    narrow = funnel(laws, built, k_1=k_1, eta=eta)
    found = narrow.search(laws[place], k)
    assert 0 < found.visits <= found.budget == narrow.budget
    assert found.budget == sum(funnel_schedule(k_1, eta, built[0].depth))
    assert 0 < len(found.hits) <= k
    assert found.comparisons <= len(built[0].clusters) + len(laws)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 120),
    rounds=st.integers(1, 4),
    k_1=st.integers(1, 8),
    eta=st.floats(0.1, 0.95),
)
def test_each_step_keeps_the_best_children_of_the_last(
    seed: int, count: int, rounds: int, k_1: int, eta: float
) -> None:
    """The funnel of the paper, C_t by C_t, written out over the clusters of the tree."""
    rows = np.random.default_rng(seed).normal(size=(count + 1, 6))
    *vectors, query = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    index = VectorIndex([f"n{number:03}" for number in range(count)], np.array(vectors))
    tree = cluster_nodes(index.names, index.vectors, AbstractionSettings(rounds=rounds, density=2))
    widths = funnel_schedule(k_1, eta, rounds)
    descent = Funnel(
        tree, index.vectors, [level.centroids for level in tree.levels], widths
    ).descend(query, 10)

    def nearness(cluster: Cluster) -> float:
        return -float(np.dot(cluster.centroid, query))

    frontier, visits, compared = list(tree.roots), 0, 0
    for step, width in zip(descent.steps, widths, strict=True):
        kept = sorted(frontier, key=nearness)[:width]
        assert [tree.levels[step.level - 1].ids[row] for row in step.rows] == [c.id for c in kept]
        visits, compared = visits + len(kept), compared + len(frontier)
        last, frontier = kept, [child for c in kept for child in tree.children(c.id)]
    leaves = [leaf for cluster in last for leaf in cluster.members]
    assert [index.names[row] for row in descent.rows] == [
        name for name, _ in index.nearest(query, 10, among=leaves)
    ]
    assert descent.visits == visits <= sum(widths)
    assert descent.comparisons == compared + len(leaves)


def test_a_funnel_that_prunes_nothing_is_flat_search(laws: list[MethodNode], built: Parts) -> None:
    tree, encoder = built
    wide = FunnelRetriever(
        tree, indexed(laws, encoder), encoder, FunnelSettings(k_1=1000, eta=0.99)
    )
    flat = FlatRetriever(indexed(laws, encoder), encoder)
    for node in laws[::11]:
        assert [h.node for h in wide.search(node, 45).hits] == [
            h.node for h in flat.search(node, 45).hits
        ]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_nodes(laws: list[MethodNode], count: int) -> None:
    nodes = laws[:count]
    tree, encoder = parts(nodes)
    found = FunnelRetriever(tree, indexed(nodes, encoder), encoder).search("add", 5)
    assert len(found.hits) == count and found.visits <= found.budget


def test_a_tree_over_other_nodes_is_refused(laws: list[MethodNode], built: Parts) -> None:
    tree, encoder = built
    with pytest.raises(InputError, match="other nodes"):
        FunnelRetriever(tree, indexed(laws[1:], encoder), encoder)
    with pytest.raises(InputError, match="another encoder"):
        other = StructuralEncoder.fit(laws[:3])
        FunnelRetriever(tree, indexed(laws, other), other)
