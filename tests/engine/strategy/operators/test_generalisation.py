from algebra import NIL_TERM, XS, YS, append, length, lists, plus, reverse
from hypothesis import given

from engine.language.rewriting import is_instance
from engine.language.term import Equation, Law, Term
from engine.strategy.operators.generalisation import anti_unified, generalised
from engine.trees.canonical import canonical_key, presented_law


def forms(law: Law) -> set[str]:
    return {
        canonical_key(presented_law(parts[0].lhs, parts[0].rhs, parts[1:]))
        for _, parts in generalised(law)
    }


def key(lhs: Term, rhs: Term, *hypotheses: Equation) -> str:
    return canonical_key(presented_law(lhs, rhs, hypotheses))


def test_a_constant_becomes_a_variable() -> None:
    law = presented_law(append(append(XS, NIL_TERM), YS), append(XS, append(NIL_TERM, YS)))
    assert key(append(append(XS, Term("zs")), YS), append(XS, append(Term("zs"), YS))) in forms(law)


def test_a_repeated_term_becomes_a_variable() -> None:
    law = presented_law(append(append(reverse(XS), YS), XS), append(reverse(XS), append(YS, XS)))
    expected = key(append(append(Term("zs"), YS), XS), append(Term("zs"), append(YS, XS)))
    assert expected in forms(law)


def test_equal_variables_become_different() -> None:
    law = presented_law(length(append(XS, XS)), plus(length(XS), length(XS)))
    assert key(length(append(XS, YS)), plus(length(XS), length(YS))) in forms(law)


def test_a_hypothesis_is_dropped() -> None:
    given_ = Equation(length(XS), length(YS))
    law = presented_law(length(append(XS, YS)), length(append(YS, XS)), [given_])
    assert key(length(append(XS, YS)), length(append(YS, XS))) in forms(law)


@given(lists, lists)
def test_a_law_is_an_instance_of_what_generalises_it(one: Term, other: Term) -> None:
    law = Law(one, other, tuple(presented_law(one, other).types))
    for _, (conclusion, *hypotheses) in generalised(law):
        general = Law(conclusion.lhs, conclusion.rhs, (), tuple(hypotheses))
        assert is_instance(law, general)


@given(lists, lists, lists, lists)
def test_two_laws_are_instances_of_their_common_generalisation(
    one: Term, other: Term, three: Term, four: Term
) -> None:
    first, second = Law(one, other, ()), Law(three, four, ())
    common = anti_unified(first, second)
    if common is not None:
        general = Law(common.lhs, common.rhs, ())
        assert is_instance(first, general)
        assert is_instance(second, general)


def test_the_common_generalisation_of_two_instances() -> None:
    first = Law(append(append(NIL_TERM, XS), YS), append(NIL_TERM, append(XS, YS)), ())
    second = Law(append(append(reverse(XS), XS), YS), append(reverse(XS), append(XS, YS)), ())
    common = anti_unified(first, second)
    assert common is not None
    general = key(append(append(Term("zs"), XS), YS), append(Term("zs"), append(XS, YS)))
    assert canonical_key(presented_law(common.lhs, common.rhs)) == general
