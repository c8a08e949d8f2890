"""Computing with closed terms in Lean's kernel, one function application at a time.

Values are numbered and compared by number: two applications give the same number exactly when
their normal forms are the same. Every application is remembered, so a term costs one kernel
normalisation for each *new* combination of a function with values, not one for each term.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from verifier.lean import Environment
from verifier.toolchain.embedded.process import Loss, SessionLost

Call = tuple[int, ...]
"""A function's index, then the numbers of the values that it is applied to."""

STUCK = -1
TOO_BIG = -2
LOST = -3
"""Codes in place of a value: no constructor form; larger than the limit; Lean hung or died."""

BATCH = 1_000
SLICE_SECONDS = 3.0
GRACE_SECONDS = 4.0
"""A request computes for a slice of time and returns what it has; Lean is taken for lost when it
is silent for the grace beyond that, which only a single long computation can cause."""


class EvaluatingSession(Protocol):
    """What the evaluator needs of a session."""

    @property
    def generation(self) -> int:
        """Number of the current process."""

    def evaluator(self, environment: Environment, functions: Sequence[Any]) -> int:
        """Sends the functions; a remote id."""

    def apply(
        self, evaluator: int, calls: Sequence[Sequence[int]], max_size: int, seconds: float
    ) -> tuple[list[int], list[Any]]:
        """Applies functions to values: results of a first part of the calls, and new values."""


class Evaluator:
    """A table of functions over one environment, with all values computed so far.

    Args:
        session: The Lean that computes.
        environment: Where the functions are defined.
        functions: Closed kernel expressions as JSON (``session/expr.js``); a constant value is a
            function without arguments.
        max_size: Largest number of constructors in a value; larger ones are ``TOO_BIG``.
    """

    def __init__(
        self,
        session: EvaluatingSession,
        environment: Environment,
        functions: Sequence[Any],
        max_size: int = 80,
    ) -> None:
        self._session = session
        self._environment = environment
        self._functions = list(functions)
        self._max_size = max_size
        self._remote = -1
        self._generation = -1
        self._memo: dict[Call, int] = {}
        self._structures: list[Any] = []
        self._origins: list[Call] = []

    @property
    def applications(self) -> int:
        """How many different applications Lean was asked for."""
        return len(self._memo)

    def structure(self, value: int) -> Any:
        """The normal form: a literal, ``[constructor, *fields]``, or ``["?", text]``.

        Raises:
            IndexError: It is a code and no value.
        """
        if value < 0:
            raise IndexError(f"{value} is a code, not a value")
        return self._structures[value]

    def add_function(self, expression: Any) -> int:
        """Adds a function; its index."""
        self._functions.append(expression)
        self._generation = -1
        return len(self._functions) - 1

    def apply(self, calls: Sequence[Call]) -> list[int]:
        """Values of calls, in order; a negative code where there is no value.

        A call with an argument that is itself a code is not made and has that code.
        """
        wanted = dict.fromkeys(c for c in calls if c not in self._memo)
        fresh = []
        for call in wanted:
            code = min((a for a in call[1:] if a < 0), default=0)
            if code < 0:
                self._memo[call] = code
            else:
                fresh.append(call)
        for at in range(0, len(fresh), BATCH):
            self._compute(fresh[at : at + BATCH])
        return [self._memo[c] for c in calls]

    def _compute(self, calls: list[Call], again: bool = True) -> None:
        """Computes calls; when Lean is lost, halves the batch until the culprits are found.

        A single call has a second chance when the process died: another cause may have ended it.
        """
        while calls:
            try:
                self._connect()
                results, structures = self._session.apply(
                    self._remote, calls, self._max_size, SLICE_SECONDS + GRACE_SECONDS
                )
            except SessionLost as lost:
                self._generation = -1
                self._divide(calls, again and lost.loss is not Loss.TIMEOUT)
                return
            self._record(calls[: len(results)], results, structures)
            calls = calls[len(results) :]

    def _divide(self, calls: list[Call], again: bool) -> None:
        if len(calls) > 1:
            half = len(calls) // 2
            self._compute(calls[:half])
            self._compute(calls[half:])
        elif again:
            self._compute(calls, again=False)
        else:
            self._memo[calls[0]] = LOST

    def _record(self, calls: list[Call], results: list[int], structures: list[Any]) -> None:
        self._structures += structures
        for call, result in zip(calls, results, strict=True):
            self._memo[call] = result
            if result == len(self._origins):  # values are numbered in the order of their making
                self._origins.append(call)

    def _connect(self) -> None:
        """Sends the functions to a process that does not have them, and makes the values again."""
        if self._generation == self._session.generation and self._generation >= 0:
            return
        self._remote = self._session.evaluator(self._environment, self._functions)
        self._generation = self._session.generation
        made = 0
        while made < len(self._origins):
            results, _ = self._session.apply(
                self._remote, self._origins[made:], self._max_size, SLICE_SECONDS + GRACE_SECONDS
            )
            if results != list(range(made, made + len(results))):
                raise AssertionError("the kernel computed other values the second time")
            made += len(results)
