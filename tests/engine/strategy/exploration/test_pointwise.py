"""Laws of functions, said of their values."""

from algebra import APPEND, NIL_TERM, XS, YS, append, reverse

from engine.language.rewriting import Rewriter
from engine.language.term import Term
from engine.language.typing import most_general
from engine.strategy.exploration.pointwise import pointwise

APPEND_NIL = most_general(append(XS, NIL_TERM), XS)
SAME = most_general(Term(APPEND, (append(XS, NIL_TERM),)), Term(APPEND, (reverse(reverse(XS)),)))


def test_a_law_of_partial_applications_gets_their_arguments() -> None:
    said = pointwise(SAME, Rewriter())
    assert {said.lhs, said.rhs} == {
        append(append(XS, NIL_TERM), YS),
        append(reverse(reverse(XS)), YS),
    }


def test_its_sides_are_calculated_where_that_makes_them_no_larger() -> None:
    said = pointwise(SAME, Rewriter([APPEND_NIL]))
    assert {said.lhs, said.rhs} == {append(XS, YS), append(reverse(reverse(XS)), YS)}


def test_a_law_of_values_stays_as_it_is() -> None:
    assert pointwise(APPEND_NIL, Rewriter()) is APPEND_NIL
