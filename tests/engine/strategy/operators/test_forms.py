from algebra import NIL_TERM, XS, YS, ZS, append, length, lists, plus, reverse
from hypothesis import given

from engine.language.core import EQ, FALSE, TRUE
from engine.language.rewriting import Rewriter
from engine.language.term import Equation, Term
from engine.strategy.operators.forms import (
    clash,
    constant_last,
    injective,
    reordered,
    says_reflexive,
    simplifies,
    substituted,
)
from engine.strategy.operators.sections import BOOL_FALSE, BOOL_TRUE, denied
from engine.trees.canonical import presented_law


def test_a_hypothesis_that_says_what_a_variable_is_is_put_in() -> None:
    law = Equation(append(XS, YS), ZS)
    assert substituted(law, [Equation(YS, NIL_TERM)]) == [Equation(append(XS, NIL_TERM), ZS)]
    kept = [Equation(YS, append(YS, XS))]
    assert substituted(law, kept) == [law, *kept]


def test_constructors_clash_and_functions_do_not() -> None:
    assert clash(Term(BOOL_TRUE), Term(BOOL_FALSE))
    assert clash(Term(TRUE), Term(FALSE))
    assert not clash(NIL_TERM, XS)
    assert not clash(NIL_TERM, reverse(XS))
    assert not clash(NIL_TERM, NIL_TERM)


def test_constants_stand_on_the_right() -> None:
    assert constant_last(Equation(NIL_TERM, XS)) == Equation(XS, NIL_TERM)
    differ = Term(EQ, (NIL_TERM, XS))
    assert constant_last(Equation(differ, Term(FALSE))) == Equation(
        Term(EQ, (XS, NIL_TERM)), Term(FALSE)
    )


@given(lists, lists)
def test_putting_constants_last_changes_no_meaning_and_is_done_once(one: Term, other: Term) -> None:
    turned = constant_last(Equation(one, other))
    assert {turned.lhs, turned.rhs} == {one, other}
    assert constant_last(turned) == turned


def test_what_is_denied() -> None:
    assert denied(Equation(XS, Term(BOOL_TRUE))) == Equation(XS, Term(BOOL_FALSE))
    assert denied(Equation(XS, YS)) == Equation(Term(EQ, (XS, YS)), Term(FALSE))


def test_injectivity_is_recognised_in_any_place() -> None:
    law = presented_law(YS, ZS, [Equation(append(XS, YS), append(XS, ZS))])
    section = injective(law)
    assert section is not None
    assert (section.symbol.name, section.place) == ("append", 1)
    assert injective(presented_law(XS, YS, [Equation(length(XS), length(YS))])) is not None
    assert injective(presented_law(XS, ZS, [Equation(append(XS, YS), append(YS, ZS))])) is None


def test_a_hypothesis_that_simplifies_the_conclusion() -> None:
    known = Rewriter([presented_law(reverse(reverse(XS)), XS)])
    given_ = [Equation(reverse(XS), NIL_TERM)]
    assert simplifies(presented_law(append(reverse(XS), YS), ZS, given_), known)
    assert not simplifies(presented_law(append(YS, ZS), append(ZS, YS), given_), known)


def test_relations_of_a_term_to_itself() -> None:
    assert says_reflexive(Equation(plus(length(XS), length(XS)), Term(BOOL_TRUE)))
    assert not says_reflexive(Equation(plus(length(XS), length(YS)), Term(BOOL_TRUE)))
    assert not says_reflexive(Equation(plus(length(XS), length(XS)), length(XS)))


def test_other_orders_of_commutative_arguments() -> None:
    law = presented_law(plus(length(XS), length(YS)), length(append(XS, YS)))
    written = list(reordered(law, {"plus Nat"}))
    assert len(written) == 2
    assert {o.lhs.args for o in written} | {o.rhs.args for o in written} >= {
        (length(XS), length(YS)),
        (length(YS), length(XS)),
    }
    assert list(reordered(law, set())) == [law]
