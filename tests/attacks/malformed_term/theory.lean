open Lean Elab

elab "bad_projection" : term => return .proj `And 7 (mkConst `True.intro)

elab "bad_literal" : term => return .lit (.strVal "proof")

elab "free_variable" : term => return .fvar ⟨`h⟩

elab "loose_variable" : term => return .bvar 3

elab "unknown_constant" : term => return mkConst `no.such.constant

elab "wrong_universe" : term => return mkConst `rfl [1, 2, 3]

elab "stray" : term => return .mvar ⟨`stray⟩
