"""Core's lemmas are carried over to copies of its definitions, as they are."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.core_copies import COPIES, CoreCopy
from engine.evaluation.core_lemmas import Gold, Translation, gold_of, is_public_theorem
from engine.evaluation.lean_text import NotText, explicit_text
from engine.evaluation.theories import theory_file
from engine.sources.lean_module import read_theory
from verifier.lean import Environment
from verifier.reading.facts import LibraryDeclaration
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verifier import Verifier

BY_NAME = {copy.theory: copy for copy in COPIES}


def constant(name: str) -> Any:
    return ["c", name]


def applied(head: str, *arguments: Any) -> Any:
    term = constant(head)
    for argument in arguments:
        term = ["a", term, argument]
    return term


NAT = constant("Nat")


def test_notations_of_numbers_become_functions_of_the_copy() -> None:
    one = applied("OfNat.ofNat", NAT, ["n", "1"], applied("instOfNatNat", ["n", "1"]))
    sum_ = applied("HAdd.hAdd", NAT, NAT, NAT, applied("instHAdd", NAT), ["v", 0], one)
    translated = Translation(BY_NAME["Naturals"]).of(sum_)
    succ = applied("Naturals.N.succ", constant("Naturals.N.zero"))
    assert translated == applied("Naturals.add", ["v", 0], succ)


def test_a_notation_at_another_type_stays() -> None:
    other = applied("HAdd.hAdd", constant("Int"), constant("Int"), constant("Int"), *"ixy")
    assert Translation(BY_NAME["Naturals"]).of(other) == other


def test_membership_has_its_arguments_the_other_way_round() -> None:
    list_ = applied("List", ["v", 2])
    member = applied("Membership.mem", ["v", 2], list_, constant("inst"), ["v", 1], ["v", 0])
    translated = Translation(BY_NAME["Filters"]).of(member)
    assert translated == applied("Filters.Mem", ["v", 2], ["v", 0], ["v", 1])


def expressions() -> st.SearchStrategy[Any]:
    leaves = st.sampled_from([["v", 0], ["v", 1], constant("Other"), constant("Eq"), ["s", ["0"]]])

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        application = st.tuples(st.just("a"), inner, inner).map(list)
        binder = st.tuples(st.sampled_from("pl"), st.just("x"), inner, inner, st.just(0))
        return application | binder.map(list)

    return st.recursive(leaves, larger, max_leaves=15)


@given(expressions(), st.sampled_from(COPIES))
def test_what_is_not_copied_stays_as_it_is(expression: Any, copy: CoreCopy) -> None:
    assert Translation(copy).of(expression) == expression


def test_text_has_every_argument_and_fresh_names() -> None:
    list_ = applied("List", ["v", 0])
    equal = applied("Eq", applied("List", ["v", 1]), ["v", 0], ["v", 0])
    type_ = ["p", "α", ["s", ["+", ["u", "u"]]], ["p", "xs", list_, equal, 0], 1]
    assert explicit_text(type_) == (
        "(∀ (x0 : (Type _)), (∀ (x1 : (@List x0)), (@Eq (@List x0) x1 x1)))"
    )


def test_what_has_no_text_is_refused() -> None:
    with pytest.raises(NotText):
        explicit_text(["proj", "Prod", 0, ["v", 0]], 1)


def test_only_what_somebody_wrote_for_others_is_gold() -> None:
    good = declaration("List.append_assoc")
    assert is_public_theorem(good)
    for change in (
        {"kind": "definition"},
        {"private": True},
        {"deprecated": ""},
        {"attributes": ("instance",)},
        {"name": "List.append.eq_1"},
        {"name": "List._auxLemma"},
    ):
        assert not is_public_theorem(good.model_copy(update=change))


def declaration(name: str, type_: Any = None) -> LibraryDeclaration:
    return LibraryDeclaration(
        name=name, kind="theorem", signature="", type=type_, roles=(), levels=(), body=None,
        axioms=None, doc=None, lines=None, attributes=(), private=False, deprecated=None,
        safe=True,
    )  # fmt: skip


CASES = {
    "Naturals": {
        "Nat.add_sub_cancel_left": True,
        "Nat.mul_ne_zero_iff": True,
        "Nat.exists_eq_succ_of_ne_zero": True,
        "Nat.le_of_lt": False,
    },
    "Lists": {
        "List.map_map": True,
        "List.length_append": True,
        "List.map_eq_append_iff": True,
        "List.append_eq_map_iff": True,  # the same with its sides exchanged
        "List.mem_append": False,
    },
    "Filters": {"List.mem_filter": True, "List.all_eq_true": True, "List.map_cons": False},
    "Options": {"Option.or_assoc": True, "Option.map_id": True, "Option.toList_some": False},
    "Bools": {"Bool.and_or_distrib_left": True, "Bool.eq_not": True, "Bool.cond_true": False},
}


def read_gold(name: str, session: Session, installation: EmbeddedLean, verifier: Verifier) -> Gold:
    theory = read_theory(theory_file("core", name), session, installation.has_module)
    found = session.declarations(Environment(("Init",)), list(CASES[name]))
    theorems = [declaration(d.name, d.type) for d in found if d is not None]
    assert len(theorems) == len(CASES[name])
    return gold_of(BY_NAME[name], theorems, theory.environment, verifier)


@pytest.mark.lean
@pytest.mark.parametrize("name", list(CASES))
def test_lemmas_of_core_are_stated_about_the_copy(
    name: str, session: Session, installation: EmbeddedLean, verifier: Verifier
) -> None:
    gold = read_gold(name, session, installation, verifier)
    stated = {n for lemma in gold.lemmas for n in lemma.names}
    assert stated == {n for n, in_scope in CASES[name].items() if in_scope}
    assert sum(gold.foreign.values()) == len(CASES[name]) - len(stated)
    assert not any(re.search(r"@(List|Option|Nat\.\w+)\b", m.statement) for m in gold.lemmas)


@pytest.mark.lean
def test_one_statement_with_two_names_counts_once(
    session: Session, installation: EmbeddedLean, verifier: Verifier
) -> None:
    gold = read_gold("Lists", session, installation, verifier)
    assert ("List.map_eq_append_iff", "List.append_eq_map_iff") in {m.names for m in gold.lemmas}
