/-!
Copies of core's definitions: `Nat` with `pred`, `+`, `*` and `-`.
-/

namespace Naturals

/-- Core's `Nat`. -/
inductive N where
  | zero : N
  | succ : N → N

open N

/-- Core's `Nat.pred`. -/
def pred : N → N
  | zero => zero
  | succ n => n

/-- Core's `Nat.add`. -/
def add : N → N → N
  | m, zero => m
  | m, succ n => succ (add m n)

/-- Core's `Nat.sub`. -/
def sub : N → N → N
  | m, zero => m
  | m, succ n => pred (sub m n)

/-- Core's `Nat.mul`. -/
def mul : N → N → N
  | _, zero => zero
  | m, succ n => add (mul m n) m

end Naturals
