from algebra import APPEND, NIL_TERM, XS, YS, ZS, append, length, reverse

from engine.language.term import Equation, Symbol, Term
from engine.language.typing import most_general
from engine.strategy.operators.deduction import chained, overlaps
from engine.strategy.operators.sections import BOOL_TRUE
from engine.trees.canonical import canonical_key, presented_law

LT = Symbol("lt", (*APPEND.params,), BOOL_TRUE.result, "lt")
LE = Symbol("le", (*APPEND.params,), BOOL_TRUE.result, "le")


def yes(relation: Symbol, one: Term, other: Term) -> Equation:
    return Equation(Term(relation, (one, other)), Term(BOOL_TRUE))


def key(conclusion: Equation, *hypotheses: Equation) -> str:
    return canonical_key(presented_law(conclusion.lhs, conclusion.rhs, hypotheses))


def test_a_law_rewritten_by_another() -> None:
    involution = most_general(reverse(reverse(XS)), XS)
    lengths = most_general(length(reverse(XS)), length(XS))
    found = {key(c.conclusion, *c.hypotheses) for c in overlaps(involution, lengths)}
    assert key(Equation(length(reverse(XS)), length(XS))) in found


def test_hypotheses_go_along_in_an_overlap() -> None:
    empty = most_general(reverse(XS), XS, [Equation(length(XS), length(NIL_TERM))])
    lengths = most_general(length(append(reverse(XS), YS)), length(append(XS, reverse(YS))))
    (found,) = overlaps(empty, lengths)
    assert found.hypotheses == (Equation(length(Term("xs_2")), length(NIL_TERM)),)


def test_a_conclusion_meets_a_hypothesis() -> None:
    weaker = most_general(*_sides(yes(LE, XS, YS)), [yes(LT, XS, YS)])
    transitive = most_general(*_sides(yes(LE, XS, ZS)), [yes(LE, XS, YS), yes(LE, YS, ZS)])
    found = {key(c.conclusion, *c.hypotheses) for c in chained(weaker, transitive)}
    assert key(yes(LE, XS, ZS), yes(LT, XS, YS), yes(LE, YS, ZS)) in found
    assert key(yes(LE, XS, ZS), yes(LE, XS, YS), yes(LT, YS, ZS)) in found


def test_a_fact_discharges_a_hypothesis() -> None:
    fact = most_general(length(reverse(XS)), length(XS))
    law = most_general(append(XS, YS), append(YS, XS), [Equation(length(XS), length(YS))])
    found = {key(c.conclusion, *c.hypotheses) for c in chained(fact, law)}
    assert key(Equation(append(reverse(XS), XS), append(XS, reverse(XS)))) in found


def test_hypotheses_between_variables_are_left_alone() -> None:
    law = most_general(reverse(XS), reverse(YS), [Equation(XS, YS)])
    assert list(chained(most_general(append(XS, NIL_TERM), XS), law)) == []


def _sides(equation: Equation) -> tuple[Term, Term]:
    return equation.lhs, equation.rhs
