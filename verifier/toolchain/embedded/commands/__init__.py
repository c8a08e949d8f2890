"""The commands ``lean`` and ``lake``, as programs that anyone can call, on the embedded Lean."""
