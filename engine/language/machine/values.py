"""Numbered values: equal numbers are equal values, compared and looked up at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ERASED = 0
"""The value of types, proofs and instances that no computation looks at."""

NUMBER = "#"
PARTIAL = "·"
CLOSURE = "λ"
TABLE = "?"
"""Tags of values that no constructor makes; else the tag is the constructor's name."""

Node = tuple[Any, ...]
"""``(NUMBER, n)``, ``(constructor, *fields)``, ``(PARTIAL, function, *arguments)``, ``(CLOSURE,
code, environment)`` or ``(TABLE, number)``."""


class Values:
    """A table of values, each once. A number is the place of its value.

    Attributes:
        nodes: By number.
        tables: Functions that are given by a Python function from a value to a value.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = [("_",)]
        self._numbers: dict[Node, int] = {("_",): ERASED}
        self.tables: list[Callable[[int], int]] = []

    def make(self, node: Node) -> int:
        """The number of a value."""
        number = self._numbers.get(node)
        if number is None:
            number = len(self.nodes)
            self._numbers[node] = number
            self.nodes.append(node)
        return number

    def natural(self, n: int) -> int:
        """The number of the value that is the natural number ``n``."""
        return self.make((NUMBER, n))

    def boolean(self, truth: bool) -> int:
        """The number of ``true`` or ``false``."""
        return self.make(("Bool.true" if truth else "Bool.false",))

    def table(self, function: Callable[[int], int]) -> int:
        """A function as a value; each call makes another one."""
        self.tables.append(function)
        return self.make((TABLE, len(self.tables) - 1))

    def is_function(self, number: int) -> bool:
        """Whether a value is a function."""
        return self.nodes[number][0] in (PARTIAL, CLOSURE, TABLE)

    def is_true(self, number: int) -> bool:
        """Whether a value is ``true``, or a decision that something holds."""
        return self.nodes[number][0] in ("Bool.true", "Decidable.isTrue")

    def size(self, number: int) -> int:
        """Number of constructors of a value; a number or function counts once."""
        size, pending = 0, [number]
        while pending:
            node = self.nodes[pending.pop()]
            size += 1
            if node[0] not in (NUMBER, PARTIAL, CLOSURE, TABLE):
                pending += [field for field in node[1:] if field != ERASED]
        return size

    def structure(self, number: int) -> Any:
        """A value as :meth:`verifier.evaluation.Evaluator.structure` shows it.

        Raises:
            ValueError: It is or contains a function.
        """
        tag, *fields = self.nodes[number]
        if tag == NUMBER:
            return fields[0]
        if tag in (PARTIAL, CLOSURE, TABLE):
            raise ValueError("a function has no structure")
        return [tag, *(self.structure(f) for f in fields)]

    def read(self, structure: Any) -> int:
        """The number of the value with a structure."""
        if not isinstance(structure, list):
            return self.natural(int(structure))
        tag, *fields = structure
        return self.make((tag, *(self.read(f) for f in fields)))
