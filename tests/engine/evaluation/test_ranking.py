"""Figures of merit on examples with known values, and their laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.ranking import bootstrap, recall, reciprocal_rank, sign_test

items = st.lists(st.sampled_from([f"t{n}" for n in range(12)]), unique=True)
some = st.sets(st.sampled_from([f"t{n}" for n in range(12)]), min_size=1)


def test_recall_of_known_answers() -> None:
    ranked = ["a", "x", "b", "y", "c"]
    assert recall(ranked, {"a", "b"}, 1) == 0.5
    assert recall(ranked, {"a", "b"}, 3) == 1.0
    assert recall(ranked, {"a", "b", "c", "d"}, 5) == 0.75
    assert recall([], {"a"}, 10) == 0.0


def test_reciprocal_rank_of_known_answers() -> None:
    assert reciprocal_rank(["a", "b"], {"a", "b"}) == 1.0
    assert reciprocal_rank(["x", "y", "z", "b"], {"a", "b"}) == 0.25
    assert reciprocal_rank(["x"], {"a"}) == 0.0


@given(ranked=items, relevant=some, k=st.integers(1, 15))
def test_recall_grows_with_k_and_is_a_share(ranked: list[str], relevant: set[str], k: int) -> None:
    assert 0.0 <= recall(ranked, relevant, k) <= recall(ranked, relevant, k + 1) <= 1.0
    assert recall(ranked, relevant, len(ranked) + 1) == len(relevant & set(ranked)) / len(relevant)


@given(ranked=items, relevant=some)
def test_reciprocal_rank_is_positive_exactly_where_something_is_found(
    ranked: list[str], relevant: set[str]
) -> None:
    found = reciprocal_rank(ranked, relevant)
    assert 0.0 <= found <= 1.0
    assert (found > 0.0) == bool(relevant & set(ranked))
    assert (found == 1.0) == (bool(ranked) and ranked[0] in relevant)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30), st.integers(0, 2**32))
def test_an_interval_holds_its_mean_and_repeats_with_its_seed(
    values: list[float], seed: int
) -> None:
    found = bootstrap(values, seed, resamples=200)
    assert found == bootstrap(values, seed, resamples=200)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_an_interval_narrows_with_the_sample() -> None:
    few, many = bootstrap([0.0, 1.0] * 10, 1), bootstrap([0.0, 1.0] * 1_000, 1)
    assert few.mean == many.mean == 0.5
    assert many.high - many.low < (few.high - few.low) / 5


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (8, 2, 0.109375), (3, 3, 1.0)],
)
def test_sign_test_of_known_tables(wins: int, losses: int, p: float) -> None:
    assert sign_test(wins, losses) == pytest.approx(p)
    assert sign_test(losses, wins) == pytest.approx(p)
