/-!
QuickSpec's `ListHOF`: functions that take functions.
-/

universe u v w

namespace ListHOF

/-- A finite list. -/
inductive Seq (α : Type u) where
  | nil : Seq α
  | cons : α → Seq α → Seq α

open Seq

/-- A function applied to each element. -/
def map {α : Type u} {β : Type v} (f : α → β) : Seq α → Seq β
  | nil => nil
  | cons x xs => cons (f x) (map f xs)

/-- The elements combined from the right. -/
def fold {α : Type u} {β : Type v} (f : α → β → β) (b : β) : Seq α → β
  | nil => b
  | cons x xs => f x (fold f b xs)

/-- The second function, then the first. -/
def comp {α : Type u} {β : Type v} {γ : Type w} (f : α → β) (g : γ → α) (x : γ) : β :=
  f (g x)

end ListHOF
