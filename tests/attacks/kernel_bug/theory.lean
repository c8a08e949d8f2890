/-!
Lean before 4.34 does not check the parameters of a nested inductive type that do not appear in the
type which it makes of it (leanprover/lean4#14576). So `Knot.tie` may take a `Box (Knot w) b` where
`b` is the bit inside of the *proof* of `w`, which no projection may read. Two such bits that the
kernel cannot tell apart are enough for `False`: `Bit.seen` holds of `true` alone, and the padded
`true` and `false` have equal hashes, so one is taken for the other once their carriers are equal.
The two numbers of the padding are those of the report. No axiom, no option, no unchecked step.
-/

open Lean Elab

inductive Hidden : Prop where | hide (bit : Bool)
structure Open where bit : Bool
inductive Wrap : Type where | wrap (inside : Hidden)
inductive Box (α : Type) (bit : Bool) : Type where | box
inductive Bit : Bool → Prop where | seen : Bit true

def constant (name : Name) : Expr := mkConst name

def padded (bit : Name) (size : Nat) : Expr :=
  mkApp (mkLambda `n .default (constant `Nat) (constant bit)) (.lit (.natVal size))

def no : Expr := padded `Bool.false 78670
def yes : Expr := padded `Bool.true 24083

def wrapped (bit : Expr) : Expr := mkApp (constant `Wrap.wrap) (mkApp (constant `Hidden.hide) bit)
def knot (wrap : Expr) : Expr := mkApp (constant `Knot) wrap
def tie (wrap box : Expr) : Expr := mkApp2 (constant `Knot.tie) wrap box
def box (of bit : Expr) : Expr := mkApp2 (constant `Box.box) of bit
def boxed (of bit : Expr) : Expr := mkApp2 (constant `Box) of bit

def define (name : Name) (type value : Expr) : CoreM Unit :=
  addDecl (.defnDecl
    { name := name, levelParams := [], type := type, value := value, hints := .abbrev,
      safety := .safe })

def declareKnot : CoreM Unit :=
  let stolen := mkProj `Open 0 (mkProj `Open 0 (mkBVar 0))
  let type := mkForall `w .default (constant `Wrap) (mkSort 1)
  let tieType := mkForall `w .default (constant `Wrap)
    (mkForall `b .default (boxed (knot (mkBVar 0)) stolen) (knot (mkBVar 1)))
  let made : InductiveType :=
    { name := `Knot, type := type, ctors := [{ name := `Knot.tie, type := tieType }] }
  addDecl (.inductDecl [] 1 [made] false)

def confuse : Expr :=
  let ofNo := knot (wrapped no)
  let ofYes := knot (wrapped yes)
  let first := tie (wrapped no) (mkProj `Knot 0 (constant `tied))
  let second := tie (wrapped yes) (box ofYes (constant `Bool.true))
  let third := mkApp (mkLambda `b .default (boxed ofYes yes) (constant `Unit.unit))
    (box ofYes (constant `Bool.true))
  let fourth := tie (wrapped no) (box ofNo no)
  .letE `a ofNo first (.letE `b ofYes second (.letE `c (constant `Unit) third
    (.letE `d ofNo fourth (constant `seenYes) true) true) true) true

def prove : CoreM Unit := do
  declareKnot
  define `tied (knot (wrapped yes)) (tie (wrapped yes) (box (knot (wrapped yes)) (constant `Bool.true)))
  define `seenYes (mkApp (constant `Bit) yes) (constant `Bit.seen)
  addDecl (.thmDecl
    { name := `seenNo, levelParams := [], type := mkApp (constant `Bit) no, value := confuse })

elab "seen_no" : term => do
  prove
  return constant `seenNo

theorem seen : Bit false := seen_no

theorem contradiction : False := nomatch seen
