/-!
QuickSpec's `Arith` on unary numbers.
-/

namespace Arith

/-- A unary number. -/
inductive N where
  | zero : N
  | succ : N → N

open N

/-- The number one. -/
def one : N := succ zero

/-- Addition. -/
def add : N → N → N
  | zero, n => n
  | succ m, n => succ (add m n)

/-- Multiplication. -/
def mul : N → N → N
  | zero, _ => zero
  | succ m, n => add n (mul m n)

end Arith
