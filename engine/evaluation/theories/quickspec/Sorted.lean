/-!
QuickSpec's `Sorted`: insertion sort on lists of unary numbers.
-/

namespace Sorted

/-- A unary number. -/
inductive N where
  | zero : N
  | succ : N → N

/-- A finite list. -/
inductive Seq (α : Type) where
  | nil : Seq α
  | cons : α → Seq α → Seq α

open N Seq

/-- Whether a number is at most another one. -/
def le : N → N → Bool
  | zero, _ => true
  | succ _, zero => false
  | succ m, succ n => le m n

/-- A number put before the first one that is not smaller. -/
def insert (x : N) : Seq N → Seq N
  | nil => cons x nil
  | cons y ys => if le x y then cons x (cons y ys) else cons y (insert x ys)

/-- The numbers in ascending order. -/
def sort : Seq N → Seq N
  | nil => nil
  | cons x xs => insert x (sort xs)

/-- Whether each number is at most its successor in the list. -/
def sorted : Seq N → Bool
  | nil => true
  | cons _ nil => true
  | cons x (cons y ys) => le x y && sorted (cons y ys)

end Sorted
