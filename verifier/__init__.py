"""Decides what is true. The only code that talks to Lean; it never imports ``engine``."""
