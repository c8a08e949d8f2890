"""Typed terms and laws: the language in which operators draft, and its way to Lean and back."""
