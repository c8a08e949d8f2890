from algebra import (
    APPEND,
    LENGTH,
    LIST,
    MAP,
    NAT,
    NIL_TERM,
    REVERSE,
    XS,
    YS,
    ZS,
    A,
    F,
    X,
    append,
    length,
    lists,
    map_,
    plus,
    reverse,
)
from hypothesis import given
from hypothesis import strategies as st

from engine.language.core import BACKGROUND, core_laws
from engine.language.rewriting import (
    Rewriter,
    greater,
    ground_greater,
    is_commutativity,
    is_instance,
    oriented,
    presented,
)
from engine.language.term import Law, Symbol, Term, function_type
from engine.language.typing import most_general
from engine.trees.canonical import presented_law

APPEND_NIL = most_general(append(XS, NIL_TERM), XS)
ASSOC = most_general(append(append(XS, YS), ZS), append(XS, append(YS, ZS)))
REVERSE_TWICE = most_general(reverse(reverse(XS)), XS)
COMM = most_general(plus(length(XS), X), plus(X, length(XS)))
PLUS_COMM = most_general(plus(Term("m"), Term("n")), plus(Term("n"), Term("m")))
LENGTH_APPEND = most_general(length(append(XS, YS)), plus(length(XS), length(YS)))


@given(lists, lists)
def test_the_order_is_irreflexive_and_asymmetric(one: Term, other: Term) -> None:
    assert not greater(one, one)
    assert not (greater(one, other) and greater(other, one))


@given(lists, lists, lists)
def test_the_order_is_closed_under_substitution(one: Term, other: Term, value: Term) -> None:
    if greater(one, other):
        bound = {"xs": value, "ys": NIL_TERM}
        assert greater(one.substitute(bound), other.substitute(bound))


@given(lists, lists)
def test_the_ground_order_is_total(one: Term, other: Term) -> None:
    assert (one == other) + ground_greater(one, other) + ground_greater(other, one) == 1


def test_different_variables_are_never_compared() -> None:
    assert not greater(plus(XS, YS), plus(YS, XS))
    assert not greater(plus(YS, XS), plus(XS, YS))


@given(lists)
def test_normal_forms_are_stable(term: Term) -> None:
    rewriter = Rewriter([APPEND_NIL, ASSOC, REVERSE_TWICE])
    normal = rewriter.normal(term)
    assert rewriter.normal(normal) == normal
    assert all(rewriter.step(part) is None for part in normal.subterms())


def test_consequences_join() -> None:
    rewriter = Rewriter([APPEND_NIL, REVERSE_TWICE])
    assert rewriter.joins(most_general(reverse(reverse(append(XS, NIL_TERM))), XS))
    assert not rewriter.joins(most_general(append(NIL_TERM, XS), XS))


def test_commutativity_rewrites_in_one_direction_only() -> None:
    rewriter = Rewriter([PLUS_COMM])
    one, other = plus(Term("a"), Term("b")), plus(Term("b"), Term("a"))
    assert rewriter.normal(one) == rewriter.normal(other)


def test_rules_of_a_commutative_symbol_hold_both_ways() -> None:
    zero = Term("z")
    rule = Law(plus(zero, NIL_TERM), zero, ())
    for laws in ([PLUS_COMM, rule], [rule, PLUS_COMM]):
        rewriter = Rewriter(laws)
        assert rewriter.normal(plus(NIL_TERM, length(XS))) == length(XS)


@given(st.permutations("abcde"), st.permutations("abcde"))
def test_sums_in_any_order_and_grouping_join(one: list[str], other: list[str]) -> None:
    (sum_,) = (s for s in BACKGROUND["Nat"] if s.name == "HAdd.hAdd Nat")

    def added(names: list[str], grouped: bool) -> Term:
        terms = [length(Term(n)) for n in names]
        if grouped:
            left = Term(sum_, (terms[0], terms[1]))
            return Term(sum_, (left, Term(sum_, (Term(sum_, (terms[2], terms[3])), terms[4]))))
        total = terms[0]
        for term in terms[1:]:
            total = Term(sum_, (total, term))
        return total

    rewriter = Rewriter(core_laws())
    assert rewriter.normal(added(one, True)) == rewriter.normal(added(other, False))


def test_definitions_rewrite_from_left_to_right() -> None:
    rewriter = Rewriter()
    rewriter.add_definition(most_general(reverse(XS), append(XS, XS)))
    assert rewriter.normal(reverse(NIL_TERM)) == append(NIL_TERM, NIL_TERM)


def test_a_looping_definition_ends() -> None:
    rewriter = Rewriter()
    rewriter.add_definition(most_general(reverse(XS), reverse(append(XS, XS))))
    rewriter.normal(reverse(NIL_TERM))
    growing = Rewriter()
    growing.add_definition(most_general(reverse(XS), append(reverse(reverse(XS)), XS)))
    growing.normal(reverse(NIL_TERM))


def test_instances_are_recognised_either_way_round() -> None:
    assert is_instance(most_general(append(reverse(XS), NIL_TERM), reverse(XS)), APPEND_NIL)
    assert is_instance(most_general(XS, append(XS, NIL_TERM)), APPEND_NIL)
    assert not is_instance(APPEND_NIL, most_general(append(XS, YS), append(YS, XS)))


def test_commutativity_is_recognised_by_shape() -> None:
    assert is_commutativity(PLUS_COMM)
    assert not is_commutativity(COMM)
    assert not is_commutativity(APPEND_NIL)


def test_the_greater_side_is_on_the_left() -> None:
    assert oriented(APPEND_NIL.flipped()) == APPEND_NIL
    assert oriented(LENGTH_APPEND).lhs.head == LENGTH


def test_a_distribution_is_read_inwards() -> None:
    law = most_general(append(map_(F, XS), map_(F, YS)), map_(F, append(XS, YS)))
    assert presented(law).lhs.head == MAP
    anti = most_general(append(reverse(YS), reverse(XS)), reverse(append(XS, YS)))
    assert presented(anti).lhs.head == REVERSE
    assert presented(ASSOC).lhs == ASSOC.lhs
    assert presented(ASSOC).lhs.head == APPEND


def test_functions_that_distribute_over_each_other_come_to_an_end() -> None:
    one, two = (Symbol(n, (LIST, LIST), LIST, n) for n in ("meet", "join"))

    def over(outer: Symbol, inner: Symbol) -> Law:
        lhs = Term(outer, (Term(inner, (XS, YS)), ZS))
        rhs = Term(inner, (Term(outer, (XS, ZS)), Term(outer, (YS, ZS))))
        return presented_law(lhs, rhs)

    rewriter = Rewriter([over(one, two), over(two, one)])
    deep = Term(one, (Term(two, (Term(one, (XS, YS)), Term(two, (YS, ZS)))), Term(two, (XS, ZS))))
    assert rewriter.normal(deep).size < 40
    assert rewriter.joins(over(one, two))


def test_rules_hold_for_both_orders_of_a_commutative_function_inside() -> None:
    m, n = Term("m"), Term("n")
    nat = (("m", NAT), ("n", NAT))
    rewriter = Rewriter([Law(plus(m, n), plus(n, m), nat)])
    rewriter.add(Law(length(append(XS, XS)), plus(length(XS), length(XS)), (("xs", LIST),)))
    double = Symbol("double", (NAT,), NAT, "double")
    rewriter.add(Law(Term(double, (plus(m, Term(double, (n,))),)), m, nat))
    assert rewriter.normal(Term(double, (plus(Term(double, (n,)), m),))) == m


def test_a_law_between_functions_rewrites_their_applications() -> None:
    types = (("f", function_type(A, A)),)
    rewriter = Rewriter([Law(Term(MAP, (F,)), Term(REVERSE), types)])
    assert rewriter.normal(map_(F, XS)) == reverse(XS)


def test_a_law_that_is_left_out_proves_nothing() -> None:
    rewriter = Rewriter([REVERSE_TWICE, ASSOC])
    thrice = most_general(reverse(reverse(reverse(XS))), reverse(XS))
    assert rewriter.joins_without(thrice, [ASSOC])
    assert not rewriter.joins_without(thrice, [REVERSE_TWICE])
    assert not rewriter.joins_without(REVERSE_TWICE, [REVERSE_TWICE])
    assert rewriter.joins(thrice), "it is back"


def test_functions_agree_where_their_values_do() -> None:
    rewriter = Rewriter([ASSOC])
    joined = Term(APPEND, (append(XS, YS),))
    assert rewriter.agree(joined, joined)
    assert not rewriter.agree(joined, Term(APPEND, (append(YS, XS),)))
    rewriter.add_definition(most_general(Term(MAP, (F, NIL_TERM)), NIL_TERM))
    constant = Symbol("constant", (LIST, A), LIST, "constant")
    rewriter.add_definition(most_general(Term(constant, (XS, X)), XS))
    twice = Term(constant, (append(append(XS, YS), ZS),))
    assert rewriter.agree(twice, Term(constant, (append(XS, append(YS, ZS)),)))
    other = Symbol("other", (LIST, A), LIST, "other")
    rewriter.add_definition(most_general(Term(other, (XS, X)), XS))
    assert rewriter.agree(Term(other, (XS,)), Term(constant, (XS,))), "by extensionality"
    assert not rewriter.agree(Term(other, (XS,)), Term(constant, (YS,)))
    law = most_general(Term(other, (XS,)), Term(constant, (XS,)))
    assert rewriter.joins(law)


@given(lists, lists)
def test_what_is_no_function_agrees_when_its_normal_forms_are_one(one: Term, other: Term) -> None:
    rewriter = Rewriter([APPEND_NIL, ASSOC, REVERSE_TWICE])
    assert rewriter.agree(one, other) == (rewriter.normal(one) == rewriter.normal(other))
