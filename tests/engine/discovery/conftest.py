import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), *(str(HERE.parent / f) for f in ("language", "library"))]
# `waiting.py`, `algebra.py` and `credulous.py` are there
