open Lean Elab

elab "ill_typed" : term => return mkConst `True.intro

elab "vanish" : tactic => modify fun _ => ⟨[]⟩

def addUnchecked (name : Name) (value : Expr) : CoreM Unit := do
  let type := mkApp3 (mkConst `Eq [1]) (mkConst `Nat) (mkNatLit 1) (mkNatLit 2)
  let theorem_ : TheoremVal := { name, levelParams := [], type, value }
  withOptions (fun o => o.setBool `debug.skipKernelTC true) do addDecl (.thmDecl theorem_)

elab "by_adding " name:ident : term => do
  addUnchecked name.getId (mkConst `True.intro)
  return mkConst name.getId

elab "by_a_circle" : term => do
  addUnchecked `t._circle (mkConst `t._circle)
  return mkConst `t._circle

theorem wrong : 1 = 2 := by_adding wrong._unchecked
