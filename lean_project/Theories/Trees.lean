import Theories.Lists

/-!
Binary trees with values at the nodes, over the lists of the neighbouring module.
-/

universe u v

namespace Trees

open Lists (Seq append)

/-- A binary tree. -/
inductive Tree (α : Type u) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

open Tree

/-- Left and right exchanged at every node. -/
def mirror {α : Type u} : Tree α → Tree α
  | leaf => leaf
  | node l x r => node (mirror r) x (mirror l)

/-- A function applied to the value at each node. -/
def mapTree {α : Type u} {β : Type v} (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l x r => node (mapTree f l) (f x) (mapTree f r)

/-- The number of nodes. -/
def size {α : Type u} : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + size r + 1

/-- The values from left to right. -/
def inorder {α : Type u} : Tree α → Seq α
  | leaf => Seq.nil
  | node l x r => append (inorder l) (Seq.cons x (inorder r))

end Trees
