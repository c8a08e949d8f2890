from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.settings import AbstractionSettings
from engine.trees import clustering
from engine.trees.clustering import cluster_levels, group_sums, nearest_rows, unit
from engine.trees.schedule import schedule_for


def test_sums_in_chunks_are_the_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_CHUNK", 7)
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(50, 4)).astype(np.float32)
    groups = generator.integers(0, 5, size=50)
    sums, sizes = group_sums(vectors, groups, 6)
    for group in range(6):
        assert np.allclose(sums[group], vectors[groups == group].sum(axis=0), atol=1e-5)
        assert sizes[group] == (groups == group).sum()
    assert sizes[5] == 0 and not sums[5].any()


def test_the_nearest_centroid_and_of_equal_ones_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_PLACED", 2)
    axes = np.eye(3, dtype=np.float32)
    centroids = axes[[0, 1, 1]]
    assert nearest_rows(axes[[1, 0, 1, 1, 2]], centroids).tolist() == [1, 0, 1, 1, 0]


def test_what_rounding_leaves_is_nothing() -> None:
    rows = unit(np.array([[3.0, 4.0], [1e-12, 0.0], [0.0, 0.0]]))
    assert np.allclose(rows, [[0.6, 0.8], [0.0, 0.0], [0.0, 0.0]])


def test_many_clusters_are_made_fast_and_alike_twice() -> None:
    """More than 512 clusters start at random, and still from the seed alone."""
    vectors = unit(np.random.default_rng(1).normal(size=(3000, 8)))
    shape = AbstractionSettings(k_1=600, rounds=2)
    first, top = cluster_levels(vectors, shape)
    again, _ = cluster_levels(vectors, shape)
    other, _ = cluster_levels(vectors, shape.model_copy(update={"seed": 7}))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert first.max() + 1 == 600 and top.max() + 1 == 4
    assert np.array_equal(np.unique(first), np.arange(first.max() + 1))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 60), st.integers(1, 60))
def test_there_are_as_many_clusters_as_the_schedule_says(
    seed: int, count: int, distinct: int
) -> None:
    """K_t, or one for each distinct point where these are fewer."""
    generator = np.random.default_rng(seed)
    points = unit(generator.normal(size=(distinct, 4)))
    vectors = points[generator.integers(0, distinct, count)]
    shape = AbstractionSettings()
    left = len(np.unique(vectors, axis=0))
    for k_t, groups in zip(schedule_for(count, shape), cluster_levels(vectors, shape), strict=True):
        left = min(k_t, left)
        assert np.array_equal(np.unique(groups), np.arange(left))


def test_groups_that_stay_empty_get_the_farthest_points() -> None:
    points = np.array([[0.0], [0.1], [5.0], [9.0]], dtype=np.float32)
    groups = np.array([0, 0, 0, 2])
    clustering._fill_empty(groups, points, np.array([[0.0], [7.0], [9.0], [4.0]]))
    assert groups.tolist() == [0, 3, 1, 2]


def test_zeros_of_either_sign_are_one_point() -> None:
    vectors = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    groups, *_ = cluster_levels(vectors, AbstractionSettings(k_1=3, k_n=2, rounds=2))
    assert groups.tolist() == [0, 0, 1]
