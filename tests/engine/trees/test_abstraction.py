from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Label, MethodNode, NodeKind
from engine.settings import AbstractionSettings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import build_abstraction
from engine.trees.schedule import cluster_schedule
from verifier.errors import InputError

SMALL = AbstractionSettings(k_1=8, k_n=2, k_min=2, rounds=3)


def corpus(
    count: int, seed: int = 0, distinct: int | None = None
) -> tuple[list[MethodNode], np.ndarray]:
    rows = np.random.default_rng(seed).normal(size=(distinct or count or 1, 6))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    nodes = [
        MethodNode(
            id=f"M:t{number:03}",
            kind=NodeKind.THEOREM,
            name=f"t{number:03}",
            statement=f"(n : N) : f{number} n = n",
            label=Label.VERIFIED,
            symbols=("f", f"g{number % 3}"),
        )
        for number in range(count)
    ]
    return nodes, rows[np.arange(count) % len(rows)]


def assert_well_formed(tree: AbstractionTree, nodes: list[MethodNode]) -> None:
    every = sorted(node.id for node in nodes)
    for level in range(1, tree.depth + 1):
        leaves = [leaf for cluster in tree.level(level) for leaf in tree.leaves(cluster.id)]
        assert sorted(leaves) == every
    for cluster in tree.clusters:
        assert cluster.size == len(tree.leaves(cluster.id))
        assert (cluster.parent is None) == (cluster.level == tree.depth)
        assert [c.level for c in tree.path(cluster.id)] == list(
            range(tree.depth, cluster.level - 1, -1)
        )
        assert math.isclose(sum(x * x for x in cluster.centroid), 1.0, rel_tol=1e-4)
    assert len({cluster.id for cluster in tree.clusters}) == len(tree.clusters)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 5))
def test_the_leaves_of_every_level_partition_the_nodes(
    count: int, distinct: int, seed: int
) -> None:
    nodes, vectors = corpus(count, seed, min(distinct, count))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = build_abstraction(nodes, vectors, SMALL)
    assert tree.depth == 3
    assert_well_formed(tree, nodes)
    for level, k_t in enumerate(cluster_schedule(8, 2, 2, 3), start=1):
        assert len(tree.level(level)) == min(k_t, len(np.unique(vectors, axis=0)))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 60), st.integers(0, 100))
def test_one_seed_makes_one_tree_in_whatever_order(count: int, seed: int) -> None:
    nodes, vectors = corpus(count, seed)
    order = list(range(count))
    random.Random(seed).shuffle(order)
    again = build_abstraction([nodes[i] for i in order], vectors[order], SMALL)
    assert again == build_abstraction(nodes, vectors, SMALL)


def test_no_nodes_make_an_empty_tree() -> None:
    tree = build_abstraction([], np.zeros((0, 6), dtype=np.float32), SMALL)
    assert tree.clusters == () and tree.depth == 0 and tree.roots == ()


def test_one_node_is_a_single_path() -> None:
    nodes, vectors = corpus(1)
    tree = build_abstraction(nodes, vectors, SMALL)
    assert [cluster.size for cluster in tree.clusters] == [1, 1, 1]
    assert tree.leaves(tree.roots[0].id) == ("M:t000",)


def test_equal_points_share_a_cluster() -> None:
    nodes, vectors = corpus(300, distinct=3)
    tree = build_abstraction(nodes, vectors, SMALL)
    assert [len(tree.level(level)) for level in (1, 2, 3)] == [3, 3, 2]
    assert_well_formed(tree, nodes)


def test_zero_vectors_are_clustered_too() -> None:
    nodes, vectors = corpus(12)
    tree = build_abstraction(nodes, vectors * 0, SMALL)
    assert [cluster.size for cluster in tree.clusters] == [12, 12, 12]


def test_groups_that_lie_apart_are_found_and_summarised() -> None:
    nodes, _ = corpus(30)
    axes = np.eye(6, dtype=np.float32)
    vectors = np.array([axes[number % 3] for number in range(30)], dtype=np.float32)
    tree = build_abstraction(nodes, vectors, AbstractionSettings(k_1=3, k_n=3, rounds=2))
    assert sorted(cluster.symbols[0] for cluster in tree.roots) == ["g0", "g1", "g2"]
    assert all(" — t0" in cluster.summary for cluster in tree.roots)


def test_nodes_and_vectors_must_match() -> None:
    nodes, vectors = corpus(3)
    with pytest.raises(InputError, match="2 nodes came with 3 vectors"):
        build_abstraction(nodes[:2], vectors, SMALL)
    with pytest.raises(InputError, match="twice"):
        build_abstraction([nodes[0]] * 3, vectors, SMALL)


def test_an_unknown_cluster_is_an_error() -> None:
    with pytest.raises(InputError, match="no cluster"):
        AbstractionTree().cluster("gone")
