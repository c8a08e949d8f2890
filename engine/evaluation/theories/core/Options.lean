/-!
Copies of core's definitions: `Option` with `map`, `bind`, `filter`, `or`, `getD`, `isSome` and
`isNone`, and the functions `id` and `∘` that core's lemmas about `map` speak of.
-/

universe u v w

namespace Options

/-- Core's `Option`. -/
inductive Opt (α : Type u) where
  | none : Opt α
  | some : α → Opt α

/-- Core's `Option.isSome`. -/
def isSome {α : Type u} : Opt α → Bool
  | .some _ => true
  | .none => false

/-- Core's `Option.isNone`. -/
def isNone {α : Type u} : Opt α → Bool
  | .some _ => false
  | .none => true

/-- Core's `Option.getD`. -/
def getD {α : Type u} : Opt α → α → α
  | .some x, _ => x
  | .none, d => d

/-- Core's `Option.map`. -/
def map {α : Type u} {β : Type v} (f : α → β) : Opt α → Opt β
  | .some x => .some (f x)
  | .none => .none

/-- Core's `Option.bind`. -/
def bind {α : Type u} {β : Type v} : Opt α → (α → Opt β) → Opt β
  | .none, _ => .none
  | .some x, f => f x

/-- Core's `Option.filter`. -/
def filter {α : Type u} (p : α → Bool) : Opt α → Opt α
  | .some x => match p x with
    | true => .some x
    | false => .none
  | .none => .none

/-- Core's `Option.or`. -/
def or {α : Type u} : Opt α → Opt α → Opt α
  | .some x, _ => .some x
  | .none, o => o

/-- Core's `id`. -/
def ident {α : Type u} (x : α) : α :=
  x

/-- Core's `Function.comp`. -/
def comp {α : Type u} {β : Type v} {γ : Type w} (f : β → γ) (g : α → β) (x : α) : γ :=
  f (g x)

end Options
