"""Leaves that come and go without clustering anew, and trees that are clustered anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.settings import AbstractionSettings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import cluster_nodes
from engine.trees.clustering import Vectors
from engine.trees.growth import Wear, insert, needs_rebuild, remove, wear
from verifier.errors import InputError

SMALL = AbstractionSettings(k_1=8, k_n=2, k_min=2, rounds=3)


def points(count: int, seed: int = 0) -> tuple[list[str], Vectors]:
    rows = np.random.default_rng(seed).normal(size=(count, 6))
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return [f"n{number:03}" for number in range(count)], unit


def assert_partition(tree: AbstractionTree, ids: list[str], vectors: Vectors) -> None:
    """Every level of the tree partitions the nodes; sizes and centroids are those of the leaves."""
    assert list(tree.nodes) == sorted(ids)
    row = {node: vectors[place] for place, node in enumerate(ids)}
    for level in range(1, tree.depth + 1):
        found = []
        for cluster in tree.level(level):
            leaves = tree.leaves(cluster.id)
            found += leaves
            assert cluster.size == len(leaves) > 0
            mean = np.sum([row[leaf] for leaf in leaves], axis=0)
            mean /= max(1e-9, float(np.linalg.norm(mean)))
            assert np.allclose(cluster.centroid, mean, atol=1e-4)
        assert sorted(found) == sorted(ids)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 40), st.integers(0, 20), st.data())
def test_the_leaves_partition_the_nodes_whatever_comes_and_goes(
    seed: int, built: int, added: int, data: st.DataObject
) -> None:
    ids, vectors = points(built + added, seed)
    tree = cluster_nodes(ids[:built], vectors[:built], SMALL)
    names = {c.id for c in tree.clusters}
    tree = insert(tree, ids[built:], vectors[built:])
    assert_partition(tree, ids, vectors)
    assert {c.id for c in tree.clusters} == names

    gone = data.draw(st.sets(st.integers(0, len(ids) - 1), max_size=len(ids) - 1))
    rows = sorted(gone)
    kept = [row for row in range(len(ids)) if row not in gone]
    tree = remove(tree, [ids[row] for row in rows], vectors[rows])
    assert_partition(tree, [ids[row] for row in kept], vectors[kept])
    assert {c.id for c in tree.clusters} <= names
    assert tree.changed == added + len(gone)

    rebuilt = cluster_nodes([ids[row] for row in kept], vectors[kept], SMALL, previous=tree)
    assert_partition(rebuilt, [ids[row] for row in kept], vectors[kept])
    assert wear(rebuilt) == Wear(growth=0.0, drift=pytest.approx(0.0, abs=1e-6))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 100), st.permutations(range(12)))
def test_the_order_of_insertion_does_not_matter(seed: int, order: list[int]) -> None:
    ids, vectors = points(42, seed)
    tree = cluster_nodes(ids[:30], vectors[:30], SMALL)
    shuffled = [30 + place for place in order]
    assert insert(tree, ids[30:], vectors[30:]) == insert(
        tree, [ids[row] for row in shuffled], vectors[shuffled]
    )


def test_a_new_leaf_joins_the_nearest_cluster() -> None:
    ids, vectors = points(40)
    tree = cluster_nodes(ids, vectors, SMALL)
    grown = insert(tree, ["zz"], vectors[7:8])
    nearest = max(tree.level(1), key=lambda c: float(np.dot(c.centroid, vectors[7])))
    assert "zz" in grown.cluster(nearest.id).members
    for cluster in tree.path(nearest.id):
        assert grown.cluster(cluster.id).size == cluster.size + 1


def test_the_old_tree_stays_as_it_was() -> None:
    ids, vectors = points(30)
    tree = cluster_nodes(ids[:20], vectors[:20], SMALL)
    before = tree.clusters
    insert(tree, ids[20:], vectors[20:])
    remove(tree, ids[:5], vectors[:5])
    assert tree.clusters == before and tree.changed == 0


def test_nothing_to_insert_or_remove_changes_nothing() -> None:
    ids, vectors = points(10)
    tree = cluster_nodes(ids, vectors, SMALL)
    assert insert(tree, [], vectors[:0]) is tree and remove(tree, [], vectors[:0]) is tree
    assert insert(AbstractionTree(), [], vectors[:0]) == AbstractionTree()


def test_what_cannot_be_inserted_or_removed() -> None:
    ids, vectors = points(10)
    tree = cluster_nodes(ids, vectors, SMALL)
    with pytest.raises(InputError, match="already"):
        insert(tree, ids[:1], vectors[:1])
    with pytest.raises(InputError, match="twice"):
        insert(tree, ["z", "z"], vectors[:2])
    with pytest.raises(InputError, match="1 nodes came with 2 vectors"):
        insert(tree, ["z"], vectors[:2])
    with pytest.raises(InputError, match="another encoder"):
        insert(tree, ["z"], vectors[:1, :3])
    with pytest.raises(InputError, match="no clusters yet"):
        insert(AbstractionTree(), ["z"], vectors[:1])
    with pytest.raises(InputError, match="'z' is not in the abstraction tree"):
        remove(tree, ["z"], vectors[:1])


def test_a_tree_without_leaves_is_empty_and_worn_out() -> None:
    ids, vectors = points(10)
    tree = cluster_nodes(ids, vectors, SMALL)
    empty = remove(tree, ids, vectors)
    assert empty.depth == 0 and empty.nodes == () and empty.clusters == ()
    assert needs_rebuild(empty, SMALL) and not needs_rebuild(AbstractionTree(), SMALL)
    assert cluster_nodes([], vectors[:0], SMALL, previous=empty) == AbstractionTree()


def test_growth_past_its_bound_asks_for_a_rebuild() -> None:
    ids, vectors = points(40)
    bound = SMALL.model_copy(update={"growth": 0.5, "drift": 2.0})
    tree = cluster_nodes(ids[:20], vectors[:20], bound)
    at_bound = insert(tree, ids[20:30], vectors[20:30])
    assert wear(at_bound).growth == 0.5 and not needs_rebuild(at_bound, bound)
    assert needs_rebuild(insert(at_bound, ids[30:31], vectors[30:31]), bound)
    assert needs_rebuild(remove(at_bound, ids[:1], vectors[:1]), bound)


def test_drift_past_its_bound_asks_for_a_rebuild() -> None:
    # Eight nodes along one axis; four more lie across it and pull its centroid by 1 - 2/sqrt(5).
    axes = np.eye(2, dtype=np.float32)
    one = AbstractionSettings(k_1=1, k_n=1, k_min=1, rounds=1, growth=10.0, drift=0.1)
    tree = cluster_nodes([f"a{i}" for i in range(8)], axes[[0] * 8], one)
    drifted = insert(tree, [f"b{i}" for i in range(4)], axes[[1] * 4])
    assert wear(drifted).drift == pytest.approx(1 - 2 / 5**0.5, abs=1e-6)
    assert needs_rebuild(drifted, one)
    assert not needs_rebuild(drifted, one.model_copy(update={"drift": 0.11}))


def test_zero_vectors_do_not_drift() -> None:
    ids, vectors = points(6)
    tree = cluster_nodes(ids, vectors * 0, SMALL)
    assert wear(insert(tree, ["z"], vectors[:1] * 0)).drift == 0.0


def test_names_survive_a_rebuild_where_the_clusters_do() -> None:
    """Three far groups are found again after each has grown, so they keep their names."""
    axes = np.eye(6, dtype=np.float32)
    shape = AbstractionSettings(k_1=3, k_n=3, k_min=2, rounds=2)
    ids = [f"n{number:02}" for number in range(30)]
    tree = cluster_nodes(ids, axes[[number % 3 for number in range(30)]], shape)
    more = [f"m{number:02}" for number in range(9)]
    grown = insert(tree, more, axes[[number % 3 for number in range(9)]])
    every = axes[[number % 3 for number in range(30)] + [number % 3 for number in range(9)]]
    rebuilt = cluster_nodes([*ids, *more], every, shape, previous=grown)
    assert {c.id for c in rebuilt.clusters} == {c.id for c in tree.clusters}
    fresh = cluster_nodes([*ids, *more], every, shape)
    assert {c.id for c in fresh.clusters}.isdisjoint(c.id for c in tree.clusters)
    assert sorted(c.members for c in fresh.level(1)) == sorted(c.members for c in rebuilt.level(1))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.integers(5, 40))
def test_a_rebuild_is_a_build_with_other_names(seed: int, count: int) -> None:
    ids, vectors = points(count + 10, seed)
    old = cluster_nodes(ids[:count], vectors[:count], SMALL)
    rebuilt = cluster_nodes(ids, vectors, SMALL, previous=old)
    again = cluster_nodes(ids[::-1], vectors[::-1], SMALL, previous=old)
    fresh = cluster_nodes(ids, vectors, SMALL)
    assert rebuilt == again
    for level in (1, 2, 3):
        assert sorted(rebuilt.leaves(c.id) for c in rebuilt.level(level)) == sorted(
            fresh.leaves(c.id) for c in fresh.level(level)
        )
        for cluster in rebuilt.level(level):
            if cluster.id in old.levels[level - 1].row:
                mine, its = set(rebuilt.leaves(cluster.id)), set(old.leaves(cluster.id))
                assert len(mine & its) >= SMALL.keep_id * len(mine | its)
