"""Finds proofs: a portfolio of Lean tactics, chosen by the shape of the statement."""
