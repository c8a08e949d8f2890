def lie : Bool := true

@[implemented_by lie] def liar : Bool := false

/-- Compiled it is `true`, for the kernel it is `false`. -/
def compiled : Bool := liar

def honest : Bool := false

macro "trust_me" : tactic => `(tactic| native_decide)

macro "truth!" : term => `(Lean.ofReduceBool compiled true rfl)

theorem trusted : compiled = true := by native_decide
