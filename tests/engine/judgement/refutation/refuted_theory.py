"""A small theory with predicates of all kinds."""

THEORY = """
inductive Even : Nat → Prop where
  | zero : Even 0
  | step (n : Nat) : Even n → Even (n + 2)
def Below (n : Nat) : List Nat → Prop
  | [] => True
  | x :: xs => x ≤ n ∧ Below n xs
inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α
def Tree.mirror {α : Type} : Tree α → Tree α
  | .leaf => .leaf
  | .node l x r => .node r.mirror x l.mirror
opaque secret : Nat → Nat
axiom mystery : secret 0 ≠ 0
"""
