"""Refutes statements: values at which they fail, and Lean's proof that they do."""

from engine.judgement.refutation.falsifier import Falsifier, Refutation

__all__ = ["Falsifier", "Refutation"]
