from algebra import APPEND, CONS, LENGTH, NIL_TERM, XS, YS, F, X, append, lists, map_, reverse
from hypothesis import given

from engine.language.term import Term, Type, curried, match, type_variable


def test_size_counts_symbols_and_variables() -> None:
    assert append(XS, reverse(YS)).size == 4
    assert map_(F, XS).size == 3


@given(lists)
def test_every_position_leads_back_to_its_subterm(term: Term) -> None:
    for path, part in term.positions():
        assert term.replace_at(path, part) == term


@given(lists, lists)
def test_a_term_matches_its_instances(pattern: Term, value: Term) -> None:
    instance = pattern.substitute({"xs": value, "ys": XS, "zs": NIL_TERM})
    bound = match(pattern, instance)
    assert bound is not None
    assert pattern.substitute(bound) == instance


def test_a_repeated_variable_must_match_the_same_term() -> None:
    assert match(append(XS, XS), append(YS, YS)) == {"xs": YS}
    assert match(append(XS, XS), append(YS, NIL_TERM)) is None


def test_an_applied_variable_matches_a_symbol_application() -> None:
    assert match(Term("f", (X,)), Term(LENGTH, (XS,))) == {"f": Term(LENGTH), "x": XS}
    assert match(Term("f", (X,)), Term(CONS, (X, XS))) == {"f": Term(CONS, (X,)), "x": XS}
    assert match(Term("f", (X,)), XS) is None


def test_substituting_a_function_applies_it() -> None:
    assert Term("f", (X,)).substitute({"f": Term(CONS, (YS,))}) == Term(CONS, (YS, X))


def test_replacing_symbols_keeps_arguments() -> None:
    assert append(XS, YS).replace_symbols({"append": CONS}) == Term(CONS, (XS, YS))
    assert append(XS, YS).replace_symbols({"other": CONS}) == append(XS, YS)


def test_types_substitute_through_chains() -> None:
    a, b = type_variable("a"), type_variable("b")
    assert a.substitute({"a": b, "b": Type("Nat")}) == Type("Nat")
    assert curried(APPEND.params, APPEND.result).is_function
