"""Functions of one argument, operations, predicates and constants among the symbols of a theory.

Operators state their schemes over these: a section is a function seen as one of a single argument,
with variables at its other places, as ``map f`` is one of lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.language.core import BACKGROUND, LOGIC, TRUE
from engine.language.term import Equation, Symbol, Term, Type

BOOL_TRUE, BOOL_FALSE = BACKGROUND["Bool"][:2]
OPPOSITE: dict[str | Symbol, Symbol] = {
    BOOL_TRUE: BOOL_FALSE,
    BOOL_FALSE: BOOL_TRUE,
    LOGIC["True"]: LOGIC["False"],
    LOGIC["False"]: LOGIC["True"],
}


@dataclass(frozen=True)
class Section:
    """A symbol as a function of the argument at one place."""

    symbol: Symbol
    place: int

    @property
    def domain(self) -> Type:
        """Type of the argument."""
        return self.symbol.params[self.place]

    @property
    def codomain(self) -> Type:
        """Type of the result."""
        return self.symbol.result

    @property
    def is_endo(self) -> bool:
        """Whether it goes from a type to the same type."""
        return comparable(self.domain, self.codomain)

    @property
    def places(self) -> list[int]:
        """The places of the other arguments."""
        return [i for i in range(len(self.symbol.params)) if i != self.place]

    def at(self, argument: Term, mark: str = "p") -> Term:
        """Its application; variables with a mark in their names stand at the other places."""
        return self.with_others(argument, [Term(f"{mark}{i}") for i in self.places])

    def with_others(self, argument: Term, others: Sequence[Term]) -> Term:
        """Its application with given terms at the other places, from the left."""
        args = list(others)
        args.insert(self.place, argument)
        return Term(self.symbol, tuple(args))


def sections(symbols: Sequence[Symbol]) -> list[Section]:
    """All sections of some functions, those with fewest other arguments first.

    A place for a function is none: nothing is known of functions but their values.
    """
    found = [
        Section(s, i)
        for s in symbols
        if not s.is_constructor
        for i, param in enumerate(s.params)
        if not param.is_function
    ]
    return sorted(found, key=lambda s: len(s.symbol.params))


def operations(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Binary functions of a type into itself, such as append, addition or conjunction.

    Composition of functions is none of a type: its arguments have types of their own.
    """
    return [
        s
        for s in symbols
        if len(s.params) == 2
        and not s.is_constructor
        and s.params[0] == s.params[1] == s.result
        and not s.result.is_variable
    ]


def constants(symbols: Sequence[Symbol]) -> list[Term]:
    """Symbols without arguments as terms; those that are propositions are left out."""
    return [Term(s) for s in symbols if not s.params and s.name not in LOGIC and not s.is_predicate]


def is_predicate(symbol: Symbol) -> bool:
    """Whether a function says yes or no: into ``Prop``, or into core's ``Bool``."""
    return bool(symbol.params) and (symbol.is_predicate or symbol.result == Type("Bool"))


def affirmed(term: Term) -> Equation:
    """That an application of a predicate is true."""
    assert isinstance(term.head, Symbol)
    return Equation(term, Term(TRUE if term.head.is_predicate else BOOL_TRUE))


def denied(equation: Equation) -> Equation:
    """That an equation fails: of a truth value that it is the other one, else that sides differ."""
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if other.head in OPPOSITE:
            return Equation(side, Term(OPPOSITE[other.head]))
    return Equation(Term(LOGIC["Eq"], (equation.lhs, equation.rhs)), Term(LOGIC["False"]))


def comparisons(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Predicates of two arguments of one type, such as an order."""
    return [
        s
        for s in symbols
        if len(s.params) == 2
        and is_predicate(s)
        and s.params[0] == s.params[1] != s.result
        and s.name not in LOGIC
    ]


def with_order(symbols: Sequence[Symbol]) -> list[Symbol]:
    """The symbols with core's order of ``Nat``, where a function has to do with such numbers."""
    order = next(s for s in BACKGROUND["Nat"] if s.name == "LE.le Nat")
    number = order.params[0]
    uses = any(
        number in (*s.params, s.result)
        for s in symbols
        if not s.is_background and not s.is_constructor
    )
    return [*symbols, order] if uses and order not in symbols else list(symbols)


def comparable(one: Type, other: Type) -> bool:
    """Whether two types may have a common instance, their variables taken to be different."""
    if one.is_variable or other.is_variable:
        return True
    if one.head != other.head or len(one.args) != len(other.args):
        return False
    return all(comparable(a, b) for a, b in zip(one.args, other.args, strict=True))


def pairs(items: Sequence[Section]) -> Iterator[tuple[Section, Section]]:
    """All pairs, those first whose members come first."""
    for total in range(2 * len(items) - 1):
        for i in range(max(0, total - len(items) + 1), min(total, len(items) - 1) + 1):
            yield items[i], items[total - i]
