"""The functions of a theory on the machine; the kernel runs those that the machine cannot read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.language.machine.expressions import Unreadable
from engine.language.machine.machine import Machine, Stuck
from engine.language.machine.reading import Reader
from verifier.lean import Declaration, Environment, Statement
from verifier.session import Session

MAX_EQUATIONS = 60

_ONE_CASE: Sequence[Any] = [()]

Kernel = Callable[[list[Any]], Any]
"""From structures of arguments to that of the result, or ``None``."""


class LeanSource:
    """Looks constants and equations up in a session, each once.

    Args:
        session: The Lean that is asked.
        environment: Where the constants are defined.
    """

    def __init__(self, session: Session, environment: Environment) -> None:
        self._session = session
        self._environment = environment
        self._declarations: dict[str, Declaration | None] = {}
        self._equations: dict[str, list[Any]] = {}

    def declaration(self, name: str) -> Declaration | None:
        """What Lean says of a constant."""
        if name not in self._declarations:
            (found,) = self._session.declarations(self._environment, [name])
            self._declarations[name] = found
        return self._declarations[name]

    def equations(self, name: str) -> list[Any]:
        """Types of the equations of a function, none when it has none."""
        if name not in self._equations:
            self._equations[name] = list(self._ask(name))
        return self._equations[name]

    def _ask(self, name: str) -> list[Any]:
        found: list[Any] = []
        for number in range(1, MAX_EQUATIONS + 1):
            text = f": type_of% @{name}.eq_{number}"
            facts = self._session.state(Statement(self._environment, "equation", text, ""))
            if facts.type is None or any(m.is_error for m in facts.messages):
                break
            found.append(facts.type)
        return found


class Runner:
    """Functions as values of the machine.

    Args:
        source: Where the machine's reader looks constants up.
    """

    def __init__(self, source: LeanSource) -> None:
        self.machine = Machine()
        self._reader = Reader(self.machine, source)

    def value(self, expression: Any) -> int | None:
        """A closed expression as a value; ``None`` when the machine cannot read it."""
        try:
            (value,) = self.machine.column(self._reader.compile(expression), _ONE_CASE)
        except Unreadable:
            return None
        return value if value >= 0 else None

    def by_kernel(self, arity: int, kernel: Kernel) -> int:
        """A function that the kernel runs, on arguments that are no functions."""
        values = self.machine.values

        def run(args: Sequence[int]) -> int:
            try:
                result = kernel([values.structure(a) for a in args])
            except ValueError:
                raise Stuck from None
            if result is None:
                raise Stuck
            return values.read(result)

        return self.machine.function(self.machine.add(arity, run))
