/-!
Unary numbers from nothing: addition, multiplication and doubling, and not one lemma.
-/

namespace Naturals

/-- A unary number. -/
inductive N where
  | zero : N
  | succ : N → N

open N

/-- Addition, by recursion on the second number. -/
def add : N → N → N
  | m, zero => m
  | m, succ n => succ (add m n)

/-- Multiplication, by recursion on the second number. -/
def mul : N → N → N
  | _, zero => zero
  | m, succ n => add (mul m n) m

/-- Twice a number. -/
def double : N → N
  | zero => zero
  | succ n => succ (succ (double n))

end Naturals
