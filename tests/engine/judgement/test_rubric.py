from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.judgement.derivation import Chain
from engine.judgement.novelty import Following
from engine.judgement.plan import PlanOutcome
from engine.judgement.rubric import (
    Evidence,
    Judgement,
    evaluation_depth,
    judge,
    judge_again,
    weighted_sum,
)
from engine.language.rewriting import Rewriter
from engine.language.term import Law, Symbol, Term, Type
from engine.language.typing import most_general
from engine.model import Score, Scores
from engine.settings import EvaluationSettings, RubricSettings

N = Type("N")
ADD = Symbol("add", (N, N), N, "add")
ZERO = Symbol("zero", (), N, "zero", is_constructor=True)
CORE = Symbol("core", (N, N), N, "core", is_background=True)
ADD_ZERO = most_general(Term(ADD, (Term("a"), Term(ZERO))), Term("a"))
COMM = most_general(Term(ADD, (Term("a"), Term("b"))), Term(ADD, (Term("b"), Term("a"))))
GOOD = Evidence(nearest=0.2, nearest_name="add_zero", chain=Chain(nodes=2, closed=2))
SETTINGS = RubricSettings()

scores = st.builds(
    Scores,
    **{name: st.builds(Score, value=st.floats(0, 1)) for name in Scores.model_fields},
)


def judged(law: Law, evidence: Evidence = GOOD, *known: tuple[str, Law]) -> Judgement:
    return judge(law, evidence, known, Rewriter([law for _, law in known]), SETTINGS)


@given(scores)
def test_the_sum_stays_between_the_least_and_the_greatest_score(given_scores: Scores) -> None:
    values = [score.value for score in given_scores.each.values()]
    total = weighted_sum(given_scores, SETTINGS)
    assert min(values) - 1e-9 <= total <= max(values) + 1e-9


def test_a_new_law_is_kept_and_every_score_says_why() -> None:
    judgement = judged(COMM, GOOD, ("add_zero", ADD_ZERO))
    assert judgement.kept
    assert judgement.total >= SETTINGS.threshold
    assert all(len(score.reason) > 10 for score in judgement.scores.each.values())
    assert "add_zero, at a cosine of 0.20" in judgement.scores.novelty.reason


def test_a_fabricated_parent_is_named() -> None:
    evidence = Evidence(chain=Chain(nodes=2, closed=1, missing=("M:made_up",)))
    assert judged(COMM, evidence).reason == "a fabricated parent: M:made_up does not exist"


def test_an_instance_and_a_consequence_are_pruned() -> None:
    instance = most_general(Term(ADD, (Term(ZERO), Term(ZERO))), Term(ZERO))
    pruned = judged(instance, GOOD, ("add_zero", ADD_ZERO))
    assert pruned.reason == "an instance of add_zero"
    assert pruned.scores.novelty == Score(value=0.0, reason="It is an instance of add_zero.")
    nested = most_general(
        Term(ADD, (Term(ADD, (Term("a"), Term(ZERO))), Term("b"))),
        Term(ADD, (Term("a"), Term("b"))),
    )
    assert "calculation" in judged(nested, GOOD, ("add_zero", ADD_ZERO)).reason


def test_a_law_of_core_functions_is_pruned() -> None:
    core = most_general(Term(CORE, (Term("a"), Term("b"))), Term(CORE, (Term("b"), Term("a"))))
    assert "core functions" in judged(core).reason


def test_a_low_sum_is_pruned_with_its_figure() -> None:
    strict = RubricSettings(threshold=0.99)
    assert "below the threshold 0.99" in judge(COMM, GOOD, [], Rewriter(), strict).reason


def test_a_corollary_is_pruned_unless_the_settings_keep_it() -> None:
    corollary = Following(True, "simp", "by simp", ("add_zero",))
    judgement = judge_again(judged(COMM), COMM, SETTINGS, following=corollary)
    assert judgement.reason == "it follows from add_zero by simp"
    kept = RubricSettings(least_novelty=0.0)
    assert judge_again(judged(COMM), COMM, kept, following=corollary).kept
    other = Following(False)
    assert judge_again(judged(COMM), COMM, SETTINGS, following=other).kept


def test_what_is_known_later_changes_its_score_only() -> None:
    first = judged(COMM)
    later = judge_again(first, COMM, SETTINGS, plan=PlanOutcome(cases=60, proved=True))
    assert later.scores.verifiability.value == 1.0 and later.total > first.total
    assert later.scores.novelty == first.scores.novelty
    pruned = judged(most_general(Term("a"), Term("a")), GOOD)
    assert not judge_again(pruned, COMM, SETTINGS, plan=PlanOutcome(proved=True)).kept


def test_a_goal_is_scored_by_its_cosine_and_its_absence_is_told() -> None:
    assert "No goal" in judged(COMM).scores.goal_alignment.reason
    aimed = judged(COMM, Evidence(goal="add", goal_cosine=0.8)).scores.goal_alignment
    assert aimed.value == 0.8 and "“add”" in aimed.reason


@given(st.floats(0, 1), st.floats(0.01, 1))
def test_depth_follows_its_formula(weight: float, heaviest: float) -> None:
    settings = EvaluationSettings()
    if weight > heaviest:
        with pytest.raises(ValueError, match="max w"):
            evaluation_depth(weight, heaviest, settings)
        return
    depth = evaluation_depth(weight, heaviest, settings)
    assert settings.d_min <= depth <= settings.d_min + settings.d_range
    assert evaluation_depth(heaviest, heaviest, settings) == settings.d_min + settings.d_range
