"""Refuted laws kill what falls for the same reason; no Lean is asked here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from algebra import (
    APPEND,
    CONS,
    LENGTH,
    LIST,
    NIL,
    NIL_TERM,
    PLUS,
    REVERSE,
    XS,
    YS,
    ZERO,
    append,
    lists,
    reverse,
)
from hypothesis import given
from nodes import candidate

from engine.judgement.refuted import RefutedLaws, law_from_json, law_json
from engine.language.core import TRUE
from engine.language.term import PROPOSITION, Equation, Law, Symbol, Term, Type
from engine.language.typing import most_general
from engine.model import Label, Stage
from engine.store import Store
from engine.trees.canonical import canonical_key
from verifier.errors import InputError

SORTED = Symbol("sorted", (LIST,), Type(PROPOSITION), "sorted")
SYMBOLS = {s.name: s for s in (NIL, CONS, APPEND, REVERSE, LENGTH, PLUS, ZERO, SORTED)}
IDLE = most_general(reverse(append(XS, NIL_TERM)), append(NIL_TERM, XS))
"""Refuted, say, at xs := cons 0 (cons 1 nil)."""
LONG = "cons 0 (cons 1 nil)"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def refuted(store: Store, law: Law, *values: tuple[str, str]) -> RefutedLaws:
    key = canonical_key(law)
    store.remember_candidate(
        candidate(key),
        theory="T",
        stage=Stage.FALSIFIER,
        outcome=Label.REFUTED,
        counterexample="xs := …: nil ≠ cons 0 nil",
    )
    RefutedLaws(store, "T", SYMBOLS).add(key, law, values)
    return RefutedLaws(store, "T", SYMBOLS)  # as a later run finds it


def test_a_more_general_law_falls_by_calculation(store: Store) -> None:
    known = refuted(store, IDLE, ("xs", LONG))
    general = most_general(reverse(append(XS, YS)), append(YS, XS))
    killed = known.by_instance(general)
    assert killed is not None and killed.by == "instance"
    assert dict(killed.values) == {"xs": f"({LONG})", "ys": "nil"}
    assert (killed.left, killed.right) == ("nil", "cons 0 nil")
    assert known.by_instance(most_general(reverse(reverse(XS)), XS)) is None


def test_hypotheses_must_be_met_where_the_refuted_law_fails(store: Store) -> None:
    known = refuted(store, IDLE, ("xs", LONG))
    holds = Equation(Term(SORTED, (XS,)), Term(TRUE))
    general = most_general(reverse(append(XS, YS)), append(YS, XS), (holds,))
    assert known.by_instance(general) is None, "nobody knows whether the list is sorted"
    conditional = refuted(store, replace(IDLE, hypotheses=(holds,)), ("xs", LONG))
    assert conditional.by_instance(general) is not None


def test_stored_values_fit_laws_with_variables_of_their_types(store: Store) -> None:
    two = most_general(append(XS, YS), append(YS, XS))
    known = refuted(store, two, ("xs", "nil"), ("ys", LONG))
    zs = most_general(append(append(XS, YS), XS), XS)
    assert [row for _, row in known.rows(zs)] == [("nil", LONG), (LONG, "nil")]
    three = most_general(append(append(XS, YS), Term("zs")), XS)
    assert [row for _, row in known.rows(three)] == [("nil", LONG, "nil"), (LONG, "nil", LONG)]
    number = most_general(Term(PLUS, (Term("m"), Term("n"))), Term("m"))
    assert list(known.rows(number)) == []


def test_laws_with_symbols_that_are_gone_are_left_out(store: Store) -> None:
    refuted(store, IDLE, ("xs", LONG))
    assert len(RefutedLaws(store, "T", SYMBOLS)) == 1
    assert len(RefutedLaws(store, "T", {"nil": NIL})) == 0
    assert len(RefutedLaws(store, "Other", SYMBOLS)) == 0


def test_an_incomplete_counterexample_is_not_kept(store: Store) -> None:
    assert len(refuted(store, IDLE)) == 0


@given(lists, lists)
def test_laws_survive_being_written_down(lhs: Term, rhs: Term) -> None:
    law = most_general(lhs, rhs, (Equation(Term(SORTED, (XS,)), Term(TRUE)),))
    assert law_from_json(law_json(law), {**SYMBOLS, "True": TRUE}) == law


def test_what_is_no_law_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        law_from_json('{"parts": [1], "types": []}', SYMBOLS)
