"""What a module's terms and syntax trees say of its uses, and other texts in a command's place."""

from __future__ import annotations

import pytest

from verifier.lean import Environment
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost

pytestmark = pytest.mark.lean

MODULE = """
namespace Pairs
def swap (p : α × β) : β × α := (p.2, p.1)
variable {α β : Type}
theorem swap_swap (p : α × β) : swap (swap p) = p := by
  cases p with
  | mk a b => first | exact absurd 0 | simp only [swap, Prod.mk.injEq, ← Nat.add_comm]
open Nat in
theorem grown (n : Nat) (h : n = 1) : n + 0 = 1 := (Nat.add_zero n).trans (by rw [h])
end Pairs
"""


def test_counts_and_mentions(session: Session, base: Environment) -> None:
    with session.usage(base, MODULE) as usage:
        assert not usage.failed
        swap, swap_swap, grown = usage.commands
    assert [d.name for c in usage.commands for d in c.declarations] == [
        "Pairs.swap",
        "Pairs.swap_swap",
        "Pairs.grown",
    ]
    assert dict(swap.declarations[0].statement) == {"Prod": 2}
    counts = dict(swap_swap.declarations[0].statement)
    assert counts["Pairs.swap"] == 2 and counts["Eq"] == 1
    assert dict(swap.declarations[0].value)["Prod.mk"] == 1
    named = {(m.text, m.tactic, m.place) for m in swap_swap.mentions}
    assert {
        ("p", "cases", None),
        ("absurd", "exact", None),
        ("swap", "simp", (0, 0)),
        ("Prod.mk.injEq", "simp", (0, 1)),
        ("Nat.add_comm", "simp", (0, 2)),
    } <= named
    text = MODULE.encode()
    assert [text[a:b] for a, b in swap_swap.lists[0]] == [
        b"swap",
        b"Prod.mk.injEq",
        "← Nat.add_comm".encode(),
    ]
    inner = {(m.text, m.tactic) for m in grown.mentions}
    assert ("Nat.add_zero", "term") in inner and ("h", "rw") in inner
    assert text[slice(*grown.span)].startswith(b"open Nat in")


@pytest.mark.parametrize(
    ("proof", "named"),
    [
        ("grind [f, one]", {("f", "grind", (0, 0)), ("one", "grind", (0, 1))}),
        ("simpa [f, one] using rfl", {("f", "simpa", (0, 0)), ("one", "simpa", (0, 1))}),
        ("simp only [f, *, ← two, - one]", {("f", "simp", (0, 0)), ("two", "simp", (0, 2))}),
        ("unfold f; rfl", {("f", "unfold", None)}),
        ("conv => lhs; rw [one]", {("one", "rw", (0, 0))}),
        ("skip <;> exact one n", {("one", "exact", None)}),
        ("have h := one n; exact h", {("one", "have", None), ("h", "exact", None)}),
        ("calc f n = n + 1 := by { rw [one n] }", {("f", "calc", None), ("n", "rw", (0, 0))}),
    ],
)
def test_arguments_of_tactics_have_places(
    session: Session, base: Environment, proof: str, named: set[tuple[str, str, object]]
) -> None:
    text = f"""
def f (n : Nat) := n + 1
theorem one (n : Nat) : f n = n + 1 := rfl
theorem two (n : Nat) : n = n + 0 := rfl
theorem three (n : Nat) : f n = n + 1 := by {proof}
"""
    with session.usage(base, text) as usage:
        assert not usage.failed
        assert named <= {(m.text, m.tactic, m.place) for m in usage.commands[-1].mentions}


def test_attempts_stand_in_the_scope_of_the_command(session: Session, base: Environment) -> None:
    with session.usage(base, MODULE) as usage:
        shorter = "theorem swap_swap (p : α × β) : swap (swap p) = p := rfl"
        attempt = session.attempt(usage, 1, shorter, 20)
        assert attempt is not None and attempt.accepted
        assert "Pairs.swap" in attempt.premises
        for wrong in ("simp only []", "sorry"):
            failed = session.attempt(usage, 1, shorter.replace("rfl", f"by {wrong}"), 20)
            assert failed is not None and not failed.accepted
        assert session.attempt(usage, 1, "theorem := 5", 20) is None
        assert session.attempt(usage, 1, shorter, 20, "attribute [nonsense] swap\n") is None
        again = session.attempt(usage, 1, shorter, 20)
        assert again == attempt, "an attempt leaves nothing behind"


def test_a_command_can_rest_on_those_before_it_only(session: Session, base: Environment) -> None:
    with session.usage(base, "theorem one : 1 = 1 := rfl\ntheorem two : 2 = 2 := rfl") as usage:
        by_later = session.attempt(usage, 0, "theorem one : 1 = 1 := have := two; rfl", 20)
        by_earlier = session.attempt(usage, 1, "theorem two : 2 = 2 := have := one; rfl", 20)
    assert by_later is not None and not by_later.accepted
    assert by_earlier is not None and by_earlier.accepted


def test_what_cannot_be_compiled_is_read_nevertheless(session: Session, base: Environment) -> None:
    with session.usage(base, "def last (xs : List Nat) := (xs.reverse).head?") as usage:
        assert not usage.failed
        assert dict(usage.commands[0].declarations[0].value)["List.reverse"] == 1
    with session.usage(base, "def f : Nat := undefined") as broken:
        assert broken.failed


def test_attempts_end_with_their_block_and_their_process(
    session: Session, base: Environment
) -> None:
    with session.usage(base, "theorem one : 1 = 1 := rfl") as usage:
        pass
    stale = usage.model_copy(update={"generation": usage.generation - 1})
    with pytest.raises(SessionLost, match="gone"):
        session.attempt(stale, 0, "theorem one : 1 = 1 := rfl", 20)
