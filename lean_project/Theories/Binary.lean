/-!
Binary numerals, least significant digit first, with their value as a core natural number.
-/

namespace Binary

/-- A binary numeral. -/
inductive Bin where
  | zero : Bin
  | even : Bin → Bin
  | odd : Bin → Bin

open Bin

/-- The number that a numeral stands for. -/
def value : Bin → Nat
  | zero => 0
  | even b => value b + value b
  | odd b => value b + value b + 1

/-- The next numeral. -/
def increment : Bin → Bin
  | zero => odd zero
  | even b => odd b
  | odd b => even (increment b)

/-- The sum of two numerals. -/
def plus : Bin → Bin → Bin
  | zero, c => c
  | b, zero => b
  | even b, even c => even (plus b c)
  | even b, odd c => odd (plus b c)
  | odd b, even c => odd (plus b c)
  | odd b, odd c => even (increment (plus b c))

end Binary
