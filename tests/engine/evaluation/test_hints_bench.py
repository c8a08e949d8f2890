"""Hints as arguments of tactics, and the comparison of arms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_library import theorem

from engine.evaluation.hint_search import MOST, Goal, Hint, HintLibrary, Solution, hinted
from engine.evaluation.hints_bench import PACKINGS, arm_figures, paired, random_finder
from engine.evaluation.premises import restated
from verifier.lean import StatementFacts
from verifier.session import Session

NAT = ["c", "Nat", []]
FACTS = StatementFacts(fault=None, type=["p", "n", NAT, ["c", "True", []], 0])
GOAL = Goal(theorem("Nat.goal"), restated("(n : Nat) : True", (), ()), FACTS, frozenset())


def hint(name: str, simp: str = "", grind: bool = True) -> Hint:
    return Hint(name, simp, grind)


def test_a_tactic_gets_only_the_hints_that_it_can_use() -> None:
    found = list(hinted([hint("a", "← a"), hint("b"), hint("c", "c", False)], (1, 4), GOAL))
    assert "by simp [← a]" in found
    assert "by simp [← a, c]" in found
    assert "by grind [a, b]" in found
    assert "by induction n <;> simp_all [← a, c]" in found
    assert "by cases n <;> grind [a, b]" in found
    assert not any("simp [b" in proof or "grind [c" in proof for proof in found)


def test_there_is_no_attempt_with_hints_where_there_are_none() -> None:
    assert list(hinted([], (1, 4, 16), GOAL)) == []


@given(st.integers(1, MOST), st.sampled_from(sorted(PACKINGS)))
def test_every_attempt_with_hints_names_one_and_none_is_repeated(size: int, packing: str) -> None:
    hints = [hint(f"h{n}", f"h{n}") for n in range(size)]
    found = list(hinted(hints, PACKINGS[packing], GOAL))
    assert len(found) == len(set(found))
    assert all("h0" in proof for proof in found)


def test_random_hints_are_the_same_in_each_run_and_never_hidden() -> None:
    names = [f"t{n}" for n in range(100)]
    node, other = theorem("List.one"), theorem("List.two")
    hidden = frozenset(names[:50])
    one = random_finder(names, 7)(node, hidden)
    assert one == random_finder(names, 7)(node, hidden)
    assert one != random_finder(names, 8)(node, hidden)
    assert one != random_finder(names, 7)(other, hidden)
    assert not hidden & set(one) and len(one) == len(set(one)) <= MOST


SOLVED, UNSOLVED = Solution("by simp", 1.0, 2, True), Solution("", 3.0, 4)


def test_arms_are_compared_statement_by_statement() -> None:
    first = [SOLVED] * 6 + [UNSOLVED] * 2
    second = [SOLVED] + [UNSOLVED] * 6 + [SOLVED]
    found = paired("one", "other", first, second)
    assert (found.only_one, found.only_other) == (5, 1)
    assert found.p == pytest.approx(0.21875)


def test_figures_of_an_arm() -> None:
    figures = arm_figures([SOLVED, UNSOLVED, SOLVED])
    assert (figures.solved, figures.hinted) == (2, 2)
    assert figures.seconds == pytest.approx(5 / 3)
    assert figures.to_proof == 1.0
    assert arm_figures([UNSOLVED]).to_proof == 0.0


@pytest.mark.lean
def test_lean_says_what_a_hint_can_be_used_for(session: Session) -> None:
    library = HintLibrary(session)
    names = ["Nat.add_comm", "List.length_append", "Nat.lt_irrefl", "Nat.le_antisymm"]
    found = {h.name: h for h in library.hints(names)}
    assert found["List.length_append"].simp == "List.length_append"
    assert found["List.length_append"].grind
    assert found["Nat.lt_irrefl"].simp
    assert not any(h.simp.startswith("-") for h in found.values())
