/-!
Copies of core's definitions: `List` with `++`, `reverse`, `map` and `length`, and the functions
`id` and `∘` that core's lemmas about `map` speak of.
-/

universe u v w

namespace Lists

/-- Core's `List`. -/
inductive Seq (α : Type u) where
  | nil : Seq α
  | cons : α → Seq α → Seq α

open Seq

/-- Core's `List.length`. -/
def length {α : Type u} : Seq α → Nat
  | nil => 0
  | cons _ xs => length xs + 1

/-- Core's `List.append`. -/
def append {α : Type u} : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

/-- Core's `List.reverseAux`. -/
def reverseAux {α : Type u} : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => reverseAux xs (cons x ys)

/-- Core's `List.reverse`. -/
def reverse {α : Type u} (xs : Seq α) : Seq α :=
  reverseAux xs nil

/-- Core's `List.map`. -/
def map {α : Type u} {β : Type v} (f : α → β) : Seq α → Seq β
  | nil => nil
  | cons x xs => cons (f x) (map f xs)

/-- Core's `id`. -/
def ident {α : Type u} (x : α) : α :=
  x

/-- Core's `Function.comp`. -/
def comp {α : Type u} {β : Type v} {γ : Type w} (f : β → γ) (g : α → β) (x : α) : γ :=
  f (g x)

end Lists
