from algebra import CONS, LENGTH, NIL_TERM, XS, YS, X, append, lists, reverse
from hypothesis import given

from engine.language.term import Term
from engine.language.typing import most_general
from engine.language.unification import rename_apart, unify


@given(lists, lists)
def test_a_unifier_makes_the_terms_equal(one: Term, other: Term) -> None:
    renamed = other.substitute({n: Term(f"{n}_2") for n in ("xs", "ys", "zs")})
    bound = unify(one, renamed)
    if bound is not None:
        assert one.substitute(bound) == renamed.substitute(bound)


def test_the_occurs_check_refuses_cycles() -> None:
    assert unify(XS, reverse(XS)) is None
    assert unify(append(XS, XS), append(YS, reverse(YS))) is None


def test_different_symbols_do_not_unify() -> None:
    assert unify(reverse(XS), append(XS, YS)) is None
    assert unify(NIL_TERM, reverse(XS)) is None


def test_an_applied_variable_takes_the_head() -> None:
    assert unify(Term("f", (X,)), Term(LENGTH, (XS,))) == {"f": Term(LENGTH), "x": XS}
    assert unify(Term("f", (X,)), Term(CONS, (X, XS))) is None


def test_renaming_apart_shares_nothing() -> None:
    law = most_general(append(XS, YS), YS)
    renamed = rename_apart(law, "_1")
    assert set(renamed.lhs.variables()).isdisjoint(law.lhs.variables())
    assert [n for n, _ in renamed.types] == ["xs_1", "ys_1"]
