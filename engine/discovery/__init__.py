"""The closed loop: retrieve, draft, judge, prove, write back, until the budget is spent."""

from engine.discovery.loop import Discovery
from engine.discovery.records import COUNTED, Fate, Result, RunReport, verified

__all__ = ["COUNTED", "Discovery", "Fate", "Result", "RunReport", "verified"]
