"""What is left of the cases of an induction, as help for a proof that failed; no Lean is asked."""

from algebra import CONS, NIL, NIL_TERM, XS, YS, X, append, reverse

from engine.language.rewriting import Rewriter
from engine.language.term import Equation, Law, Term
from engine.language.typing import most_general
from engine.strategy.operators.specialisation import cases, remaining_goals

COMMUTES = most_general(append(XS, YS), append(YS, XS))
INVOLUTION = most_general(reverse(reverse(XS)), XS)
HEAD, TAIL = Term("ys_0"), Term("ys_1")


def cons(head: Term, tail: Term) -> Term:
    return Term(CONS, (head, tail))


def definitions() -> Rewriter:
    rewriter = Rewriter()
    for lhs, rhs in (
        (append(NIL_TERM, XS), XS),
        (append(cons(X, XS), YS), cons(X, append(XS, YS))),
        (reverse(NIL_TERM), NIL_TERM),
        (reverse(cons(X, XS)), append(reverse(XS), cons(X, NIL_TERM))),
    ):
        rewriter.add_definition(most_general(lhs, rhs))
    return rewriter


def goals(law: Law, name: str, value: Term) -> list[Equation]:
    return [goal[0] for goal in remaining_goals(law, name, value, definitions())]


def test_each_constructor_is_a_case_of_each_variable() -> None:
    found = list(cases(COMMUTES, [NIL, CONS]))
    assert [(name, value.head) for name, value in found] == [
        ("xs", NIL),
        ("xs", CONS),
        ("ys", NIL),
        ("ys", CONS),
    ]
    assert found[3][1] == cons(HEAD, TAIL)


def test_a_base_case_is_calculated() -> None:
    assert goals(COMMUTES, "ys", NIL_TERM) == [Equation(append(XS, NIL_TERM), XS)]
    assert goals(INVOLUTION, "xs", NIL_TERM) == [], "it closes"


def test_in_a_step_the_hypothesis_is_used_where_it_can_be() -> None:
    """Proved by itself, the second form makes commutativity easy; the first one does not."""
    step = goals(COMMUTES, "ys", cons(HEAD, TAIL))
    assert step == [Equation(append(XS, cons(HEAD, TAIL)), cons(HEAD, append(XS, TAIL)))]


def test_a_step_that_the_hypothesis_does_not_fit_stays_as_calculated() -> None:
    (step,) = goals(INVOLUTION, "xs", cons(Term("xs_0"), Term("xs_1")))
    tail = reverse(Term("xs_1"))
    last = cons(Term("xs_0"), NIL_TERM)
    assert step.lhs == reverse(append(tail, last))


def test_hypotheses_of_the_law_are_calculated_too() -> None:
    law = most_general(XS, YS, [Equation(append(NIL_TERM, XS), append(NIL_TERM, YS))])
    (goal,) = remaining_goals(law, "xs", NIL_TERM, definitions())
    assert goal == [Equation(NIL_TERM, YS), Equation(NIL_TERM, YS)]
