"""Small conditions on variables that hold in some test cases and not in others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from engine.language.core import EQ, FALSE, TRUE
from engine.language.term import PROPOSITION, Equation, Symbol, Term, Type

Mask = npt.NDArray[np.bool_]
"""Cases in which something holds."""

MAX_ATOM = 4
"""Symbols and variables of a condition, without ``true``, ``false``."""

MIN_VALUES = 10
"""How many values two terms must have in common for their equality to be a condition: the empty
list alone is too little."""

CONNECTIVES = frozenset({"Bool.and", "Bool.or", "Bool.not"})

MIN_CASES = 25
"""In how many cases a condition must hold, and fail, to say anything."""


@dataclass(frozen=True)
class Valued:
    """A term with its values in all cases, as a row of numbers."""

    term: Term
    type: Type
    row: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A condition.

    Attributes:
        mask: Where it holds.
        variables: Of which it speaks.
        canonical: Whether its variables come in order, so that each way to rename them is one
            canonical condition.
    """

    equation: Equation
    mask: Mask
    variables: frozenset[str]
    canonical: bool

    @property
    def size(self) -> int:
        """Number of symbols and variables, ``true`` and the like included."""
        return self.equation.size

    @property
    def is_general(self) -> bool:
        """Whether it speaks of no particular value and no part of one."""
        symbols = self.equation.lhs.symbols()
        return not any(s.is_constructor or not s.params for s in symbols)

    @property
    def is_equality(self) -> bool:
        """Whether it says that values are equal or differ, not what a predicate says of them."""
        lhs, rhs = self.equation.lhs, self.equation.rhs
        return lhs.head == EQ or not (
            isinstance(rhs.head, Symbol) and rhs.head.result.head in ("Bool", PROPOSITION)
        )


def hypotheses(
    terms: Sequence[Valued],
    truths: dict[str, tuple[int, int]],
    constants: dict[str, tuple[Symbol, Symbol]],
    is_canonical: Callable[[Equation], bool],
) -> list[Hypothesis]:
    """Conditions over some terms, the smallest first, one for each set of cases.

    Args:
        terms: Different ones, smallest first.
        truths: By type (``Bool``, ``Prop``) the values that are true and false.
        constants: By type the symbols for these.
        is_canonical: Whether the variables of a condition come in order.
    """
    found: dict[bytes, Hypothesis] = {}
    for equation, mask in sorted(_atoms(terms, truths, constants), key=lambda atom: atom[0].size):
        held = int(mask.sum())
        if min(held, len(mask) - held) < MIN_CASES:
            continue
        made = Hypothesis(equation, mask, frozenset(equation.variables()), is_canonical(equation))
        found.setdefault(mask.tobytes(), made)
    return list(found.values())


def _atoms(
    terms: Sequence[Valued],
    truths: dict[str, tuple[int, int]],
    constants: dict[str, tuple[Symbol, Symbol]],
) -> Iterator[tuple[Equation, Mask]]:
    for valued in terms:
        head = valued.type.head
        if head in constants and valued.term.size <= MAX_ATOM and _is_atomic(valued.term):
            for truth, constant in zip(truths[head], constants[head], strict=True):
                yield Equation(valued.term, Term(constant)), valued.row == truth
    plain = [v for v in terms if v.type.head not in constants and v.term.size < MAX_ATOM]
    for one, other in combinations(plain, 2):
        if one.type == other.type and one.term.size + other.term.size <= MAX_ATOM:
            yield from _equalities(one, other)


def _is_atomic(term: Term) -> bool:
    """Whether a condition cannot be split by cases: no variable, and made by no connective."""
    head = term.head
    return bool(term.args) and not (isinstance(head, Symbol) and head.name in CONNECTIVES)


def _equalities(one: Valued, other: Valued) -> Iterator[tuple[Equation, Mask]]:
    """That two terms are equal, unless one can be put for the other; and that they differ."""
    equal = (one.row == other.row) & (one.row >= 0)
    is_varied = not one.term.args or len(np.unique(one.row[equal])) >= MIN_VALUES
    if is_varied and not (_is_open(one.term) or _is_open(other.term)):
        yield Equation(other.term, one.term), equal
    if one.term.size == other.term.size == 1:
        differ = (one.row != other.row) & (one.row >= 0) & (other.row >= 0)
        yield Equation(Term(EQ, (one.term, other.term)), Term(FALSE)), differ


def _is_open(term: Term) -> bool:
    """Whether an equation with this side is a substitution, or one between parts: ``c x = c y``."""
    return term.is_variable or (
        isinstance(term.head, Symbol) and term.head.is_constructor and bool(term.args)
    )


def negated(equation: Equation, constants: Iterable[tuple[Symbol, Symbol]]) -> Equation | None:
    """The opposite of a condition, where it can be written as one."""
    lhs, rhs = equation.lhs, equation.rhs
    for true, false in constants:
        if rhs.head == false and lhs.head == EQ:
            return Equation(*lhs.args)
        if rhs.head in (true, false):
            return Equation(lhs, Term(false if rhs.head == true else true))
    return Equation(Term(EQ, (lhs, rhs)), Term(FALSE))


LOGICAL = {"Prop": (TRUE, FALSE)}
