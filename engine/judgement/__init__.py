"""Judges candidates before Lean does: the falsifier, and the rubric."""
