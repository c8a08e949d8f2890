"""A statement at fixed types: type variables and their instances are given, values are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.language.explicit import LEVEL_ONE, at_levels, expression_text, instantiate
from verifier.lean import Environment, Statement
from verifier.prover.expression import Expression, spine, telescope, variables
from verifier.prover.shape import PROPOSITION
from verifier.session import Session

INSTANCE = 3  # a binder in square brackets
ZERO = ["0"]
TYPES = ("Nat", "Bool", "Int")
"""What a type variable stands for: the first one with the instances that the statement asks for."""
FAMILIES = ("List", "Option")


@dataclass(frozen=True)
class Closed:
    """A statement at fixed types.

    Attributes:
        type: The statement without the binders for which something was given.
        levels: What its universe parameters stand for.
        given: For each binder Lean text of what was given for it, or ``None``.
    """

    type: Expression
    levels: tuple[Any, ...]
    given: tuple[str | None, ...]


class Closing:
    """Gives types and instances.

    Args:
        session: Elaborates instances.
        environment: Where to look for them.
        context: Commands that open the scope of the statements.
    """

    def __init__(self, session: Session, environment: Environment, context: str) -> None:
        self._session = session
        self._environment = environment
        self._context = context
        self._instances: dict[str, Expression | None] = {}

    def close(self, type_: Expression, level_params: tuple[str, ...]) -> Closed | None:
        """The statement at the first types that have all instances, or ``None``."""
        levels = _levels(type_, level_params)
        at = at_levels(type_, levels)
        for name in TYPES:
            given: list[str | None] = []
            closed = self._given(at, name, given)
            if closed is not None:
                return Closed(closed, tuple(levels[u] for u in level_params), tuple(given))
        return None

    def _given(self, type_: Expression, name: str, given: list[str | None]) -> Expression | None:
        """The type without the binders that get something; ``None`` where there is no instance."""
        if type_[0] != "p":
            return type_
        value = self._type(type_[2], name)
        text = value[1] if value is not None else None
        if value is None and type_[4] == INSTANCE and not variables(type_[2]):
            value = self._instance(type_[2])
            text = "inferInstance"
            if value is None:
                return None
        given.append(text)
        if value is not None:
            return self._given(instantiate(type_[3], value), name, given)
        rest = self._given(type_[3], name, given)
        return None if rest is None else [*type_[:3], rest, *type_[4:]]

    def _type(self, sort: Expression, name: str) -> Expression | None:
        """A type or a family of types for a variable that is one."""
        binders, target = telescope(sort)
        if target[0] != "s" or target == PROPOSITION:
            return None
        if not binders:
            return ["c", name, []]
        if len(binders) == 1 and binders[0].type[0] == "s":
            return ["c", FAMILIES[0], [ZERO]]
        return None

    def _instance(self, class_: Expression) -> Expression | None:
        text = expression_text(class_)
        if text not in self._instances:
            self._instances[text] = self._synthesised(text)
        return self._instances[text]

    def _synthesised(self, class_: str) -> Expression | None:
        asked = f": @Eq {class_} inferInstance inferInstance"
        facts = self._session.state(
            Statement(self._environment, "an_instance", asked, self._context)
        )
        if facts.type is None or any(m.is_error for m in facts.messages):
            return None
        return spine(facts.type)[1][1]


def _levels(type_: Expression, names: tuple[str, ...]) -> dict[str, Any]:
    """``Type`` for every ``Type u``, and for every ``Sort u`` as well."""
    found: dict[str, Any] = {name: ZERO for name in names}
    pending: list[Expression] = [type_]
    while pending:
        part = pending.pop()
        if part[0] == "p":
            if part[2][0] == "s" and part[2][1][0] == "u":
                found[part[2][1][1]] = LEVEL_ONE
            pending += [part[2], part[3]]
    return found
