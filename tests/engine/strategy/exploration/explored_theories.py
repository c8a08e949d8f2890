"""Two theories with fresh datatypes, and what an exploration of them needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from engine.language.core import core_laws
from engine.language.rewriting import Rewriter
from engine.language.semantics import Interpretation
from engine.language.signature import read_law
from engine.language.term import Law, Symbol
from engine.sources.lean_module import Theory, defining_equations, read_theory
from engine.strategy.exploration import Explorer
from engine.trees.canonical import canonical_key
from verifier.lean import Statement
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean

SORTING = """
namespace Sorting

inductive N where
  | zero : N
  | succ : N → N

inductive Row where
  | nil : Row
  | cons : N → Row → Row

open N Row

def le : N → N → Bool
  | zero, _ => true
  | succ _, zero => false
  | succ m, succ n => le m n

def insert (x : N) : Row → Row
  | nil => cons x nil
  | cons y ys => if le x y then cons x (cons y ys) else cons y (insert x ys)

def sort : Row → Row
  | nil => nil
  | cons x xs => insert x (sort xs)

def sorted : Row → Bool
  | nil => true
  | cons _ nil => true
  | cons x (cons y ys) => le x y && sorted (cons y ys)

def small (n : N) : Prop := le n (succ zero) = true

instance (n : N) : Decidable (small n) := inferInstanceAs (Decidable (_ = true))

end Sorting
"""

MAPPING = """
namespace Mapping

inductive Seq (α : Type) where
  | nil : Seq α
  | cons : α → Seq α → Seq α

open Seq

inductive Mem {α : Type} (a : α) : Seq α → Prop where
  | head (xs : Seq α) : Mem a (cons a xs)
  | tail (b : α) {xs : Seq α} : Mem a xs → Mem a (cons b xs)

instance decMem {α : Type} [DecidableEq α] (a : α) : (xs : Seq α) → Decidable (Mem a xs)
  | nil => isFalse nofun
  | cons b xs =>
    if h : a = b then isTrue (h ▸ Mem.head xs)
    else match decMem a xs with
      | isTrue m => isTrue (Mem.tail b m)
      | isFalse n => isFalse fun
        | .head _ => h rfl
        | .tail _ m => n m

def append {α : Type} : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

def map {α β : Type} (f : α → β) : Seq α → Seq β
  | nil => nil
  | cons x xs => cons (f x) (map f xs)

def concat {α : Type} : Seq (Seq α) → Seq α
  | nil => nil
  | cons xs xss => append xs (concat xss)

def comp {α β γ : Type} (f : β → γ) (g : α → β) (x : α) : γ := f (g x)

end Mapping
"""


class Ground:
    """A theory with what an exploration needs."""

    def __init__(self, text: str, folder: Path, session: Session, lean: EmbeddedLean) -> None:
        path = folder / "Ground.lean"
        path.write_text(text)
        self.theory: Theory = read_theory(path, session, lean.has_module)
        self.equations = defining_equations(self.theory, session)
        self.interpretation = Interpretation(
            session, self.theory.environment, self.theory.context, self.theory.symbols
        )
        self._session = session

    def symbols(self, *names: str) -> list[Symbol]:
        """Symbols by their last names, in the order of the theory; all without names."""
        known = self.theory.symbols.values()
        return [s for s in known if not names or s.name.rpartition(".")[2] in names]

    def explorer(
        self,
        symbols: Sequence[Symbol],
        tried: Callable[[str], bool] = lambda key: False,
        seed: int = 0,
    ) -> Explorer:
        """An explorer that knows the definitions."""
        rewriter = Rewriter(core_laws())
        for laws in self.equations.values():
            for law in laws:
                rewriter.add_definition(law)
        return Explorer(self.interpretation, symbols, rewriter, tried=tried, seed=seed)

    def law(self, signature: str) -> Law:
        """A law from its Lean signature."""
        statement = Statement(self.theory.environment, "expected", signature, self.theory.context)
        law = read_law(self._session.state(statement).type, self.theory.symbols)
        assert law is not None, signature
        return law

    def key(self, signature: str) -> str:
        """The canonical key of a law."""
        return canonical_key(self.law(signature))
