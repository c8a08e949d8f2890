open Lean Elab

elab "ill_typed" : term => return mkConst `True.intro

elab "vanish" : tactic => modify fun _ => ⟨[]⟩

elab "add_wrong" : command => do
  let type := mkApp3 (mkConst `Eq [1]) (mkConst `Nat) (mkNatLit 1) (mkNatLit 2)
  let value : TheoremVal :=
    { name := `wrong, levelParams := [], type, value := mkConst `True.intro }
  let kernel := (← get).env.toKernelEnv
  match kernel.addDeclWithoutChecking (.thmDecl value) with
  | .ok kernel => modify fun s => { s with env := .ofKernelEnv kernel }
  | .error _ => return

add_wrong
