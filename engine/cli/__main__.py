"""``python -m engine.cli`` is the same as ``lemmata``."""

from engine.cli import main

main()
