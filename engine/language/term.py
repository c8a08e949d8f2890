"""Types, terms and laws: first-order with function variables, simply typed, polymorphic.

This is a fragment of Lean's language in which terms can be enumerated, matched and unified fast.
What does not fit into it is left to Lean; nothing here decides what is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

ARROW = "→"
PROPOSITION = "Prop"


@dataclass(frozen=True)
class Type:
    """A type: a variable (lower-case name, no arguments, ``is_variable``) or an application.

    A function type is the application of ``→`` to domain and codomain.
    """

    head: str
    args: tuple[Type, ...] = ()
    is_variable: bool = False

    @property
    def is_function(self) -> bool:
        """Whether it is a function type."""
        return self.head == ARROW

    def variables(self) -> Iterator[str]:
        """Names of its type variables, with repetition, from the left."""
        if self.is_variable:
            yield self.head
        for arg in self.args:
            yield from arg.variables()

    def substitute(self, assignment: Mapping[str, Type]) -> Type:
        """Replaces type variables, again and again until none of the assignment is left."""
        if self.is_variable:
            value = assignment.get(self.head)
            return self if value is None or value == self else value.substitute(assignment)
        if not self.args:
            return self
        return Type(self.head, tuple(a.substitute(assignment) for a in self.args))


def type_variable(name: str) -> Type:
    """The type variable of that name."""
    return Type(name, is_variable=True)


def function_type(domain: Type, codomain: Type) -> Type:
    """The type ``domain → codomain``."""
    return Type(ARROW, (domain, codomain))


def curried(params: tuple[Type, ...], result: Type) -> Type:
    """The type of a function of several arguments."""
    for param in reversed(params):
        result = function_type(param, result)
    return result


@dataclass(frozen=True)
class Constraint:
    """A type class that a type must have, such as ``DecidableEq α``."""

    type_class: str
    argument: Type


@dataclass(frozen=True)
class Symbol:
    """A constant of Lean as the head of a term.

    Attributes:
        name: Full Lean name; for a notation its class method with the type, ``HAdd.hAdd Nat``.
        params: Types of the explicit arguments. result: Type of the saturated application.
        text: How it is written; with ``{0}`` and ``{1}`` for an infix notation.
        closed: Lean text of the function for evaluation, with ``{α}`` for a type variable; a
            predicate is decided. See :func:`engine.language.printing.closed_text`.
        implicit: Number of arguments that are not written: types and instances.
        constraints: Type classes that it needs.
        is_constructor: Whether it makes values.
        is_background: Whether it comes from core and not from the theory.
    """

    name: str
    params: tuple[Type, ...]
    result: Type
    text: str = field(compare=False, default="")
    closed: str = field(compare=False, default="")
    implicit: int = field(compare=False, default=0)
    constraints: tuple[Constraint, ...] = field(compare=False, default=())
    is_constructor: bool = field(compare=False, default=False)
    is_background: bool = field(compare=False, default=False)

    @property
    def is_infix(self) -> bool:
        """Whether it is written between its arguments."""
        return "{0}" in self.text

    @property
    def is_predicate(self) -> bool:
        """Whether its applications are propositions."""
        return self.result.head == PROPOSITION

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Term:
    """A variable or symbol applied to terms. ``head`` is the name of a variable, or a symbol."""

    head: str | Symbol
    args: tuple[Term, ...] = ()

    @property
    def is_variable(self) -> bool:
        """Whether it is a variable that is applied to nothing."""
        return isinstance(self.head, str) and not self.args

    @cached_property
    def size(self) -> int:
        """Number of symbols and variables."""
        return 1 + sum(a.size for a in self.args)

    @cached_property
    def _hash(self) -> int:
        return hash((self.head, self.args))

    def __hash__(self) -> int:
        return self._hash

    def subterms(self) -> Iterator[Term]:
        """The term and all below it, from the root, left first."""
        yield self
        for arg in self.args:
            yield from arg.subterms()

    def variables(self) -> Iterator[str]:
        """Names of variables with repetition, from the left."""
        for term in self.subterms():
            if isinstance(term.head, str):
                yield term.head

    def symbols(self) -> Iterator[Symbol]:
        """Symbols with repetition, from the left."""
        for term in self.subterms():
            if isinstance(term.head, Symbol):
                yield term.head

    def applied(self, arguments: Sequence[Term]) -> Term:
        """The term with further arguments."""
        return Term(self.head, (*self.args, *arguments))

    def substitute(self, assignment: Mapping[str, Term]) -> Term:
        """Replaces variables by terms, all at once."""
        args = tuple(a.substitute(assignment) for a in self.args)
        if isinstance(self.head, str) and self.head in assignment:
            value = assignment[self.head]
            return Term(value.head, value.args + args)
        return self if args == self.args else Term(self.head, args)

    def replace_symbols(self, mapping: Mapping[str, Symbol]) -> Term:
        """Replaces symbols by name."""
        args = tuple(a.replace_symbols(mapping) for a in self.args)
        head = self.head
        if isinstance(head, Symbol):
            head = mapping.get(head.name, head)
        return Term(head, args)

    def replace_at(self, path: tuple[int, ...], new: Term) -> Term:
        """The term with another subterm at a path of argument positions."""
        if not path:
            return new
        at, rest = path[0], path[1:]
        args = list(self.args)
        args[at] = args[at].replace_at(rest, new)
        return Term(self.head, tuple(args))

    def positions(self) -> Iterator[tuple[tuple[int, ...], Term]]:
        """All subterms with their paths."""
        yield (), self
        for i, arg in enumerate(self.args):
            for path, term in arg.positions():
                yield (i, *path), term


def variable(name: str) -> Term:
    """The term that is a variable."""
    return Term(name)


@dataclass(frozen=True)
class Equation:
    """That two terms are equal, or two propositions equivalent.

    ``P x`` is the equation of ``P x`` with ``True``, and ``¬ P x`` that with ``False``.
    """

    lhs: Term
    rhs: Term

    @property
    def size(self) -> int:
        """Number of symbols and variables on both sides."""
        return self.lhs.size + self.rhs.size

    def variables(self) -> Iterator[str]:
        """Names of variables with repetition, from the left."""
        yield from self.lhs.variables()
        yield from self.rhs.variables()

    def symbols(self) -> Iterator[Symbol]:
        """Symbols with repetition, from the left."""
        yield from self.lhs.symbols()
        yield from self.rhs.symbols()

    def flipped(self) -> Equation:
        """The same equation with its sides exchanged."""
        return Equation(self.rhs, self.lhs)

    def substitute(self, assignment: Mapping[str, Term]) -> Equation:
        """Replaces variables by terms, all at once, on both sides."""
        return Equation(self.lhs.substitute(assignment), self.rhs.substitute(assignment))

    def replace_symbols(self, mapping: Mapping[str, Symbol]) -> Equation:
        """Replaces symbols by name on both sides."""
        return Equation(self.lhs.replace_symbols(mapping), self.rhs.replace_symbols(mapping))


@dataclass(frozen=True)
class Law:
    """An equation between terms, for all values of its variables that satisfy its hypotheses.

    Attributes:
        types: Type of each variable, in the order in which they are bound.
        hypotheses: In the order in which they are written; none for an unconditional law.
    """

    lhs: Term
    rhs: Term
    types: tuple[tuple[str, Type], ...]
    hypotheses: tuple[Equation, ...] = ()

    @property
    def conclusion(self) -> Equation:
        """What it says under its hypotheses."""
        return Equation(self.lhs, self.rhs)

    @property
    def size(self) -> int:
        """Number of symbols and variables of the conclusion and of all hypotheses."""
        return sum(part.size for part in self.parts())

    def parts(self) -> tuple[Equation, ...]:
        """The conclusion, then the hypotheses."""
        return (self.conclusion, *self.hypotheses)

    def symbols(self) -> list[Symbol]:
        """Its symbols, each once, in order of first occurrence, those of the conclusion first."""
        return list(dict.fromkeys(s for part in self.parts() for s in part.symbols()))

    def flipped(self) -> Law:
        """The same law with the sides of its conclusion exchanged."""
        return Law(self.rhs, self.lhs, self.types, self.hypotheses)


def match(
    pattern: Term, term: Term, bound: dict[str, Term] | None = None
) -> dict[str, Term] | None:
    """The assignment of variables that turns a pattern into a term, or ``None``."""
    bound = {} if bound is None else bound
    if pattern.is_variable:
        assert isinstance(pattern.head, str)
        known = bound.setdefault(pattern.head, term)
        return bound if known == term else None
    if isinstance(pattern.head, str):
        return _match_applied_variable(pattern, term, bound)
    if pattern.head != term.head or len(pattern.args) != len(term.args):
        return None
    for p, t in zip(pattern.args, term.args, strict=True):
        if match(p, t, bound) is None:
            return None
    return bound


def _match_applied_variable(
    pattern: Term, term: Term, bound: dict[str, Term]
) -> dict[str, Term] | None:
    """``f x`` matches ``g a`` for a variable or symbol ``g`` by ``f := g``."""
    assert isinstance(pattern.head, str)
    surplus = len(term.args) - len(pattern.args)
    if surplus < 0:
        return None
    head = Term(term.head, term.args[:surplus])
    known = bound.setdefault(pattern.head, head)
    if known != head:
        return None
    for p, t in zip(pattern.args, term.args[surplus:], strict=True):
        if match(p, t, bound) is None:
            return None
    return bound
