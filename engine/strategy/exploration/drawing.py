"""Random values of any type that the machine can hold."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from engine.language.machine.machine import Machine
from engine.language.term import Symbol, Type
from engine.language.typing import IllTyped, Unifier
from engine.strategy.exploration.typings import ATOM, at_atom

MAX_NUMBER = 6
ELEMENTS = 6
"""Different values of the type that stands for all: few, so that equal ones meet."""

MAX_SIZE, PART_SIZE, MAX_RESULT = 7, 4, 12
"""Constructors of a value, about, of the elements of a list or tree, and of what a function of the
theory makes of values, unless these were as large: products of products would grow without end."""

FUNCTIONS = 8
IMAGES = 12
"""Test functions of a type, and values that one takes. They take them at random, so that no two
of them commute and none is idempotent, unless by chance."""

POOL = 200
"""Values of a type that are drawn at most, for all cases of a variable."""

COMMON, COMMON_SHARE = 8, 0.3
RESULT_SHARE = 0.15
"""How many values of a type are common, how many of the drawn ones are among these, and how many
others are results of a function of the theory. So a list is an element of a list of lists now and
then, also the concatenation of two, and some lists are sorted."""

Constructors = Callable[[Type], Sequence[tuple[Symbol, tuple[Type, ...]]]]
"""The constructors of a closed type with the types of their fields."""


class Uninhabited(Exception):
    """No value of a type can be made."""


class Drawer:
    """Draws values, the same ones for the same seed.

    Args:
        machine: Makes and holds them.
        constructors: Of inductive types.
        functions: Those of the theory, with their values on the machine.
        seed: Of all choices.
    """

    def __init__(
        self,
        machine: Machine,
        constructors: Constructors,
        functions: Sequence[tuple[Symbol, int]],
        seed: int,
    ) -> None:
        self._machine = machine
        self._values = machine.values
        self._constructors = constructors
        self._theory = functions
        self._seed = seed
        self._common: dict[Type, list[int]] = {}
        self._makers: dict[Type, list[tuple[int, tuple[Type, ...]]]] = {}
        self._functions: dict[Type, list[int]] = {}
        self._shapes: dict[Type, tuple[list[_Shape], list[_Shape]]] = {}

    def column(self, type_: Type, key: str, cases: int) -> list[int]:
        """A value of a type for each of several cases.

        Args:
            type_: A closed type.
            key: Another one gives other values.
            cases: How many.

        Raises:
            Uninhabited: None can be made.
        """
        random_ = random.Random(f"{self._seed} {key} {type_}")
        pool = [
            self.value(type_, random_, random_.randrange(MAX_SIZE + 1))
            for _ in range(min(cases, POOL))
        ]
        return pool if cases <= POOL else random_.choices(pool, k=cases)

    def value(self, type_: Type, random_: random.Random, size: int) -> int:
        """A value of about as many constructors as ``size``."""
        if type_ == ATOM:
            return self._values.natural(random_.randrange(ELEMENTS))
        if type_.head == "Nat":
            return self._values.natural(random_.randrange(min(size, MAX_NUMBER) + 1))
        if type_.is_function:
            return random_.choice(self._functions_of(type_))
        if type_.args and random_.random() < COMMON_SHARE:
            return random_.choice(self._common_of(type_))
        made = self._constructed(type_, random_, size)
        if random_.random() < RESULT_SHARE:
            return self._result(type_, random_, made)
        return made

    def _common_of(self, type_: Type) -> list[int]:
        """A few values of a type, some of which functions of the theory make of the others."""
        if type_ not in self._common:
            random_ = random.Random(f"{self._seed} common {type_}")
            common = self._common[type_] = [self._constructed(type_, random_, 0)]
            while len(common) < COMMON // 2:
                common.append(self._constructed(type_, random_, random_.randrange(1, 4)))
            while len(common) < COMMON:
                common.append(self._result(type_, random_, random_.choice(common)))
        return self._common[type_]

    def _result(self, type_: Type, random_: random.Random, made: int) -> int:
        """What some function of the theory makes of a value and others; else the value itself."""
        if not (makers := self._makers_of(type_)):
            return made
        function, domains = random_.choice(makers)
        args = [made if d == type_ else self.value(d, random_, 2) for d in domains]
        made_size = self._values.size(made)
        (result,) = self._machine.column(lambda _: self._machine.applied(function, args), [made])
        is_good = result >= 0 and self._values.size(result) <= max(MAX_RESULT, made_size)
        return result if is_good else made

    def _makers_of(self, type_: Type) -> list[tuple[int, tuple[Type, ...]]]:
        """Functions of the theory that take values of a type and give one, with their domains."""
        if type_ not in self._makers:
            found = []
            for symbol, function in self._theory:
                domains = domains_at(symbol, type_)
                if type_ in domains and not any(d.is_function for d in domains):
                    found.append((function, domains))
            self._makers[type_] = found
        return self._makers[type_]

    def _constructed(self, type_: Type, random_: random.Random, size: int) -> int:
        bases, steps = self._shapes_of(type_)
        if not steps or (bases and size <= 0):
            shape = random_.choice(bases)
        else:
            shape = random_.choice(steps if size > 1 or not bases else bases + steps)
        inner = max(1, sum(shape.recursive))
        fields = []
        for field, recursive in zip(shape.fields, shape.recursive, strict=True):
            rest = (size - 1) // inner if recursive else random_.randrange(PART_SIZE + 1)
            if rest < -MAX_SIZE:
                raise Uninhabited(str(type_))
            fields.append(self.value(field, random_, rest))
        return self._values.make((shape.name, *fields))

    def _shapes_of(self, type_: Type) -> tuple[list[_Shape], list[_Shape]]:
        """Constructors that need no smaller value of the type, and those that do."""
        if type_ not in self._shapes:
            shapes = [
                _Shape(c.name, fields, tuple(self._reaches(f, type_) for f in fields))
                for c, fields in self._constructors(type_)
            ]
            if not shapes:
                raise Uninhabited(str(type_))
            bases = [s for s in shapes if not any(s.recursive)]
            self._shapes[type_] = (bases, [s for s in shapes if any(s.recursive)])
        return self._shapes[type_]

    def _reaches(self, start: Type, wanted: Type) -> bool:
        """Whether values of a type can be inside those of another one."""
        pending, seen = [start], {start}
        while pending:
            type_ = pending.pop()
            if type_ == wanted:
                return True
            inside = {*type_.args}
            if not (type_.is_function or type_ == ATOM):
                inside |= {f for _, fields in self._constructors(type_) for f in fields}
            pending += sorted(inside - seen, key=str)
            seen |= inside
        return False

    def _functions_of(self, type_: Type) -> list[int]:
        if type_ not in self._functions:
            codomain = type_.args[1]
            random_ = random.Random(f"{self._seed} functions {type_}")
            self._functions[type_] = [self._table(codomain, random_) for _ in range(FUNCTIONS)]
        return self._functions[type_]

    def _table(self, codomain: Type, random_: random.Random) -> int:
        """A function that takes a random value at each argument, and the same one again."""
        images = [self.value(codomain, random_, random_.randrange(MAX_SIZE)) for _ in range(IMAGES)]
        chosen: dict[int, int] = {}

        def function(argument: int) -> int:
            if argument not in chosen:
                chosen[argument] = images[random_.randrange(IMAGES)]
            return chosen[argument]

        return self._values.table(function)


class _Shape:
    """A constructor at a closed type.

    Attributes:
        recursive: For each field whether values of the type itself are inside.
    """

    def __init__(self, name: str, fields: tuple[Type, ...], recursive: tuple[bool, ...]) -> None:
        self.name, self.fields, self.recursive = name, fields, recursive


def domains_at(symbol: Symbol, result: Type) -> tuple[Type, ...]:
    """Types of the arguments with which a symbol gives a value of a closed type; none if never."""
    unifier = Unifier()
    try:
        unifier.unify(symbol.result, result)
    except IllTyped:
        return ()
    return tuple(at_atom(unifier.resolve(p)) for p in symbol.params)
