"""Reads what compiled Lean modules declare: Lean's own libraries and local projects."""
