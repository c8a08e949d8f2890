"""Test cases, and what terms are worth in them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

from engine.language.machine.machine import NO_VALUE
from engine.language.semantics import Interpretation
from engine.language.term import Symbol, Term, Type
from engine.strategy.exploration.drawing import Drawer, Uninhabited
from engine.strategy.exploration.typings import uncurried

FIRST = 20
CASES = 160
"""Terms that agree in the first cases are compared in all of them."""

TIED = 0.2
"""Share of cases in which a variable has the value of the one before."""

Vector = tuple[int, ...]


class Testbed:
    """Evaluates terms whose variables it has named, in one list of cases for all.

    Everything that was computed once is kept.

    Args:
        interpretation: What the symbols mean.
        symbols: The functions of the theory; sorted lists and the like are made with them.
        seed: Of the values.
        first: Number of the first cases. cases: Of all.
    """

    __test__ = False  # not a test class, whatever its name

    def __init__(
        self,
        interpretation: Interpretation,
        symbols: Iterable[Symbol],
        seed: int = 0,
        first: int = FIRST,
        cases: int = CASES,
    ) -> None:
        self._first, self._cases = first, cases
        self._variables: dict[str, tuple[Type, int]] = {}
        self._interpretation = interpretation
        self._symbols = list(symbols)
        self._machine = interpretation.machine
        compiled = [(s, interpretation.function(s)) for s in self._symbols]
        functions = [(s, f) for s, f in compiled if f is not None and not s.is_constructor]
        self._drawer = Drawer(self._machine, interpretation.constructors, functions, seed)
        self._seed = seed
        self._columns: dict[tuple[Type, int], list[int]] = {}
        self._vectors: tuple[dict[Term, Vector], dict[Term, Vector]] = ({}, {})

    def variable(self, type_: Type, number: int) -> str:
        """The name of a variable of a closed type; variables of higher numbers differ from it."""
        name = f"{_type_name(type_)}#{number}"
        self._variables[name] = (type_, number)
        return name

    def with_other_cases(self, cases: int) -> Testbed:
        """A testbed that knows the same variables and has other values for them."""
        seed = self._seed + 1
        other = Testbed(self._interpretation, self._symbols, seed, cases=cases)
        other._variables = self._variables
        return other

    def described(self, name: str) -> tuple[Type, int]:
        """The type and the number of a variable."""
        return self._variables[name]

    def has_values(self, type_: Type) -> bool:
        """Whether values of a type can be made."""
        try:
            self._column(type_, 0)
        except Uninhabited:
            return False
        return True

    def vector(self, term: Term, everywhere: bool = False) -> Vector:
        """Values of a term in the first cases, or in all; negative where there is none.

        A function has another number for each way to write it; see :meth:`observed`.
        """
        vectors = self._vectors[everywhere]
        known = vectors.get(term)
        if known is None:
            known = tuple(self._computed(term, everywhere))
            vectors[term] = known
        return known

    def observed(self, term: Term, type_: Type, everywhere: bool = False) -> Vector:
        """What tells a term apart: its values, or those of a function at one argument a case."""
        vector = self.vector(term, everywhere)
        for number, domain in enumerate(uncurried(type_)[0]):
            arguments = self._arguments(domain, number)[: len(vector)]
            vector = tuple(self._machine.column(self._machine.apply, vector, arguments))
        return vector

    def _arguments(self, domain: Type, number: int) -> list[int]:
        return self._column(domain, -1 - number)

    def _computed(self, term: Term, everywhere: bool) -> Sequence[int]:
        cases = self._cases if everywhere else self._first
        args = [self.vector(a, everywhere) for a in term.args]
        if isinstance(term.head, Symbol):
            function = self._interpretation.function(term.head)
            if function is None:
                return [NO_VALUE] * cases
            if not args:
                return self._constant(function, cases)
            applied = self._machine.applied
            return self._machine.column(lambda *row: applied(function, row), *args)
        type_, number = self._variables[term.head]
        column = self._column(type_, number)[:cases]
        if not args:
            return column
        applied = self._machine.applied
        return self._machine.column(lambda f, *row: applied(f, row), column, *args)

    def _constant(self, function: int, cases: int) -> Sequence[int]:
        applied = self._machine.applied
        (value,) = self._machine.column(lambda f: applied(f, ()), [function])
        return [value] * cases

    def _column(self, type_: Type, number: int) -> list[int]:
        """Values of a variable in all cases; in some of them those of the variable before it."""
        key = (type_, number)
        if key not in self._columns:
            fresh = self._drawer.column(type_, str(number), self._cases)
            if number > 0:
                before = self._column(type_, number - 1)
                random_ = random.Random(f"{self._seed} ties {number} {type_}")
                fresh = [
                    b if random_.random() < TIED else f for b, f in zip(before, fresh, strict=True)
                ]
            self._columns[key] = fresh
        return self._columns[key]


_TESTBEDS: WeakKeyDictionary[Interpretation, dict[tuple[object, ...], Testbed]] = (
    WeakKeyDictionary()
)


def testbed(
    interpretation: Interpretation, symbols: Sequence[Symbol], seed: int, cases: int = CASES
) -> Testbed:
    """The testbed for some symbols; the same one again while the interpretation lives."""
    known = _TESTBEDS.setdefault(interpretation, {})
    key = (seed, cases, *(s.name for s in symbols))
    if key not in known:
        known[key] = Testbed(interpretation, symbols, seed, cases=cases)
    return known[key]


def _type_name(type_: Type) -> str:
    if not type_.args:
        return type_.head
    return f"({type_.head} {' '.join(map(_type_name, type_.args))})"
