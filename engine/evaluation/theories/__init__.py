"""Theories that benchmarks discover in, as Lean files with fresh datatypes.

Lean's library has no lemma about a fresh datatype, so that whatever a run proves it has proved
itself. ``quickspec/`` has the functions of QuickSpec's examples, ``core/`` copies of definitions
of Lean's core library.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def theory_file(group: str, name: str) -> Path:
    """The Lean file of a packaged theory.

    Args:
        group: ``quickspec`` or ``core``.
        name: Such as ``Lists``.
    """
    return FOLDER / group / f"{name}.lean"
