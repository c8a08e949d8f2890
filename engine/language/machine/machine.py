"""Runs functions on numbered values; every call is made once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engine.language.machine.values import CLOSURE, ERASED, PARTIAL, TABLE, Node, Values

Environment = tuple[int, ...]
"""Values of the bound variables, the outermost first."""

Code = Callable[[Environment], int]
"""A compiled expression."""

NO_VALUE = -1
"""In place of a value: no equation fits, it took too long, or an argument has no value."""

CALL_LIMIT = 4_000
DEPTH = 20_000
"""Calls within one that was asked for, and Python frames: what needs more has no value."""


class Exhausted(Exception):
    """A computation took too many calls."""


class Stuck(Exception):
    """No equation fits."""


@dataclass(frozen=True)
class Pattern:
    """What an argument must look like.

    Attributes:
        level: The variable that it is bound to; ``None`` for another pattern.
        tag: Tag of the values that fit, where that is known.
        fits: Whether a value fits; puts its parts into the list of variables.
    """

    level: int | None = None
    tag: str | None = None
    fits: Callable[[int, list[int]], bool] = lambda value, found: True


class Equations:
    """A function given by equations, tried in order.

    Only those are tried whose left side has the right constructor at one chosen argument.

    Args:
        nodes: Those of the values.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._cases: list[_Case] = []
        self._chosen = 0
        self._by_tag: dict[str, list[_Case]] = {}

    def add(self, patterns: Sequence[Pattern], variables: int, body: Code) -> None:
        """Adds an equation with so many variables."""
        binds = [(i, p.level) for i, p in enumerate(patterns) if p.level is not None]
        tests = [(i, p.fits) for i, p in enumerate(patterns) if p.level is None]
        tags = {i: p.tag for i, p in enumerate(patterns) if p.tag is not None}
        self._cases.append(_Case(binds, tests, tags, variables, body))
        self._chosen = max(range(len(patterns)), key=self._told_apart, default=0)
        self._by_tag.clear()

    def _told_apart(self, argument: int) -> int:
        """In how many equations the constructor of an argument is given."""
        return sum(argument in case.tags for case in self._cases)

    def __call__(self, args: Sequence[int]) -> int:
        """The right side of the first equation whose left side fits."""
        tag = self._nodes[args[self._chosen]][0] if args else ""
        cases = self._by_tag.get(tag)
        if cases is None:
            cases = [c for c in self._cases if c.tags.get(self._chosen, tag) == tag]
            self._by_tag[tag] = cases
        for case in cases:
            found = [ERASED] * case.variables
            for argument, level in case.binds:
                found[level] = args[argument]
            for argument, fits in case.tests:
                if not fits(args[argument], found):
                    break
            else:
                return case.body(tuple(found))
        raise Stuck


@dataclass(frozen=True, slots=True)
class _Case:
    """An equation.

    Attributes:
        binds: Arguments that are variables. tests: Patterns of the others. tags: Known tags.
    """

    binds: list[tuple[int, int]]
    tests: list[tuple[int, Callable[[int, list[int]], bool]]]
    tags: dict[int, str]
    variables: int
    body: Code


class Machine:
    """Calls functions by number.

    Attributes:
        values: What the functions take and give.
    """

    def __init__(self) -> None:
        self.values = Values()
        self._arities: list[int] = []
        self._runs: list[Callable[[Sequence[int]], int]] = []
        self._codes: list[Code] = []
        self._memo: dict[tuple[int, ...], int] = {}
        self._calls = 0

    @property
    def computed(self) -> int:
        """How many different calls were made."""
        return len(self._memo)

    def add(self, arity: int, run: Callable[[Sequence[int]], int]) -> int:
        """Adds a function of so many arguments; its number."""
        self._arities.append(arity)
        self._runs.append(run)
        return len(self._runs) - 1

    def arity(self, number: int) -> int:
        """How many arguments a function takes."""
        return self._arities[number]

    def function(self, number: int, args: Sequence[int] = ()) -> int:
        """A function as a value, applied to fewer arguments than it takes, or its result."""
        if len(args) == self._arities[number]:
            return self.call(number, tuple(args))
        return self.values.make((PARTIAL, number, *args))

    def closure(self, code: Code) -> int:
        """Registers the body of an abstraction; see :meth:`abstraction`."""
        self._codes.append(code)
        return len(self._codes) - 1

    def abstraction(self, code: int, environment: Environment) -> int:
        """The value of an abstraction in an environment."""
        return self.values.make((CLOSURE, code, environment))

    def call(self, number: int, args: tuple[int, ...]) -> int:
        """The result of a function on as many arguments as it takes.

        Raises:
            Exhausted: It takes too long.
            Stuck: No equation fits.
        """
        key = (number, *args)
        known = self._memo.get(key)
        if known is None:
            self._calls += 1
            if self._calls > CALL_LIMIT:
                raise Exhausted
            known = self._runs[number](args)
            self._memo[key] = known
        return known

    def apply(self, function: int, arg: int) -> int:
        """A function value on one argument."""
        if function == ERASED:
            return ERASED
        node = self.values.nodes[function]
        tag = node[0]
        if tag == PARTIAL:
            args = (*node[2:], arg)
            if len(args) == self._arities[node[1]]:
                return self.call(node[1], args)
            return self.values.make((PARTIAL, node[1], *args))
        if tag == CLOSURE:
            return self._codes[node[1]]((*node[2], arg))
        if tag == TABLE:
            return self.values.tables[node[1]](arg)
        raise Stuck

    def applied(self, function: int, args: Sequence[int]) -> int:
        """A function value on several arguments."""
        node = self.values.nodes[function]
        if node[0] == PARTIAL:
            arguments = (*node[2:], *args)
            missing = self._arities[node[1]] - len(arguments)
            if missing == 0:
                return self.call(node[1], arguments)
            if missing > 0:
                return self.values.make((PARTIAL, node[1], *arguments)) if args else function
        for arg in args:
            function = self.apply(function, arg)
        return function

    def column(self, compute: Callable[..., int], *columns: Sequence[int]) -> list[int]:
        """Results of a computation case by case, ``NO_VALUE`` where there is none.

        Args:
            compute: From one value of each column to a value.
            columns: Of equal length.
        """
        with deep_recursion():
            return [self._attempt(compute, row) for row in zip(*columns, strict=True)]

    def _attempt(self, compute: Callable[..., int], row: tuple[Any, ...]) -> int:
        if NO_VALUE in row:
            return NO_VALUE
        self._calls = 0
        try:
            return compute(*row)
        except (Exhausted, Stuck, RecursionError):
            return NO_VALUE


@contextmanager
def deep_recursion() -> Any:
    """Lets Python recurse as deeply as values are nested."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
