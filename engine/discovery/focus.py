"""Which functions of a theory are explored together.

A small theory is explored as a whole. In a large one the terms would be too many: each function in
its turn is the centre, and the funnel says which others are near it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.language.term import Symbol
from engine.strategy.operators import KnownLaw

TOGETHER = 10
"""Functions that are explored together; with more, even terms of five symbols are too many."""
CONTEXT_SIZE = 24
"""Nodes that are retrieved for a goal, or around a function."""


class Focus:
    """Chooses symbols and laws from what was retrieved.

    Args:
        symbols: All symbols of the theory.
        owners: The node of each symbol by Lean name; core functions have none.
        goal: What the run looks for; empty for the whole theory.
    """

    def __init__(self, symbols: Iterable[Symbol], owners: Mapping[str, str], goal: str) -> None:
        self._symbols = list(symbols)
        self._owners = owners
        self._goal = goal
        self._functions = [s for s in self._symbols if _is_function(s)]
        self._centre = 0

    @property
    def whole(self) -> bool:
        """Whether the theory is explored as a whole."""
        return not self._goal and len(self._functions) <= TOGETHER

    @property
    def query(self) -> str:
        """What the funnel is asked for: the goal, all symbols, or the function in the centre."""
        if self._goal:
            return self._goal
        if self.whole:
            return " ".join(s.name for s in self._symbols)
        centre = self._functions[self._centre]
        types = " ".join(t.head for t in (*centre.params, centre.result) if not t.is_variable)
        return f"{centre.name} {types}"

    @property
    def breadth(self) -> int:
        """How many nodes are asked for."""
        return max(CONTEXT_SIZE, len(set(self._owners.values()))) if self.whole else CONTEXT_SIZE

    def next(self) -> bool:
        """Goes on to the next centre; whether all had their turn."""
        if self.whole or self._goal:
            return True
        self._centre = (self._centre + 1) % len(self._functions)
        return self._centre == 0

    def symbols(self, nodes: Sequence[str]) -> list[Symbol]:
        """The symbols of the retrieved nodes, the nearest first, with all that is needed.

        Constructors and core functions are needed always. Without a goal only so many functions
        are taken as can be explored together, the one in the centre among them.
        """
        if self.whole:
            return self._symbols
        near = {node: place for place, node in enumerate(nodes)}
        chosen = [s for s in self._functions if self._owners.get(s.name) in near]
        chosen.sort(key=lambda s: near[self._owners[s.name]])
        if not self._goal:
            centre = self._functions[self._centre]
            chosen = [centre, *(s for s in chosen if s != centre)]
        wanted = set(chosen[:TOGETHER])
        return [s for s in self._symbols if s in wanted or not _is_function(s)]

    def laws(self, known: Sequence[KnownLaw], nodes: Sequence[str]) -> Sequence[KnownLaw]:
        """Laws to work with: all, or those of the retrieved nodes and about their functions.

        Where it is all, the same list: what is proved meanwhile shows in it.
        """
        if self.whole:
            return known
        near = set(nodes)
        names = {s.name for s in self.symbols(nodes)}
        return [k for k in known if k.node in near or {s.name for s in k.law.symbols()} <= names]


def _is_function(symbol: Symbol) -> bool:
    return not (symbol.is_constructor or symbol.is_background)
