"""Readers of mathematics: Lean modules now, papers later."""
