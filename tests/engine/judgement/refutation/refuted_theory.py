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
mutual
def Tree.levels (n : Nat) : Tree Nat → List Nat
  | .leaf => []
  | .node l _ r => Tree.both n l r
termination_by t => (2 * sizeOf t, 0)
decreasing_by all_goals (apply Prod.Lex.left; (try simp); omega)
def Tree.both (n : Nat) (l r : Tree Nat) : List Nat :=
  n :: Tree.levels (n + 1) r
termination_by (2 * (sizeOf l + sizeOf r) + 1, 0)
decreasing_by all_goals (apply Prod.Lex.left; (try simp); omega)
end
opaque secret : Nat → Nat
axiom mystery : secret 0 ≠ 0
"""
