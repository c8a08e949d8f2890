from __future__ import annotations

from algebra import NIL_TERM, XS, YS, append, length, lists, map_, reverse
from hypothesis import given

from engine.judgement.overlap import overlaps, values_at
from engine.language.printing import term_text
from engine.language.term import Term
from engine.language.typing import most_general

COMMUTES = most_general(append(XS, YS), append(YS, XS))
IDLE = most_general(append(XS, NIL_TERM), XS)


def test_two_laws_must_agree_on_the_term_that_both_rewrite() -> None:
    left = most_general(append(XS, YS), XS)
    right = most_general(append(XS, YS), YS)
    found = [
        o for o in overlaps(left, right)
        if o.disagreement.lhs.is_variable and o.disagreement.rhs.is_variable
    ]  # fmt: skip
    assert found, "xs = append xs ys = ys"
    overlap = found[0]
    values = {name: f"value {i}" for i, (name, _) in enumerate(overlap.disagreement.types)}
    first = values_at(overlap.first, overlap.disagreement, values)
    second = values_at(overlap.second, overlap.disagreement, values)
    assert first is not None and first == second
    assert {term_text(t) for t in first.values()} == {"(value 0)", "(value 1)"}


def test_an_overlap_instantiates_both_laws_to_the_same_term() -> None:
    for overlap in overlaps(COMMUTES, IDLE):
        one = COMMUTES.lhs.substitute(overlap.first), COMMUTES.rhs.substitute(overlap.first)
        other = IDLE.lhs.substitute(overlap.second), IDLE.rhs.substitute(overlap.second)
        terms = {*one, *other}
        assert {overlap.disagreement.lhs, overlap.disagreement.rhs} & terms


def test_a_variable_that_vanishes_gets_a_value_too() -> None:
    constant = most_general(length(append(XS, YS)), length(XS))
    swapped = most_general(length(append(XS, YS)), length(YS))
    for overlap in overlaps(constant, swapped):
        names = {v for term in overlap.first.values() for v in term.variables()}
        assert names <= {name for name, _ in overlap.disagreement.types}
        assert values_at(overlap.first, overlap.disagreement, {}) is None


def test_the_disagreement_keeps_the_types_of_both_laws() -> None:
    left = most_general(append(XS, YS), XS)
    right = most_general(append(XS, YS), YS)
    for overlap in overlaps(left, right):
        assert all(t.head == "L" for _, t in overlap.disagreement.types)


def test_laws_of_other_functions_do_not_meet() -> None:
    mapped = most_general(map_(Term("f"), NIL_TERM), NIL_TERM)
    assert not [o for o in overlaps(mapped, most_general(length(XS), length(reverse(XS))))]


@given(lists, lists)
def test_a_law_agrees_with_itself_at_the_root(lhs: Term, rhs: Term) -> None:
    law = most_general(lhs, rhs)
    for overlap in overlaps(law, law):
        assert overlap.disagreement.lhs != overlap.disagreement.rhs
        assert set(overlap.first) == set(overlap.second) == {name for name, _ in law.types}
