"""Laws with hypotheses and predicates: how they are written, compared and calculated with."""

from itertools import permutations

from algebra import MAP, NAT, NIL_TERM, XS, ZERO, F, append, map_, plus
from hypothesis import given
from hypothesis import strategies as st

from engine.language.core import EQ, FALSE, TRUE
from engine.language.printing import proposition_text, signature_text, term_text
from engine.language.rewriting import Rewriter, is_instance
from engine.language.term import PROPOSITION, Equation, Law, Symbol, Term, Type
from engine.language.unification import rename_apart
from engine.trees.canonical import canonical_key, with_canonical_names

N = Type("N")
BOOL = Type("Bool")
LE = Symbol("le", (N, N), BOOL, "le")
MIN = Symbol("min", (N, N), N, "min")
YES = Symbol("true", (), BOOL, "true", is_constructor=True, is_background=True)
EVEN = Symbol("Even", (N,), Type(PROPOSITION), "Even")
DOUBLE = Symbol("double", (N,), N, "double")
A, B, C = Term("a"), Term("b"), Term("c")


def le(one: Term, other: Term) -> Equation:
    return Equation(Term(LE, (one, other)), Term(YES))


def minimum(one: Term, other: Term) -> Term:
    return Term(MIN, (one, other))


def even(term: Term) -> Equation:
    return Equation(Term(EVEN, (term,)), Term(TRUE))


def law(conclusion: Equation, *hypotheses: Equation) -> Law:
    return with_canonical_names(conclusion.lhs, conclusion.rhs, hypotheses)


MIN_LEFT = law(Equation(minimum(A, B), A), le(A, B))
TRANSITIVE = law(le(A, C), le(A, B), le(B, C))


def test_hypotheses_are_binders_behind_the_variables() -> None:
    assert signature_text(MIN_LEFT) == "(a b : N) (h : le a b = true) : min a b = a"
    assert signature_text(TRANSITIVE) == (
        "(a b c : N) (h₁ : le a c = true) (h₂ : le c b = true) : le a b = true"
    )
    assert proposition_text(MIN_LEFT) == "le a b = true → min a b = a"


def test_the_name_of_a_hypothesis_is_not_that_of_a_variable() -> None:
    functions = [Term(MAP, (Term(name), XS)) for name in "fgh"]
    nested = append(append(functions[0], functions[1]), functions[2])
    named = with_canonical_names(nested, NIL_TERM, [Equation(XS, NIL_TERM)])
    assert [name for name, t in named.types if t.is_function] == ["f", "g", "h"]
    assert "(h' : xs = nil)" in signature_text(named)


def test_propositions_are_written_as_such() -> None:
    double = Term(DOUBLE, (A,))
    assert proposition_text(law(even(double))) == "Even (double a)"
    odd = Equation(Term(EVEN, (A,)), Term(FALSE))
    assert proposition_text(law(odd)) == "¬ Even a"
    assert proposition_text(law(Equation(Term(EVEN, (A,)), Term(EVEN, (B,))))) == "Even a ↔ Even b"
    apart = Equation(Term(EQ, (double, A)), Term(FALSE))
    assert proposition_text(law(apart)) == "double a ≠ a"
    injective = law(Equation(Term(EQ, (double, Term(DOUBLE, (B,)))), Term(EQ, (A, B))))
    assert proposition_text(injective) == "double a = double b ↔ a = b"


def test_a_function_without_all_its_arguments_is_written() -> None:
    assert term_text(map_(Term(MAP, (F,)), XS)) == "map (map f) xs"
    partial = Term(plus(Term(ZERO), Term(ZERO)).head, (Term("n"),))
    assert term_text(map_(partial, XS)) == "map (n + ·) xs"
    types = dict(with_canonical_names(map_(partial, XS), XS).types)
    assert types["xs"].args == (NAT,)


def test_order_direction_and_names_do_not_change_the_key() -> None:
    renamed = rename_apart(TRANSITIVE, "_9")
    for hypotheses in permutations(renamed.hypotheses):
        flipped = tuple(h.flipped() for h in hypotheses)
        for version in (hypotheses, flipped):
            same = Law(renamed.lhs, renamed.rhs, renamed.types, version)
            assert canonical_key(same) == canonical_key(TRANSITIVE)
            assert canonical_key(same.flipped()) == canonical_key(TRANSITIVE)


def test_a_hypothesis_more_is_another_law() -> None:
    unconditional = law(Equation(minimum(A, B), A))
    assert canonical_key(unconditional) != canonical_key(MIN_LEFT)
    assert is_instance(MIN_LEFT, unconditional)
    assert not is_instance(unconditional, MIN_LEFT)


def test_an_instance_has_the_instances_of_the_hypotheses() -> None:
    deeper = minimum(minimum(A, C), B)
    given_ = law(Equation(deeper, minimum(A, C)), le(minimum(A, C), B), le(A, C))
    assert is_instance(given_, MIN_LEFT)
    other = law(Equation(deeper, minimum(A, C)), le(B, minimum(A, C)))
    assert not is_instance(other, MIN_LEFT)


def test_a_variable_of_the_hypotheses_alone_is_found() -> None:
    chain = law(le(A, B), le(A, minimum(A, B)), le(minimum(A, B), B))
    assert is_instance(chain, TRANSITIVE)
    broken = law(le(A, B), le(A, minimum(A, B)), le(minimum(B, A), B))
    assert not is_instance(broken, TRANSITIVE)


def test_a_conditional_law_rewrites_where_its_hypothesis_holds() -> None:
    reflexive = law(le(A, A))
    rewriter = Rewriter([MIN_LEFT, reflexive])
    assert rewriter.normal(minimum(A, A)) == A
    assert rewriter.normal(minimum(A, B)) == minimum(A, B)


def test_a_law_follows_from_its_hypotheses_by_calculation() -> None:
    rewriter = Rewriter([MIN_LEFT])
    follows = law(Equation(minimum(minimum(A, B), B), A), le(A, B))
    assert rewriter.joins(follows)
    assert not rewriter.joins(law(follows.conclusion))
    assert not rewriter.joins(law(follows.conclusion, le(B, A)))


def test_an_equality_among_the_hypotheses_is_used() -> None:
    rewriter = Rewriter()
    equal = Equation(Term(EQ, (A, minimum(B, B))), Term(TRUE))
    assert rewriter.joins(law(Equation(minimum(A, C), minimum(minimum(B, B), C)), equal))
    assert rewriter.joins(law(Equation(Term(EQ, (A, B)), Term(TRUE)), Equation(B, A)))


def test_hypotheses_are_not_remembered_afterwards() -> None:
    rewriter = Rewriter()
    assert rewriter.joins(law(Equation(A, B), Equation(A, B)))
    assert not rewriter.joins(law(Equation(A, B)))


terms = st.recursive(
    st.sampled_from([A, B, C]), lambda inner: st.builds(minimum, inner, inner), max_leaves=5
)


@given(terms, terms, terms, terms)
def test_a_law_is_an_instance_of_itself(one: Term, two: Term, three: Term, four: Term) -> None:
    some = law(Equation(one, two), le(three, four))
    assert is_instance(some, some)
    assert is_instance(some, rename_apart(some, "_1"))
    assert Rewriter([some]).joins(law(Equation(one, one)))


def test_conditions_that_need_each_other_end() -> None:
    """Each of two rules needs the other one's conclusion for its condition."""
    here, there = Equation(minimum(A, B), A), Equation(minimum(A, B), B)
    rewriter = Rewriter([law(here, there), law(there, here)])
    assert rewriter.normal(minimum(A, minimum(B, C))) is not None
