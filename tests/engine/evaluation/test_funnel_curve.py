from __future__ import annotations

import numpy as np
import pytest

from engine.evaluation.funnel_curve import COPY_NOISE, grown, measure_curve
from engine.settings import AbstractionSettings, FunnelSettings, Settings
from engine.trees.schedule import funnel_widths, schedule_for
from verifier.errors import InputError


def library(count: int = 600, groups: int = 12) -> np.ndarray:
    """Unit vectors in groups that lie apart."""
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(groups, 16))
    rows = centres[np.arange(count) % groups] + 0.3 * generator.normal(size=(count, 16))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_the_figures_are_what_was_searched() -> None:
    told: list[str] = []
    settings = Settings(funnel=FunnelSettings(ranked=100))
    figures = measure_curve(library(), (200, 1500), settings, told.append, queries=20)
    assert told == ["200 nodes", "1,500 nodes"]
    assert (figures.library, figures.dimensions, figures.queries) == (600, 16, 20)
    small, large = figures.points
    assert (small.nodes, small.synthetic, large.nodes, large.synthetic) == (200, 0, 1500, 900)
    for point in figures.points:
        assert point.clusters == schedule_for(point.nodes, settings.abstraction)
        assert point.widths == funnel_widths(
            point.nodes, point.clusters[0], len(point.clusters), settings.funnel
        )
        assert point.flat_comparisons == point.nodes
        assert 0 < point.funnel_comparisons <= point.nodes + sum(point.clusters)
        assert min(point.build, point.funnel_query, point.flat_query) > 0
    assert large.funnel_comparisons < large.nodes / 2 and large.recall > 0.9
    assert figures.as_dict()["points"][1]["synthetic"] == 900


def test_a_funnel_that_opens_everything_finds_everything() -> None:
    wide = Settings(funnel=FunnelSettings(ranked=10_000), abstraction=AbstractionSettings(rounds=2))
    (point,) = measure_curve(library(), (300,), wide, queries=10).points
    assert point.recall == 1.0
    assert point.funnel_comparisons == 300 + sum(point.clusters)


def test_a_narrow_funnel_pays_with_recall() -> None:
    narrow = Settings(funnel=FunnelSettings(k_1=1))
    (point,) = measure_curve(library(), (600,), narrow, queries=30).points
    assert point.recall < 0.9 and point.widths == (1, 1, 1)


def test_synthetic_nodes_are_near_real_ones_and_repeatable() -> None:
    real = library()
    nodes = grown(real, 1000, seed=3)
    assert np.array_equal(nodes[:600], real) and np.array_equal(nodes, grown(real, 1000, seed=3))
    assert not np.array_equal(nodes, grown(real, 1000, seed=4))
    assert np.allclose(np.linalg.norm(nodes, axis=1), 1.0, atol=1e-5)
    nearest = (nodes[600:] @ real.T).max(axis=1)
    assert nearest.min() > 1 - COPY_NOISE**2 and nearest.mean() < 0.999
    part = grown(real, 50, seed=3)
    assert len(np.unique(part, axis=0)) == 50 and (part @ real.T).max(axis=1).min() > 0.9999


def test_what_cannot_be_measured() -> None:
    with pytest.raises(InputError, match="needs vectors"):
        measure_curve(library()[:0], (10,))
    with pytest.raises(InputError):
        measure_curve(library(), (0,))
    with pytest.raises(InputError):
        measure_curve(library(), (10,), queries=0)
