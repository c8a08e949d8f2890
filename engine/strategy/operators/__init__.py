"""The operators, one file each. ``OPERATORS`` lists them in the order in which the agent asks."""

from __future__ import annotations

from engine.strategy.operators.analogy import Analogy
from engine.strategy.operators.base import Context, Draft, KnownLaw, Operator
from engine.strategy.operators.deduction import Deduction
from engine.strategy.operators.induction import Induction

OPERATORS: tuple[Operator, ...] = (Induction(), Deduction(), Analogy())

__all__ = ["OPERATORS", "Context", "Draft", "KnownLaw", "Operator"]
