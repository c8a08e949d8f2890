"""What exploration suggests about small theories, with the real Lean."""

from __future__ import annotations

import random

import pytest
from explored_theories import Ground

from engine.language.printing import signature_text
from engine.language.term import Equation, Law, Symbol, Term
from engine.strategy.exploration import Suggestion
from engine.trees.canonical import canonical_key

pytestmark = pytest.mark.lean


def keys(suggestions: list[Suggestion]) -> set[str]:
    return {canonical_key(s.law) for s in suggestions}


@pytest.fixture(scope="module")
def of_sorting(sorting: Ground) -> list[Suggestion]:
    return list(sorting.explorer(sorting.symbols()).suggestions(5))


@pytest.fixture(scope="module")
def of_mapping(mapping: Ground) -> list[Suggestion]:
    return list(mapping.explorer(mapping.symbols()).suggestions(5))


@pytest.mark.parametrize(
    "signature",
    [
        "(xs : Row) : sorted (sort xs) = true",
        "(x y : N) (xs : Row) : insert x (insert y xs) = insert y (insert x xs)",
        "(xs : Row) (h : sorted xs = true) : sort xs = xs",
        "(x y : N) (h : le x y = false) : le y x = true",
        "(x y z : N) (h₁ : le x y = true) (h₂ : le y z = true) : le x z = true",
        "(x y : N) (h₁ : le x y = true) (h₂ : le y x = true) : x = y",
    ],
)
def test_laws_of_an_order_and_of_sorting(
    sorting: Ground, of_sorting: list[Suggestion], signature: str
) -> None:
    assert sorting.key(signature) in keys(of_sorting)


@pytest.mark.parametrize(
    "signature",
    [
        "{α β γ : Type} (f : β → γ) (g : α → β) (xs : Seq α) :"
        " map (comp f g) xs = map f (map g xs)",
        "{α β γ : Type} (f : β → γ) (g : α → β) : map (comp f g) = comp (map f) (map g)",
        "{α β : Type} (f : α → β) (xs : Seq (Seq α)) : concat (map (map f) xs) = map f (concat xs)",
        "{α : Type} (xs ys : Seq (Seq α)) : concat (append xs ys) = append (concat xs) (concat ys)",
        "{α : Type} (xs : Seq α) : map (append .nil) (.cons xs .nil) = .cons xs .nil",
    ],
)
def test_laws_of_functions_that_take_functions(
    mapping: Ground, of_mapping: list[Suggestion], signature: str
) -> None:
    law = mapping.law(signature)
    explorer = mapping.explorer(mapping.symbols())
    for suggestion in of_mapping:
        explorer.rewriter.add(suggestion.law)
    assert canonical_key(law) in keys(of_mapping) or explorer.rewriter.joins(law)


def test_a_law_holds_for_all_types(of_mapping: list[Suggestion]) -> None:
    texts = {signature_text(s.law) for s in of_mapping}
    assert "{α : Type _} (xs : Mapping.Seq α) : append xs Seq.nil = xs" in texts


def test_predicates_in_prop_are_explored(of_mapping: list[Suggestion]) -> None:
    about = [s.law for s in of_mapping if any(p.is_predicate for p in s.law.symbols())]
    assert about


def test_conditional_laws_need_their_hypotheses(
    sorting: Ground, of_sorting: list[Suggestion]
) -> None:
    """Values at which the hypotheses fail and the sides differ exist for every one."""
    rng = random.Random(1)
    numbers, rows = small_values(sorting)
    for law in [s.law for s in of_sorting if s.law.hypotheses]:
        outcomes = set()
        for _ in range(300):
            at = {n: rng.choice(numbers if t.head.endswith(".N") else rows) for n, t in law.types}
            held = all(
                value(sorting, h.lhs, at) == value(sorting, h.rhs, at) for h in law.hypotheses
            )
            equal = value(sorting, law.lhs, at) == value(sorting, law.rhs, at)
            outcomes.add((held, equal))
        assert (True, False) not in outcomes, signature_text(law)
        assert (False, False) in outcomes, signature_text(law)


def small_values(ground: Ground) -> tuple[list[int], list[int]]:
    make = ground.interpretation.machine.values.make
    numbers = [make(("Sorting.N.zero",))]
    for _ in range(5):
        numbers.append(make(("Sorting.N.succ", numbers[-1])))
    rng = random.Random(0)
    rows = [make(("Sorting.Row.nil",))]
    for _ in range(60):
        rows.append(make(("Sorting.Row.cons", rng.choice(numbers), rng.choice(rows[-12:]))))
    return numbers, rows


def holds(ground: Ground, equation: Equation, at: dict[str, int]) -> bool:
    return value(ground, equation.lhs, at) == value(ground, equation.rhs, at)


def value(ground: Ground, term: Term, at: dict[str, int]) -> int:
    args = [value(ground, a, at) for a in term.args]
    if isinstance(term.head, Symbol):
        function = ground.interpretation.function(term.head)
        assert function is not None
        return ground.interpretation.machine.applied(function, args)
    return at[term.head]


def test_no_law_follows_from_the_earlier_ones_by_rewriting(
    sorting: Ground, of_sorting: list[Suggestion]
) -> None:
    explorer = sorting.explorer(sorting.symbols())
    for suggestion in of_sorting:
        assert not explorer.rewriter.joins(suggestion.law), signature_text(suggestion.law)
        explorer.rewriter.add(suggestion.law)


def test_cases_are_counted(of_sorting: list[Suggestion]) -> None:
    for suggestion in of_sorting:
        assert suggestion.cases >= 25


def test_two_explorations_with_one_seed_agree(sorting: Ground) -> None:
    def explore() -> list[Law]:
        symbols = sorting.symbols("le", "insert", "zero", "succ", "nil", "cons", "true", "false")
        return list(sorting.explorer(symbols, seed=4).laws(4))

    assert explore() == explore()


def test_what_was_tried_does_not_hide_what_it_needs(sorting: Ground) -> None:
    idempotence = sorting.key("(xs : Row) : sort (sort xs) = sort xs")
    symbols = sorting.symbols("sort", "insert", "nil", "cons")
    explorer = sorting.explorer(symbols, tried=lambda key: key == idempotence)
    found = {canonical_key(law) for law in explorer.laws(4)}
    assert idempotence not in found
    assert sorting.key("(x : N) (xs : Row) : sort (insert x xs) = insert x (sort xs)") in found
