"""Finds the ancestors of a goal: encoders, funnel, backtracking, flat search."""
