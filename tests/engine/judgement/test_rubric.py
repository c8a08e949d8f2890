import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.judgement.rubric import Evidence, evaluation_depth, judge, weighted_sum
from engine.language.rewriting import Rewriter
from engine.language.term import Symbol, Term, Type
from engine.language.typing import most_general
from engine.model import Scores
from engine.settings import EvaluationSettings, RubricSettings

N = Type("N")
ADD = Symbol("add", (N, N), N, "add")
ZERO = Symbol("zero", (), N, "zero", is_constructor=True)
CORE = Symbol("core", (N, N), N, "core", is_background=True)
ADD_ZERO = most_general(Term(ADD, (Term("a"), Term(ZERO))), Term("a"))
COMM = most_general(Term(ADD, (Term("a"), Term("b"))), Term(ADD, (Term("b"), Term("a"))))
GOOD = Evidence(nearest=0.2, goal_cosine=None, parents_known=1.0)
SETTINGS = RubricSettings()

scores = st.builds(
    Scores,
    **{name: st.floats(0, 1) for name in Scores.model_fields},
)


@given(scores)
def test_the_sum_stays_between_the_least_and_the_greatest_score(given_scores: Scores) -> None:
    values = given_scores.model_dump().values()
    total = weighted_sum(given_scores, SETTINGS)
    assert min(values) - 1e-9 <= total <= max(values) + 1e-9


def test_a_new_law_is_kept() -> None:
    judgement = judge(COMM, GOOD, [("add_zero", ADD_ZERO)], Rewriter([ADD_ZERO]), SETTINGS)
    assert judgement.kept
    assert judgement.total >= SETTINGS.threshold


def test_a_fabricated_parent_is_named() -> None:
    evidence = Evidence(nearest=0.0, goal_cosine=None, parents_known=0.5)
    assert "fabricated" in judge(COMM, evidence, [], Rewriter(), SETTINGS).reason


def test_an_instance_and_a_consequence_are_pruned() -> None:
    instance = most_general(Term(ADD, (Term(ZERO), Term(ZERO))), Term(ZERO))
    judged = judge(instance, GOOD, [("add_zero", ADD_ZERO)], Rewriter(), SETTINGS)
    assert judged.reason == "an instance of add_zero"
    nested = most_general(
        Term(ADD, (Term(ADD, (Term("a"), Term(ZERO))), Term("b"))),
        Term(ADD, (Term("a"), Term("b"))),
    )
    assert "calculation" in judge(nested, GOOD, [], Rewriter([ADD_ZERO]), SETTINGS).reason


def test_a_law_of_core_functions_is_pruned() -> None:
    core = most_general(Term(CORE, (Term("a"), Term("b"))), Term(CORE, (Term("b"), Term("a"))))
    assert "core functions" in judge(core, GOOD, [], Rewriter(), SETTINGS).reason


def test_a_low_sum_is_pruned_with_its_figure() -> None:
    strict = RubricSettings(threshold=0.99)
    assert "below the threshold 0.99" in judge(COMM, GOOD, [], Rewriter(), strict).reason


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
