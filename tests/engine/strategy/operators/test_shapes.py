from dataclasses import replace

from algebra import APPEND, NIL_TERM, XS, YS, ZS, X, append, length, lists, plus, reverse
from hypothesis import given

from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.model import Label
from engine.strategy.operators import KnownLaw
from engine.strategy.operators.shapes import correspondences, shape
from engine.trees.canonical import presented_law

N = Type("N")
ADD = Symbol("add", (N, N), N, "add")
MUL = Symbol("mul", (N, N), N, "mul")
ZERO = Symbol("zero", (), N, "zero", is_constructor=True)
ONE = Symbol("one", (), N, "one")
A, B, C = (Term(n) for n in "abc")


def known(*laws: Law) -> list[KnownLaw]:
    return [KnownLaw(f"n{i}", f"law{i}", law, Label.VERIFIED) for i, law in enumerate(laws)]


def monoid(operation: Symbol, unit: Symbol) -> list[Law]:
    def apply(a: Term, b: Term) -> Term:
        return Term(operation, (a, b))

    return [
        presented_law(apply(A, Term(unit)), A),
        presented_law(apply(Term(unit), A), A),
        presented_law(apply(apply(A, B), C), apply(A, apply(B, C))),
    ]


@given(lists, lists)
def test_a_shape_forgets_names_and_direction(one: Term, other: Term) -> None:
    law = Law(one, other, ())
    other_name = replace(APPEND, name="plus")
    renamed = Law(
        one.replace_symbols({"append": other_name}),
        other.replace_symbols({"append": other_name}),
        (),
    )
    assert {text for text, _ in shape(law)} == {text for text, _ in shape(law.flipped())}
    assert {text for text, _ in shape(law)} == {text for text, _ in shape(renamed)}


def test_a_shape_keeps_what_is_equal_and_the_hypotheses() -> None:
    unit = presented_law(append(XS, NIL_TERM), XS)
    other = presented_law(append(XS, NIL_TERM), YS)
    assert shape(unit) != shape(other)
    given_ = presented_law(append(XS, NIL_TERM), XS, [Equation(reverse(XS), XS)])
    assert shape(unit) != shape(given_)


def test_monoids_correspond_and_the_score_counts_their_laws() -> None:
    lists_, numbers = monoid(APPEND, NIL_TERM.head), monoid(ADD, ZERO)  # type: ignore[arg-type]
    best = correspondences(known(*lists_, *numbers))[0]
    assert {n: s.name for n, s in best.moved.items()} in (
        {"append": "add", "nil": "zero"},
        {"add": "append", "zero": "nil"},
        {"add": "append", "zero": "nil", "append": "add", "nil": "zero"},
    )
    fewer = correspondences(known(*lists_[:1], *numbers))[0]
    assert best.score > fewer.score > 0


def test_a_correspondence_is_one_to_one() -> None:
    laws = known(*monoid(ADD, ZERO), *monoid(MUL, ONE), presented_law(plus(length(XS), A), X))
    for correspondence in correspondences(laws):
        images = [image.name for _, image in correspondence.pairs]
        assert len(images) == len(set(images))


def test_nothing_corresponds_where_no_two_laws_are_alike() -> None:
    laws = known(presented_law(append(XS, NIL_TERM), XS), presented_law(reverse(reverse(ZS)), ZS))
    assert [c for c in correspondences(laws) if c.moved] == []
