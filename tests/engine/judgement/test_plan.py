from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.judgement.costs import Estimate
from engine.judgement.plan import ENOUGH_CASES, PlanOutcome, verifiability

outcomes = st.builds(
    PlanOutcome,
    cases=st.integers(0, 200),
    attempts=st.integers(0, 5),
    estimate=st.one_of(
        st.none(), st.builds(Estimate, st.floats(0.01, 0.99), st.none(), st.just(9))
    ),
)


def test_each_step_of_the_plan_raises_the_score() -> None:
    untested = verifiability(6, PlanOutcome())
    tested = verifiability(6, PlanOutcome(cases=ENOUGH_CASES))
    proved = verifiability(
        6, PlanOutcome(cases=60, proved=True, tactic="induction xs", seconds=1.2)
    )
    assert untested.value < tested.value < proved.value == 1.0
    assert proved.reason == (
        "Its plan is done: survived 60 test cases, proved by induction xs in 1.2 s, and audited."
    )
    assert "Not tested" in untested.reason


def test_failures_lower_it_and_a_refutation_ends_it() -> None:
    tested = verifiability(6, PlanOutcome(cases=60))
    failed = verifiability(6, PlanOutcome(cases=60, attempts=2))
    assert failed.value < tested.value and "2 proof searches failed" in failed.reason
    assert verifiability(6, PlanOutcome(cases=3, refuted=True)).value == 0.0


def test_the_basis_of_the_chance_is_told() -> None:
    measured = verifiability(6, PlanOutcome(estimate=Estimate(0.25, 1.0, 12)))
    assert "0.25 by 12 searches" in measured.reason


@given(st.integers(1, 40), outcomes)
def test_tests_never_lower_it(size: int, outcome: PlanOutcome) -> None:
    score = verifiability(size, outcome)
    more = replace(outcome, cases=outcome.cases + 10)
    searched = replace(more, searched=True)
    scores = [verifiability(size, known).value for known in (outcome, more, searched)]
    assert scores[0] == score.value and scores == sorted(scores)
    assert scores[0] >= 0.0 and scores[-1] <= 1.0


def test_what_was_tested_is_told() -> None:
    assert "Survived the falsifier" in verifiability(6, PlanOutcome(searched=True)).reason
    both = verifiability(6, PlanOutcome(cases=160, searched=True))
    assert both.reason.startswith("Survived 160 test cases and the falsifier")
