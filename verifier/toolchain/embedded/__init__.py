"""The embedded Lean: Lean compiled to WebAssembly, which needs no Lean installation."""
