/-!
Copies of core's definitions: `List` with `++`, membership, and the functions that ask a Boolean
predicate, `filter`, `all` and `any`.
-/

universe u

namespace Filters

/-- Core's `List`. -/
inductive Seq (α : Type u) where
  | nil : Seq α
  | cons : α → Seq α → Seq α

open Seq

/-- Core's `List.Mem`. -/
inductive Mem {α : Type u} (a : α) : Seq α → Prop where
  | head (xs : Seq α) : Mem a (cons a xs)
  | tail (b : α) {xs : Seq α} : Mem a xs → Mem a (cons b xs)

/-- Core's decision of membership. -/
instance instDecidableMem {α : Type u} [DecidableEq α] (a : α) :
    (xs : Seq α) → Decidable (Mem a xs)
  | nil => isFalse nofun
  | cons b xs =>
    if h : a = b then isTrue (h ▸ Mem.head xs)
    else match instDecidableMem a xs with
      | isTrue m => isTrue (Mem.tail b m)
      | isFalse n => isFalse fun
        | .head _ => h rfl
        | .tail _ m => n m

/-- Core's `List.append`. -/
def append {α : Type u} : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

/-- Core's `List.filter`. -/
def filter {α : Type u} (p : α → Bool) : Seq α → Seq α
  | nil => nil
  | cons x xs => match p x with
    | true => cons x (filter p xs)
    | false => filter p xs

/-- Core's `List.all`. -/
def all {α : Type u} : Seq α → (α → Bool) → Bool
  | nil, _ => true
  | cons x xs, p => p x && all xs p

/-- Core's `List.any`. -/
def any {α : Type u} : Seq α → (α → Bool) → Bool
  | nil, _ => false
  | cons x xs, p => p x || any xs p

end Filters
