"""Searching for values at which a statement fails.

The variables of the statement are unknowns that become known as far as the evaluation of its
hypotheses and its conclusion asks for them (narrowing), so what fails for all lists that begin with
1 is seen to fail once. The search computes by itself and is not trusted: what it finds is a
suggestion, which Lean proves or does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from verifier.lean import Facts

Shown: TypeAlias = Any
"""A value as nested lists: ``["n", digits]``, ``["t", text]``, ``["c", name, *explicit fields]``,
``["f", shape, *parts]`` for a function, ``["s", name, *arguments]`` for a type, ``["p"]`` for a
proof that is to be found, ``["and", one, other]`` for a pair of those, ``["?"]`` for what has no
text."""


@dataclass(frozen=True)
class Search:
    """What to search, and how long.

    Attributes:
        type: The statement as JSON (``session/expr.js``), closed, without type variables.
        steps: Of evaluation; the same number finds the same values on every machine.
        seconds: Wall-clock limit.
        seed: Of the random part.
        depth: Evaluation depth d_i: random values grow with it.
    """

    type: Any
    steps: int
    seconds: float
    seed: int = 0
    depth: int = 1


class Found(Facts):
    """Values at which a statement fails.

    Attributes:
        values: A name and a value for each binder, in order; hypotheses have no name.
        sides: Normal forms of both sides, when the conclusion is an equation.
    """

    values: tuple[tuple[str, Shown], ...]
    sides: tuple[Shown, Shown] | None


class Narrowed(Facts):
    """How a search ended.

    Attributes:
        outcome: ``refuted``; ``exhausted``: it holds for all values there are; ``open``.
        found: Where it fails.
        candidates: Rows like ``found.values`` where something could not be evaluated.
        steps: That were used.
    """

    outcome: Literal["refuted", "exhausted", "open"]
    found: Found | None
    candidates: tuple[tuple[tuple[str, Shown], ...], ...] = ()
    steps: int
