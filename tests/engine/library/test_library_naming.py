from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.language.core import EQ, FALSE
from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.library.naming import (
    MAX_LENGTH,
    choose_name,
    is_free_identifier,
    law_sides,
    proposals,
    word,
)

VARIABLES = ("x", "y", "z", "xs", "ys", "zs", "n", "f")


def name(left: str, right: str = "", **options: object) -> str:
    return choose_name(left.split(), right.split(), variables=VARIABLES, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("append xs nil", "xs", "append_nil"),
        ("append xs Seq.nil", "xs", "append_nil"),
        ("reverse append xs ys", "append reverse ys reverse xs", "reverse_append"),
        ("reverse reverse xs", "xs", "reverse_reverse"),
        ("append append xs ys zs", "append xs append ys zs", "append_assoc"),
        ("plus plus x y z", "plus x plus y z", "plus_assoc"),
        ("plus x y", "plus y x", "plus_comm"),
        ("plus x plus y z", "plus y plus x z", "plus_left_comm"),
        ("plus plus x y z", "plus plus x z y", "plus_right_comm"),
        ("max x x", "x", "max_self"),
        ("sub x x", "zero", "sub_self"),
        ("le x x", "", "le_refl"),
        ("append append xs ys zs", "append zs ys", "append_append"),
        ("double x", "add x x", "double_eq_add"),
        ("cap x", "x", "cap_eq_self"),
        ("length append xs ys", "HAdd.hAdd length xs length ys", "length_append"),
        ("length nil", "0", "length_nil"),
        ("mapTree f mirror x", "mirror mapTree f x", "mapTree_mirror"),
        ("HAdd.hAdd x 0", "x", "add_zero"),
        ("«++» xs nil", "xs", "append_nil"),
        ("x", "f", "self_eq_self"),
        ("sorted sort xs", "", "sorted_sort"),
    ],
)
def test_names_in_the_manner_of_mathlib(left: str, right: str, expected: str) -> None:
    if right == "f":
        assert choose_name(["x"], ["y"], variables=VARIABLES) == "law"
        return
    assert name(left, right) == expected


def test_a_taken_name_gives_way() -> None:
    left, right = "append append xs ys zs", "append xs append ys zs"
    assert name(left, right, taken={"append_assoc"}) == "append_append"
    taken = {"append_assoc", "append_append"}
    assert name(left, right, taken=taken) == "append_append_eq_append_append"
    taken.add("append_append_eq_append_append")
    assert name(left, right, taken=taken.__contains__) == "append_assoc_2"


def test_hypotheses_are_told() -> None:
    assert name("length drop n xs", "zero", hypotheses=[["le", "length", "xs", "n"]]) == (
        "length_drop_of_le_length"
    )


@pytest.mark.parametrize("symbol", ["end", "eq", "match", "_", "3x", "'", "«»", "λ", "Σ", "rec"])
def test_odd_symbols_still_give_names(symbol: str) -> None:
    first = list(islice(proposals([symbol, "x"], ["x"], variables={"x"}), 5))
    assert all(is_free_identifier(each) for each in first) and len(set(first)) == 5


def test_laws() -> None:
    n = Type("N")
    add = Symbol("Naturals.add", (n, n), n)
    x, y = Term("x"), Term("y")
    law = Law(Term(add, (x, y)), Term(add, (y, x)), (("x", n), ("y", n)))
    assert choose_name(**law_sides(law)._asdict()) == "add_comm"


def test_conditional_laws_and_predicates() -> None:
    n, truth = Type("N"), Type("Bool")
    le = Symbol("le", (n, n), truth)
    minimum, sort = Symbol("min", (n, n), n), Symbol("sort", (n,), n)
    is_sorted = Symbol("sorted", (n,), truth)
    yes, no = Term(Symbol("Bool.true", (), truth)), Term(Symbol("Bool.false", (), truth))
    x, y, z = Term("x"), Term("y"), Term("z")

    def below(one: Term, other: Term) -> Equation:
        return Equation(Term(le, (one, other)), yes)

    def named(conclusion: Equation, *hypotheses: Equation) -> str:
        variables = dict.fromkeys(v for e in (conclusion, *hypotheses) for v in e.variables())
        types = tuple((v, n) for v in variables)
        law = Law(conclusion.lhs, conclusion.rhs, types, hypotheses)
        return choose_name(**law_sides(law)._asdict())

    above = Equation(Term(le, (y, x)), no)
    assert named(below(x, z), below(x, y), below(y, z)) == "le_trans"
    assert named(below(x, z), below(y, z), below(x, y)) == "le_trans"
    assert named(Equation(x, y), below(x, y), below(y, x)) == "le_antisymm"
    assert named(below(x, y), above) == "le_total"
    assert named(below(x, x)) == "le_refl"
    assert named(Equation(Term(minimum, (x, y)), x), below(x, y)) == "min_eq_self_of_le"
    assert named(Equation(Term(is_sorted, (Term(sort, (x,)),)), yes)) == "sorted_sort"
    given_sorted = Equation(Term(is_sorted, (x,)), yes)
    alike = Equation(Term(minimum, (z, x)), Term(sort, (y,)))
    assert named(Equation(x, y), alike) == "eq_of_min_eq_sort", "both sides are variables"
    assert named(Equation(Term(sort, (x,)), x), given_sorted) == "sort_eq_self_of_sorted"
    assert (
        named(Equation(Term(EQ, (Term(sort, (x,)), x)), Term(FALSE)), above) == "ne_sort_of_not_le"
    )


def test_a_variable_is_no_symbol_whatever_it_is_called() -> None:
    assert choose_name(["append", "nil", "x"], ["x"], variables={"nil", "x"}) != "append_nil"


symbols = st.text(max_size=12) | st.sampled_from(["append", "Seq.cons", "HAdd.hAdd Nat", "x", "y"])
sides = st.lists(symbols, max_size=12)


@given(sides, sides, st.sets(symbols, max_size=3), st.lists(sides, max_size=2))
def test_proposals_are_valid_bounded_and_different(
    left: list[str], right: list[str], variables: set[str], hypotheses: list[list[str]]
) -> None:
    stream = proposals(left, right, variables=variables, hypotheses=hypotheses)
    first = list(islice(stream, 8))
    assert len(set(first)) == 8
    assert all(is_free_identifier(n) and len(n) <= MAX_LENGTH + 20 for n in first)


@given(sides, sides)
def test_the_choice_is_never_taken(left: list[str], right: list[str]) -> None:
    taken: set[str] = set()
    for _ in range(6):
        chosen = choose_name(left, right, taken=taken)
        assert chosen not in taken
        taken.add(chosen)


@given(st.text(max_size=30))
@example("Λ")
def test_a_word_is_part_of_an_identifier(symbol: str) -> None:
    found = word(symbol)
    assert not found or is_free_identifier(f"law_{found}")
