"""Most general types of terms and laws, by unification (Hindley and Milner, without let)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from engine.language.term import (
    Constraint,
    Equation,
    Law,
    Symbol,
    Term,
    Type,
    curried,
    type_variable,
)

GREEK = "αβγδεζηθ"


class IllTyped(Exception):
    """Two types that must be equal are not."""


class Unifier:
    """A growing assignment of type variables under which equations between types hold."""

    def __init__(self) -> None:
        self._assigned: dict[str, Type] = {}
        self._fresh = count()

    def fresh(self) -> Type:
        """A type variable that occurs nowhere else."""
        return type_variable(f"?{next(self._fresh)}")

    def resolve(self, t: Type) -> Type:
        """A type with all that is known put in."""
        return t.substitute(self._assigned)

    def unify(self, one: Type, other: Type) -> None:
        """Makes two types equal.

        Raises:
            IllTyped: They cannot be.
        """
        one, other = self.resolve(one), self.resolve(other)
        if one == other:
            return
        if one.is_variable:
            self._assign(one, other)
        elif other.is_variable:
            self._assign(other, one)
        elif one.head != other.head or len(one.args) != len(other.args):
            raise IllTyped(f"{one} is not {other}")
        else:
            for a, b in zip(one.args, other.args, strict=True):
                self.unify(a, b)

    def _assign(self, variable: Type, value: Type) -> None:
        if variable.head in value.variables():
            raise IllTyped("a type cannot contain itself")
        self._assigned[variable.head] = value

    def instance(self, symbol: Symbol) -> tuple[Type, tuple[Constraint, ...]]:
        """The type of a symbol with fresh variables, and its constraints."""
        whole = curried(symbol.params, symbol.result)
        fresh = {name: self.fresh() for name in dict.fromkeys(whole.variables())}
        constraints = tuple(
            Constraint(c.type_class, c.argument.substitute(fresh)) for c in symbol.constraints
        )
        return whole.substitute(fresh), constraints


class Typing:
    """Types of the variables of some terms, inferred together."""

    def __init__(self, given: Mapping[str, Type] | None = None) -> None:
        self.unifier = Unifier()
        self.variables: dict[str, Type] = dict(given or {})
        self._constraints: list[Constraint] = []

    def infer(self, term: Term) -> Type:
        """The type of a term.

        Raises:
            IllTyped: It has none.
        """
        if isinstance(term.head, Symbol):
            function, constraints = self.unifier.instance(term.head)
            self._constraints += constraints
        else:
            function = self.variables.setdefault(term.head, self.unifier.fresh())
        for arg in term.args:
            result = self.unifier.fresh()
            self.unifier.unify(function, Type("→", (self.infer(arg), result)))
            function = result
        return self.unifier.resolve(function)

    def constraints(self) -> Iterator[Constraint]:
        """The constraints of all symbols met, resolved, without repetition."""
        resolved = [
            Constraint(c.type_class, self.unifier.resolve(c.argument)) for c in self._constraints
        ]
        yield from dict.fromkeys(resolved)


def most_general(lhs: Term, rhs: Term, hypotheses: Sequence[Equation] = ()) -> Law:
    """The law ``lhs = rhs`` under hypotheses with its most general types.

    Variables are bound in order of first occurrence, those of the conclusion first; type variables
    are named α, β, …

    Raises:
        IllTyped: Two sides have no common type.
    """
    law = Law(lhs, rhs, (), tuple(hypotheses))
    typing = _typing_of(law)
    names = list(dict.fromkeys(v for part in law.parts() for v in part.variables()))
    types = [typing.unifier.resolve(typing.variables[n]) for n in names]
    renaming = _greek(types)
    bound = tuple((n, t.substitute(renaming)) for n, t in zip(names, types, strict=True))
    return Law(lhs, rhs, bound, law.hypotheses)


def constraints_of(law: Law) -> list[Constraint]:
    """Type classes on the type variables of a law, that its symbols need."""
    return [c for c in _typing_of(law).constraints() if c.argument.is_variable]


def _typing_of(law: Law) -> Typing:
    typing = Typing(dict(law.types))
    for part in law.parts():
        typing.unifier.unify(typing.infer(part.lhs), typing.infer(part.rhs))
    return typing


def _greek(types: list[Type]) -> dict[str, Type]:
    names = dict.fromkeys(v for t in types for v in t.variables())
    return {
        old: type_variable(GREEK[i] if i < len(GREEK) else f"α{i}") for i, old in enumerate(names)
    }
