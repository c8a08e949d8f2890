"""The machine computes what the kernel computes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.machine.values import Values
from engine.language.semantics import Interpretation, at_test_type
from engine.sources.lean_module import read_theory
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean

THEORY = """
namespace Various

inductive Tree where
  | leaf : Tree
  | node : Tree → Nat → Tree → Tree

open Tree

def both : Tree → Tree → Nat
  | leaf, _ => 0
  | _, leaf => 1
  | node _ m _, node _ n _ => if m < n then m * n else m - n

def digit : Nat → Nat
  | 0 => 3
  | 1 => 7
  | n + 2 => digit n % 5

def keep (p : Nat → Bool) : Tree → Tree
  | leaf => leaf
  | node l n r => match p n with
    | true => node (keep p l) n (keep p r)
    | false => keep p l

def evens (t : Tree) : Tree := keep (fun n => n % 2 == 0) t

def insert (x : Nat) : Tree → Tree
  | leaf => node leaf x leaf
  | node l n r => if x = n then node l n r else
      if x ≤ n then node (insert x l) n r else node l n (insert x r)

def large (t : Tree) : Prop := ∃ n, n < 2 ∧ n < both t t

instance (t : Tree) : Decidable (large t) :=
  decidable_of_iff (0 < both t t) ⟨fun h => ⟨0, by decide, h⟩, fun ⟨_, _, h⟩ => by omega⟩

end Various
"""

structures = st.recursive(
    st.integers(0, 9) | st.just(["leaf"]),
    lambda inner: st.tuples(inner, inner).map(lambda pair: ["node", *pair]),
    max_leaves=8,
)


@given(structures, structures)
def test_values_are_equal_when_their_numbers_are(one: Any, other: Any) -> None:
    values = Values()
    first, second = values.read(one), values.read(other)
    assert (first == second) == (one == other)
    assert values.structure(first) == one


@pytest.mark.lean
def test_the_machine_agrees_with_the_kernel(
    session: Session, installation: EmbeddedLean, tmp_path: Path
) -> None:
    path = tmp_path / "Various.lean"
    path.write_text(THEORY)
    theory = read_theory(path, session, installation.has_module)
    meaning = Interpretation(session, theory.environment, theory.context, theory.symbols)
    machine, evaluator = meaning.machine, meaning.evaluator
    rng = random.Random(3)
    compared = set()
    for symbol in theory.symbols.values():
        if not symbol.params or any(p.is_function for p in symbol.params):
            continue
        function, index = meaning.function(symbol), meaning.symbol_index(symbol)
        assert function is not None and index is not None, symbol
        pools = [meaning.values(at_test_type(p)) for p in symbol.params]
        rows = [[rng.choice(pool) for pool in pools] for _ in range(6)]
        for row, expected in zip(rows, evaluator.apply([(index, *r) for r in rows]), strict=True):
            args = [machine.values.read(evaluator.structure(v)) for v in row]
            found = machine.applied(function, args)
            assert found >= 0 and expected >= 0, (symbol, row)
            assert machine.values.structure(found) == evaluator.structure(expected), (symbol, row)
        compared.add(symbol.name.rpartition(".")[2])
    assert {"both", "digit", "evens", "insert", "large"} <= compared
