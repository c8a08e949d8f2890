"""Batch proving: statements come in from files, proofs go back into them."""
