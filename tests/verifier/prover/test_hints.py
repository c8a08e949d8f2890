import pytest
from made_up_theory import THEORY, MadeUpLean, N, app, const, eq, forall, var

from verifier.prover.hints import Direction, Hints, Lemma, orientation
from verifier.prover.rules import Rules, equations, grind_set, rules_for, simp_set
from verifier.prover.shape import Constants

ZERO = const("T.N.zero")


def law(variables: int, conclusion: object) -> object:
    for at in range(variables):
        conclusion = forall(f"x{at}", N, conclusion)
    return conclusion


def add(left: object, right: object) -> object:
    return app("T.add", left, right)


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (law(1, eq(N, add(var(0), ZERO), var(0))), Direction.FORWARD),
        (
            law(3, eq(N, add(add(var(2), var(1)), var(0)), add(var(2), add(var(1), var(0))))),
            Direction.FORWARD,
        ),
        (law(2, eq(N, add(var(1), var(0)), add(var(0), var(1)))), Direction.PERMUTE),
        (law(1, eq(N, var(0), add(var(0), ZERO))), Direction.BACKWARD),
        (
            law(1, eq(N, app("T.twice", var(0)), app("T.twice", app("T.twice", var(0))))),
            Direction.BACKWARD,
        ),
        (law(2, eq(N, add(var(0), ZERO), add(ZERO, var(1)))), Direction.SEARCH),
        (law(2, eq(N, var(0), var(1))), Direction.SEARCH),
        (law(1, app("T.Even", app("T.twice", var(0)))), Direction.FORWARD),
    ],
)
def test_orientation(type_: object, expected: Direction):
    assert orientation(type_) is expected


def test_a_condition_on_other_variables_is_for_the_search():
    condition = app("T.Even", var(0))
    type_ = forall("m", N, forall("n", N, forall("h", condition, eq(N, add(var(2), ZERO), ZERO))))
    assert orientation(type_) is Direction.SEARCH


def test_the_callers_direction_wins_and_unknown_lemmas_are_left_out():
    hints = Hints(lemmas=(Lemma("T.add", Direction.BACKWARD), Lemma("T.none")))
    rules = rules_for(THEORY, ["T.twice"], hints, Constants(MadeUpLean()))
    assert rules == Rules(unfold=("T.twice",), reverse=("T.add",))


def test_rules_as_attributes_and_as_arguments():
    rules = Rules(("f",), ("a",), ("b",), ("c",), ("d",))
    assert simp_set(rules) == "attribute [simp] f a c\nattribute [simp ←] b\n"
    assert grind_set(rules).splitlines()[-1] == "attribute [grind →] d"
    assert rules.simp == ("f", "a", "← b", "c")
    assert rules.grind == ("f", "a", "b", "c", "→ d")
    assert simp_set(Rules()) == ""


def test_equations_leave_no_attribute_behind():
    text = equations(["f", "g"], ["g"])
    assert text == "section\nattribute [local simp] f g\n#check @g.induct\nend\n"
