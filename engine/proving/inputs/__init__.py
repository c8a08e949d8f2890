"""Where statements come from: Lean files, JSON lines, TIP problems."""
