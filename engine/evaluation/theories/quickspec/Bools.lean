/-!
QuickSpec's `Bools` on a two-valued type of its own.
-/

namespace Bools

/-- A truth value. -/
inductive B where
  | ff : B
  | tt : B

open B

/-- Negation. -/
def not : B → B
  | ff => tt
  | tt => ff

/-- Disjunction. -/
def or : B → B → B
  | ff, b => b
  | tt, _ => tt

/-- Conjunction. -/
def and : B → B → B
  | ff, _ => ff
  | tt, b => b

end Bools
