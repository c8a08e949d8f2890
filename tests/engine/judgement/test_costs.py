from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.judgement.costs import ProofCosts, guess
from engine.store import ProofSearch


def search(
    size: int, proved: bool = True, seconds: float = 1.0, hypotheses: int = 0
) -> ProofSearch:
    return ProofSearch(
        operator="induction", size=size, hypotheses=hypotheses, proved=proved, seconds=seconds
    )


def test_without_experience_the_size_decides() -> None:
    costs = ProofCosts()
    assert costs.estimate(6).chance == pytest.approx(guess(6))
    assert costs.estimate(6).seconds is None and costs.limit(6) == 3.0


def test_experience_outweighs_the_guess() -> None:
    costs = ProofCosts([search(6, proved=False, seconds=2.0)] * 40)
    estimate = costs.estimate(6)
    assert estimate.chance < 0.1 and estimate.seconds == 2.0 and estimate.searches == 40
    assert costs.estimate(20).searches == 0
    assert costs.estimate(6, hypotheses=1).searches == 0, "conditional laws are kept apart"


def test_a_limit_covers_most_like_proofs_within_bounds() -> None:
    quick = ProofCosts([search(6, seconds=0.1)] * 20)
    assert quick.limit(6) == 1.5
    slow = ProofCosts([search(6, seconds=60.0)] * 20)
    assert slow.limit(6) == 6.0
    mixed = ProofCosts([search(6, seconds=s / 10) for s in range(1, 21)])
    assert 1.5 * 1.8 <= mixed.limit(6) <= 1.5 * 2.0


def test_searches_of_this_run_count() -> None:
    costs = ProofCosts()
    costs.add(search(6, proved=False))
    assert costs.estimate(6).chance < guess(6)


@given(
    st.lists(st.builds(search, st.integers(1, 30), st.booleans(), st.floats(0, 9))),
    st.integers(1, 40),
)
def test_chances_and_limits_keep_their_bounds(searches: list[ProofSearch], size: int) -> None:
    costs = ProofCosts(searches)
    assert 0.0 < costs.estimate(size).chance < 1.0
    assert 1.5 <= costs.limit(size) <= 6.0
