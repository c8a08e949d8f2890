"""The Lean library that grows out of what was verified: names, text, write-back and check."""
