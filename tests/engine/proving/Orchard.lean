/-
A file as people write them, for the test of `lemmata prove`. It has Windows line ends.

/- A comment in a comment: sorry, by sorry, `:= sorry`.
   /- And one in that one: sorry. -/ -/
-/

/-! # Orchard

Sequences and trees, with their laws. Some of them are still `sorry`. -/

universe u v

namespace Orchard

/-- Finite sequences. The word sorry in a doc comment is no hole. -/
inductive Seq (α : Type u) : Type u where
  | nil : Seq α
  | cons : α → Seq α → Seq α

/-- Binary trees with values at the inner nodes. -/
inductive Tree (α : Type u) : Type u where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

/-- Text that looks like a proof is only text. -/
def notice : String := "theorem t : True := sorry /- sorry -/ -- sorry"

def notices : Nat := notice.length

namespace Seq

section Basics

variable {α : Type u} {β : Type v}

/-- Joins two sequences. -/
def append : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

/-- The number of elements. -/
def length : Seq α → Nat
  | nil => 0
  | cons _ xs => length xs + 1

/-- Applies a function to each element. -/
def map (f : α → β) : Seq α → Seq β
  | nil => nil
  | cons x xs => cons (f x) (map f xs)

/-- Back to front. -/
def reverse : Seq α → Seq α
  | nil => nil
  | cons x xs => append (reverse xs) (cons x nil)

/-- The first elements, as many as there are. -/
def take : Nat → Seq α → Seq α
  | 0, _ => nil
  | _ + 1, nil => nil
  | n + 1, cons x xs => cons x (take n xs)

/-- What `take` leaves. -/
def drop : Nat → Seq α → Seq α
  | 0, xs => xs
  | _ + 1, nil => nil
  | n + 1, cons _ xs => drop n xs

/-- The elements of both, by turns, until one has no more. -/
def zip : Seq α → Seq β → Seq (α × β)
  | nil, _ => nil
  | cons _ _, nil => nil
  | cons x xs, cons y ys => cons (x, y) (zip xs ys)

theorem nil_append (xs : Seq α) : append nil xs = xs := rfl

theorem cons_append (x : α) (xs ys : Seq α) :
    append (cons x xs) ys = cons x (append xs ys) := rfl

theorem length_nil : length (nil : Seq α) = 0 := rfl

theorem length_cons (x : α) (xs : Seq α) : length (cons x xs) = length xs + 1 := rfl

/-- The first hole: all of the proof. -/
theorem append_nil (xs : Seq α) : append xs nil = xs := sorry

/-- The second: behind `by`, on a line of its own. -/
theorem append_assoc (xs ys zs : Seq α) :
    append (append xs ys) zs = append xs (append ys zs) := by
  sorry

-- sorry, this is a comment

/-- The third, with an attribute. -/
@[simp] theorem length_append (xs ys : Seq α) :
    length (append xs ys) = length xs + length ys := sorry

/-- The fourth needs the first two. -/
theorem reverse_append (xs ys : Seq α) :
    reverse (append xs ys) = append (reverse ys) (reverse xs) :=
  by sorry /- sorry behind it -/

theorem map_nil (f : α → β) : map f nil = nil := rfl

theorem map_cons (f : α → β) (x : α) (xs : Seq α) : map f (cons x xs) = cons (f x) (map f xs) :=
  rfl

theorem map_append (f : α → β) (xs ys : Seq α) :
    map f (append xs ys) = append (map f xs) (map f ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [append, map, ih]

theorem length_map (f : α → β) (xs : Seq α) : length (map f xs) = length xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [map, length, ih]

end Basics

section Counting

variable {α : Type u} (xs ys : Seq α)

open Nat in
/-- The fifth is a step inside a proof. -/
theorem length_twice : length (append xs xs) = 2 * length xs := by
  have step : length (append xs xs) = length xs + length xs := sorry
  rw [step]
  omega

theorem length_take_zero : length (take 0 xs) = 0 := by
  cases xs <;> rfl

theorem drop_zero : drop 0 xs = xs := by
  cases xs <;> rfl

/-- The sixth has a name in quotes. -/
theorem «zip with nothing» : zip xs (nil : Seq α) = nil := sorry

/-- The seventh is private, and Greek. -/
private theorem μῆκος_ἀντιστρόφου : length (reverse xs) = length xs := by
  sorry

/-- The eighth is false: no proof may be found. -/
theorem reverse_same : reverse xs = xs := sorry

local notation "ℓ" => length

/-- The ninth is an example, under a notation that ends with the section. -/
example (h : ys = nil) : ℓ (append xs ys) = ℓ xs := by sorry

/-- The tenth and the eleventh: one of them is true. -/
theorem both_ends : append nil xs = xs ∧ append xs ys = append ys xs := by
  constructor
  · sorry
  · sorry

end Counting

/-- The twelfth is no proof but a value. -/
def someone {α : Type u} [Inhabited α] : Seq α → α := sorry

end Seq

namespace Tree

variable {α : Type u} {β : Type v}

/-- Swaps left and right everywhere. -/
def mirror : Tree α → Tree α
  | leaf => leaf
  | node l x r => node (mirror r) x (mirror l)

/-- The number of values. -/
def size : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + size r + 1

/-- The length of the longest path. -/
def height : Tree α → Nat
  | leaf => 0
  | node l _ r => max (height l) (height r) + 1

/-- Applies a function to each value. -/
def map (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l x r => node (map f l) (f x) (map f r)

/-- The values from left to right. -/
def flatten : Tree α → Seq α
  | leaf => .nil
  | node l x r => .append (flatten l) (.cons x (flatten r))

theorem mirror_leaf : mirror (leaf : Tree α) = leaf := rfl

theorem mirror_mirror (t : Tree α) : mirror (mirror t) = t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [mirror, ihl, ihr]

theorem size_mirror (t : Tree α) : size (mirror t) = size t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr =>
    simp only [mirror, size, ihl, ihr]
    omega

theorem height_mirror (t : Tree α) : height (mirror t) = height t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr =>
    simp only [mirror, height, ihl, ihr]
    omega

theorem map_mirror (f : α → β) (t : Tree α) : map f (mirror t) = mirror (map f t) := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [mirror, map, ihl, ihr]

theorem size_map (f : α → β) (t : Tree α) : size (map f t) = size t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, size, ihl, ihr]

theorem height_map (f : α → β) (t : Tree α) : height (map f t) = height t := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr => simp [map, height, ihl, ihr]

theorem height_le_size (t : Tree α) : height t ≤ size t := by
  induction t with
  | leaf => exact Nat.le_refl 0
  | node l x r ihl ihr =>
    simp only [height, size]
    omega

end Tree

/-! ## Names that need care

A word in a string, `sorry`, stays what it is. -/

namespace «Ünïcødé names»

/-- Subscripts and primes. -/
def x₁' : Nat := 1

def «a name with spaces» : Nat := x₁' + 1

theorem «it is two» : «a name with spaces» = 2 := rfl

theorem x₁'_pos : 0 < x₁' := by decide

def «λ» (n : Nat) : Nat := n + x₁'

theorem «λ_succ» (n : Nat) : «λ» n = n + 1 := rfl

end «Ünïcødé names»

section Variables

variable (p q r : Prop)

theorem and_swap (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩

theorem or_swap (h : p ∨ q) : q ∨ p := h.elim .inr .inl

variable {p q} in
theorem both (hp : p) (hq : q) : p ∧ q := ⟨hp, hq⟩

theorem chain (f : p → q) (g : q → r) : p → r := fun h => g (f h)

end Variables

section Counts

/-- How often a condition holds below a bound. -/
def countBelow (holds : Nat → Bool) : Nat → Nat
  | 0 => 0
  | n + 1 => if holds n then countBelow holds n + 1 else countBelow holds n

theorem countBelow_zero (holds : Nat → Bool) : countBelow holds 0 = 0 := rfl

theorem countBelow_le (holds : Nat → Bool) (n : Nat) : countBelow holds n ≤ n := by
  induction n with
  | zero => exact Nat.le_refl 0
  | succ n ih =>
    simp only [countBelow]
    split <;> omega

end Counts

/- The end: /- sorry -/ -/

/-- Nothing is left to say, and nothing is left
to prove behind this line. -/
def farewell : String := "sorry"

end Orchard
