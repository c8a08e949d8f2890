"""Counterexamples among small values; none against what is true."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.proving.batch import BatchReport
from engine.proving.inputs.lean_file import LeanFile
from engine.proving.result import Label

pytestmark = pytest.mark.lean

THEORY = """universe u
inductive Tree (α : Type u) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α
def size {α : Type u} : Tree α → Nat
  | .leaf => 0
  | .node l _ r => size l + size r + 1
variable {α : Type u} (xs : List α)
"""
FALSE = {
    "two": "(n : Nat) (h : n > 1) : n = 2",
    "palindrome": ": xs.reverse = xs",
    "nothing": ": 1 = 2",
    "empty": "(t : Tree α) : size t = 0",
    "one": "[DecidableEq α] (a : α) (h : a ∈ xs) : xs.length = 1",
    "all": "(p : Nat → Bool) : p 0 = true",
    "later": ": ∀ b : Bool, b = true",
}
TRUE = {"zero": "(n : Nat) : 0 + n = n", "vacuous": "(n : Nat) (h : n < 0) : n = 5"}


def test_false_statements_are_refuted_and_true_ones_are_not(
    tmp_path: Path, run_batch: Callable[..., BatchReport]
) -> None:
    path = tmp_path / "Some.lean"
    statements = {**FALSE, **TRUE}
    path.write_text(THEORY + "".join(f"theorem {n} {s} := sorry\n" for n, s in statements.items()))
    report = run_batch([LeanFile(path, tmp_path, lambda module: module == "Init")])
    found = {r.name: r for r in report.results}
    assert {n for n, r in found.items() if r.label is Label.REFUTED} == set(FALSE)
    assert {n for n, r in found.items() if r.label is Label.VERIFIED} == set(TRUE)
    assert found["two"].message == "n := 3: 3 ≠ 2"
    assert "absurd" in found["two"].proof
    assert found["vacuous"].vacuous and not found["zero"].vacuous
