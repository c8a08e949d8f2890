"""The widths of both trees are the paper's formulas."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.settings import AbstractionSettings, FunnelSettings
from engine.trees.schedule import (
    cluster_schedule,
    funnel_schedule,
    funnel_widths,
    schedule_for,
)
from verifier.errors import InputError


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 9), st.integers(2, 7))
def test_the_cluster_schedule_is_the_papers(k_1: int, k_n: int, k_min: int, rounds: int) -> None:
    schedule = cluster_schedule(k_1, k_n, k_min, rounds)
    rho = (k_n / k_1) ** (1 / (rounds - 1))
    for t, k_t in enumerate(schedule, start=1):
        exact = k_1 * rho ** (t - 1)
        assert max(k_min, math.ceil(exact - 1e-6)) <= k_t <= max(k_min, math.ceil(exact + 1e-6))
    assert schedule[0] == max(k_min, k_1) and schedule[-1] == max(k_min, k_n)


def test_rounding_adds_no_cluster() -> None:
    assert cluster_schedule(64, 4, 2, 3) == (64, 16, 4)
    assert cluster_schedule(1000, 1, 1, 4) == (1000, 100, 10, 1)
    assert cluster_schedule(10, 3, 2, 1) == (10,)


@given(st.integers(1, 200), st.floats(0.01, 0.99), st.integers(0, 10))
def test_the_funnel_schedule_is_the_papers(k_1: int, eta: float, n: int) -> None:
    schedule = funnel_schedule(k_1, eta, n)
    assert len(schedule) == n
    for t, k_t in enumerate(schedule, start=1):
        exact = k_1 * eta ** (t - 1)
        assert max(1, math.ceil(exact - 1e-6)) <= k_t <= max(1, math.ceil(exact + 1e-6))
    assert list(schedule) == sorted(schedule, reverse=True)


def test_eta_is_read_as_a_decimal() -> None:
    assert funnel_schedule(10, 0.1, 3) == (10, 1, 1)
    assert funnel_schedule(8, 0.75, 3) == (8, 6, 5)


@pytest.mark.parametrize(("k_1", "eta", "n"), [(0, 0.5, 1), (1, 0.0, 1), (1, 1.0, 1), (1, 0.5, -1)])
def test_impossible_funnels_are_refused(k_1: int, eta: float, n: int) -> None:
    with pytest.raises(InputError):
        funnel_schedule(k_1, eta, n)


@given(st.integers(0, 10**7), st.integers(1, 80))
def test_k_1_grows_with_the_root_of_the_nodes(count: int, tenths: int) -> None:
    settings = AbstractionSettings(density=tenths / 10, k_n=1, k_min=1, rounds=1)
    (k_1,) = schedule_for(count, settings)
    assert k_1 == 1 or (10 * (k_1 - 1)) ** 2 < tenths**2 * count
    assert (10 * k_1) ** 2 >= tenths**2 * count


@pytest.mark.parametrize("count", [1, 60, 1_000, 60_000, 1_000_000])
def test_the_default_schedule_at_several_sizes(count: int) -> None:
    settings = AbstractionSettings()
    schedule = schedule_for(count, settings)
    k_1 = math.ceil(settings.density * math.sqrt(count))
    rho = (min(settings.k_n, k_1) / k_1) ** (1 / (settings.rounds - 1))
    assert list(schedule) == [
        max(settings.k_min, math.ceil(k_1 * rho**t - 1e-9)) for t in range(settings.rounds)
    ]


@given(
    st.integers(1, 10_000_000),
    st.integers(1, 100_000),
    st.integers(1, 6),
    st.floats(0.05, 0.95),
    st.floats(0.1, 5.0),
    st.integers(1, 1000),
)
def test_the_least_k_1_that_ends_wide_enough(
    count: int, clusters: int, n: int, eta: float, breadth: float, ranked: int
) -> None:
    clusters = min(clusters, count)
    settings = FunnelSettings(eta=eta, breadth=breadth, ranked=ranked)
    widths = funnel_widths(count, clusters, n, settings)

    def is_wide_enough(last: int) -> bool:
        nodes = last * count >= clusters * min(ranked, count)
        return last >= breadth * math.sqrt(clusters) and nodes

    assert widths == funnel_schedule(widths[0], eta, n)
    assert is_wide_enough(widths[-1])
    assert widths[0] == 1 or not is_wide_enough(funnel_schedule(widths[0] - 1, eta, n)[-1])


@pytest.mark.parametrize(
    ("count", "clusters", "widths"),
    [(60, 31, (38, 35, 31)), (1_000, 127, (47, 43, 39)), (60_000, 980, (49, 45, 40))],
)
def test_the_default_widths_at_several_sizes(
    count: int, clusters: int, widths: tuple[int, ...]
) -> None:
    """A small tree is opened whole, so that its funnel can return as many nodes as are asked."""
    assert funnel_widths(count, clusters, 3, FunnelSettings()) == widths


def test_a_given_k_1_is_taken_as_it_is() -> None:
    assert funnel_widths(10_000, 400, 3, FunnelSettings(k_1=8, eta=0.75)) == (8, 6, 5)
    assert funnel_widths(0, 0, 0, FunnelSettings()) == ()
