"""A theory becomes nodes, edges, symbols and equations through Lean."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.language.printing import signature_text
from engine.language.signature import read_law
from engine.model import Label, NodeKind
from engine.sources.lean_module import (
    Theory,
    contributions_of,
    defining_equations,
    nodes_of,
    read_theory,
    theory_uses,
)
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean

pytestmark = pytest.mark.lean

SHAPES = """
import Base
/-! Shapes. -/
namespace Shapes
open Base

/-- Put on top. -/
def stack : Pile α → Pile α → Pile α
  | .base, q => q
  | .on x p, q => .on x (stack p q)

def has [DecidableEq α] (x : α) : Pile α → Bool
  | .base => false
  | .on y p => if x = y then true else has x p

theorem stack_base (p : Pile α) : stack p .base = p := by
  induction p <;> simp_all [stack]

theorem unproved (p : Pile α) : stack p p = p := sorry

def height : Pile α → Nat
  | .base => 0
  | .on _ p => height p + 1
end Shapes
"""
BASE = """
namespace Base
inductive Pile (α : Type u) where
  | base : Pile α
  | on : α → Pile α → Pile α
end Base
"""


@pytest.fixture(scope="module")
def theory(
    tmp_path_factory: pytest.TempPathFactory, session: Session, installation: EmbeddedLean
) -> Theory:
    folder = tmp_path_factory.mktemp("shapes")
    (folder / "Base.lean").write_text(BASE)
    (folder / "Shapes.lean").write_text(SHAPES)
    return read_theory(Path(folder / "Shapes.lean"), session, installation.has_module)


def test_what_the_author_wrote_becomes_nodes(theory: Theory) -> None:
    nodes = {n.name: n for n in nodes_of(theory)}
    assert list(nodes) == [
        "Base.Pile",
        "Shapes.stack",
        "Shapes.has",
        "Shapes.stack_base",
        "Shapes.unproved",
        "Shapes.height",
    ]
    assert nodes["Shapes.stack"].summary == "Put on top."
    assert nodes["Shapes.stack"].location is not None
    assert nodes["Shapes.stack"].location.first_line == 7
    assert nodes["Shapes.stack_base"].kind is NodeKind.THEOREM
    assert nodes["Base.Pile"].module == "Base"


def test_labels_say_what_is_known(theory: Theory) -> None:
    labels = {n.name: n.label for n in nodes_of(theory)}
    assert labels["Shapes.stack"] is Label.ASSUMED
    assert labels["Shapes.stack_base"] is Label.VERIFIED
    assert labels["Shapes.unproved"] is Label.CONJECTURE


def test_edges_carry_their_evidence(theory: Theory) -> None:
    edges = {(c.parent, c.child): c for c in contributions_of(theory)}
    used = edges["Base:Base.Pile", "Shapes:Shapes.stack"]
    assert used.rating == 5
    assert "three times in the statement of Shapes.stack and" in used.explanation
    assert used.explanation.endswith("in its body.")
    stated = edges["Shapes:Shapes.stack", "Shapes:Shapes.stack_base"]
    assert stated.rating >= 4 and stated.strength > 0


def test_uses_say_by_which_tactic_and_whether_it_is_needed(
    theory: Theory, session: Session
) -> None:
    uses = theory_uses(theory, session, 60.0)
    edges = {(c.parent, c.child): c for c in contributions_of(theory, uses)}
    proved = edges["Shapes:Shapes.stack", "Shapes:Shapes.stack_base"]
    assert proved.explanation.startswith("Shapes.stack occurs once in the statement of Shapes.")
    assert proved.explanation.endswith(", which rewrites with it (simp_all) and fails without it.")
    taken_apart = edges["Base:Base.Pile", "Shapes:Shapes.stack_base"]
    assert "takes it apart (induction)" in taken_apart.explanation
    assert edges["Base:Base.Pile", "Shapes:Shapes.height"].explanation.endswith("in its body.")
    assert edges.keys() == {(c.parent, c.child) for c in contributions_of(theory)}


def test_symbols_have_types_and_classes(theory: Theory) -> None:
    symbols = theory.symbols
    assert theory.namespace == "Shapes"
    assert symbols["Base.Pile.on"].is_constructor
    assert symbols["Shapes.stack"].text == "stack"
    assert symbols["Shapes.has"].constraints[0].type_class == "DecidableEq"
    assert "HAdd.hAdd Nat" in symbols
    assert "HMul.hMul Nat" not in symbols


def test_laws_of_the_theory_are_read_and_unproved_ones_are_not(theory: Theory) -> None:
    assert {n: signature_text(law) for n, law in theory.laws.items()} == {
        "Shapes.stack_base": "{α : Type _} (p : Base.Pile α) : stack p Base.Pile.base = p"
    }


def test_defining_equations_come_from_lean(theory: Theory, session: Session) -> None:
    equations = defining_equations(theory, session)
    assert len(equations["Shapes.stack"]) == 2
    assert len(equations["Shapes.height"]) == 2
    assert [len(law.hypotheses) for law in equations["Shapes.has"]] == [0, 1, 1]


ORDERS = """
namespace Orders
inductive N where
  | zero : N
  | succ : N → N
open N

inductive Even : N → Prop where
  | zero : Even zero
  | step {n : N} : Even n → Even (succ (succ n))

def le : N → N → Bool
  | zero, _ => true
  | succ _, zero => false
  | succ m, succ n => le m n

def Below (m n : N) : Prop := le m n = true

def fewer (k : Nat) (m : N) : Prop := k ≤ 0 ∧ m = zero

theorem trans (a b c : N) (h : Below a b) : ¬ Below c b → a ≠ b → le a c = true := sorry
theorem refl (a : N) : Below a a ↔ le a a = true := Iff.rfl
theorem all (a : N) (h : ∀ b, Below a b) : Below a zero := h zero
theorem weak (a b : N) (h : le a b = true) : Below a b := h
end Orders
"""


def test_predicates_and_hypotheses_are_read(
    tmp_path: Path, session: Session, installation: EmbeddedLean
) -> None:
    (tmp_path / "Orders.lean").write_text(ORDERS)
    theory = read_theory(tmp_path / "Orders.lean", session, installation.has_module)
    symbols = theory.symbols
    assert symbols["Orders.Even"].is_predicate and symbols["Orders.Below"].is_predicate
    assert "Orders.Even.zero" not in symbols
    assert "LE.le Nat" in symbols
    assert {n: signature_text(law) for n, law in theory.laws.items()} == {
        "Orders.refl": "(a : Orders.N) : Below a a ↔ le a a = true",
        "Orders.weak": "(a b : Orders.N) (h : le a b = true) : Below a b",
    }
    equations = defining_equations(theory, session)
    assert [signature_text(law) for law in equations["Orders.Even"]] == [
        ": Even N.zero",
        "(n : Orders.N) (h : Even n) : Even (N.succ (N.succ n))",
    ]
    assert [signature_text(law) for law in equations["Orders.Below"]] == [
        "(m n : Orders.N) : Below m n ↔ le m n = true"
    ]
    declarations = session.declarations(theory.environment, ["Orders.trans"])
    assert declarations[0] is not None
    read = read_law(declarations[0].type, symbols)
    assert read is not None
    assert signature_text(read) == (
        "(a b c : Orders.N) (h₁ : Below a b) (h₂ : ¬ Below c b) (h₃ : a ≠ b) : le a c = true"
    )


INSERTION = """
namespace Insertion
def insert (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: insert x ys

def joined (xss : List (List α)) : List α := xss.foldr (· ++ ·) []
def first (b : Bool) : List α → Option α
  | [] => none
  | x :: xs => if b then some x else if xs.length = 0 then none else first true xs
end Insertion
"""


def test_functions_and_constructors_of_core_are_at_hand(
    tmp_path: Path, session: Session, installation: EmbeddedLean
) -> None:
    (tmp_path / "Insertion.lean").write_text(INSERTION)
    theory = read_theory(tmp_path / "Insertion.lean", session, installation.has_module)
    of_core = [n for n, s in theory.symbols.items() if s.is_background]
    assert {"List.cons", "List.nil", "List.foldr", "Option.some", "LE.le Nat"} <= set(of_core)
    assert not {"List.rec", "List.brecOn", "ite", "LE.le", "HAppend.hAppend"} & set(of_core)
    equations = defining_equations(theory, session)
    assert [signature_text(law) for law in equations["Insertion.insert"]] == [
        "(x : Nat) : insert x [] = x :: []",
        "(x y : Nat) (ys : List Nat) (h : x ≤ y) : insert x (y :: ys) = x :: (y :: ys)",
        "(x y : Nat) (ys : List Nat) (h : ¬ (x ≤ y)) : insert x (y :: ys) = y :: insert x ys",
    ]
    conditions = [law.hypotheses for law in equations["Insertion.first"]]
    assert [len(c) for c in conditions] == [0, 1, 2, 2]
