theorem wrong : 1 = 2 := sorry

theorem wronger : 1 = 2 := by
  have := wrong
  omega

def double (n : Nat) : Nat := n + n

@[simp] theorem double_is_seven (n : Nat) : double n = 7 := sorry

def hole : Nat := sorry

inductive Open where
  | one

instance : Inhabited Open := sorry

structure Pack where
  value : Fin (2 + hole)
