"""A Lean that the user has: found, started in its own process group, and asked in batches."""
