/-!
QuickSpec's `Lists`: lists of its own, with lengths in core's `Nat` as the background.
-/

universe u v

namespace Lists

/-- A finite list. -/
inductive Seq (α : Type u) where
  | nil : Seq α
  | cons : α → Seq α → Seq α

open Seq

/-- The elements of the first list, then those of the second. -/
def append {α : Type u} : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

/-- The elements in the opposite order. -/
def reverse {α : Type u} : Seq α → Seq α
  | nil => nil
  | cons x xs => append (reverse xs) (cons x nil)

/-- A function applied to each element. -/
def map {α : Type u} {β : Type v} (f : α → β) : Seq α → Seq β
  | nil => nil
  | cons x xs => cons (f x) (map f xs)

/-- The number of elements. -/
def length {α : Type u} : Seq α → Nat
  | nil => 0
  | cons _ xs => length xs + 1

/-- The elements of all lists of a list. -/
def concat {α : Type u} : Seq (Seq α) → Seq α
  | nil => nil
  | cons xs xss => append xs (concat xss)

end Lists
