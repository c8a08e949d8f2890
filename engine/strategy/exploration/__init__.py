"""Theory exploration: which laws do tests suggest over some functions?"""

from engine.strategy.exploration.explorer import Explorer, Progress
from engine.strategy.exploration.suggestion import Suggestion

__all__ = ["Explorer", "Progress", "Suggestion"]
