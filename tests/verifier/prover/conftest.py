"""Lets the tests of this folder import their theories."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # where `prover_theories.py` is
