/-!
Copies of core's definitions: `Bool` with `not`, `and`, `or` and `xor`.
-/

namespace Bools

/-- Core's `Bool`. -/
inductive B where
  | ff : B
  | tt : B

open B

/-- Core's `not`. -/
def not : B → B
  | tt => ff
  | ff => tt

/-- Core's `and`. -/
def and : B → B → B
  | ff, _ => ff
  | tt, b => b

/-- Core's `or`. -/
def or : B → B → B
  | tt, _ => tt
  | ff, b => b

/-- Core's `xor`. -/
def xor : B → B → B
  | tt, b => not b
  | ff, b => b

end Bools
