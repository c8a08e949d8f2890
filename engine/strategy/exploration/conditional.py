"""Laws that hold where a condition does.

All terms have their values in many cases. Under a condition, only the cases count in which it
holds: terms that differ in all cases may agree there. The smallest pairs that do suggest laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.language.core import EQ
from engine.language.rewriting import Rewriter
from engine.language.term import Equation, Law, Symbol, Term
from engine.language.typing import IllTyped
from engine.strategy.exploration.hypotheses import (
    LOGICAL,
    MIN_CASES,
    Hypothesis,
    Mask,
    Valued,
    hypotheses,
    negated,
)
from engine.strategy.exploration.instances import with_few_variables
from engine.strategy.exploration.relevance import Weaker, pairs, speaks_of
from engine.strategy.exploration.schemas import QUESTION, Schema
from engine.strategy.exploration.suggestion import Suggestion
from engine.strategy.exploration.testbed import Testbed
from engine.strategy.exploration.typings import Typing
from engine.trees.canonical import canonical_key, presented_law

CASES, FURTHER = 500, 1_500
"""Test cases of the search, and those that a law must pass that it finds."""

MAX_TERMS = 1_000
SMALL = 4
"""Terms, and the size of those in which three variables of a type are told apart."""

MAX_SIDES = 9
"""Symbols and variables of both sides of a conclusion."""

PAIR_TERMS = 300
MAX_PAIRS = 3_000
"""Terms and pairs of conditions for laws with two of them."""

ONE_BUDGET, TWO_BUDGET = 60, 30
"""How many laws with one condition, and with two, an exploration suggests."""

MAX_CANDIDATES = 4_000
FALSITIES = frozenset({"Bool.false", "False"})


@dataclass(frozen=True)
class _Found:
    """Two terms that agree where conditions hold: in so many cases."""

    conditions: tuple[Hypothesis, ...]
    one: Term
    other: Term
    cases: int

    @property
    def size(self) -> tuple[int, int, int]:
        """All symbols and variables; those of the conclusion; how often something is false."""
        conclusion = self.one.size + self.other.size
        sides = [self.other, *(c.equation.rhs for c in self.conditions)]
        negative = sum(isinstance(s.head, Symbol) and s.head.name in FALSITIES for s in sides)
        return conclusion + sum(c.size for c in self.conditions), conclusion, negative


class Conditional:
    """Suggests laws with one and with two conditions.

    Args:
        bed: Evaluates terms, in many cases.
        symbols: The functions; ``true`` and ``false`` among them if there are predicates.
        rewriter: Laws that are known; the suggested ones are added to it.
        tried: Whether a law was tried before.
        stop: Asked now and then.
    """

    def __init__(
        self,
        bed: Testbed,
        symbols: Sequence[Symbol],
        rewriter: Rewriter,
        tried: Callable[[str], bool],
        stop: Callable[[], bool],
    ) -> None:
        self._bed = bed
        self._further = bed.with_other_cases(FURTHER)
        self._rewriter = rewriter
        self._tried = tried
        self._stop = stop
        self._constants = dict(LOGICAL) | _booleans(symbols)
        self._keys: set[str] = set()

    def suggestions(self, schemas: Sequence[Schema]) -> Iterator[Suggestion]:
        """Laws between instances of schemas, the smallest first, with one condition, then two."""
        terms = self._terms(schemas)
        conditions = self._conditions(terms)
        if not conditions:
            return
        found = self._search(terms, [(c,) for c in conditions if c.canonical], conditions)
        yield from self._suggested(found, ONE_BUDGET)
        small = terms[:PAIR_TERMS]
        found = self._search(small, pairs(conditions)[:MAX_PAIRS], conditions)
        yield from self._suggested(found, TWO_BUDGET)

    # -- terms and conditions ----------------------------------------------------------------

    def _terms(self, schemas: Sequence[Schema]) -> list[Valued]:
        """Instances that differ from each other, the smallest first."""
        found: dict[tuple[object, bytes], Valued] = {}
        for schema in sorted(self._with_variables(schemas), key=_by_size):
            if schema.closed_result.is_function:
                continue
            if len(found) >= MAX_TERMS or self._stop():
                break
            for term in self._instances(schema):
                row = np.array(self._bed.vector(term, everywhere=True), dtype=np.int64)
                if (row >= 0).mean() < 0.5 or self._is_one_sided(schema, row):
                    continue
                key = (schema.closed_result, row.tobytes())
                found.setdefault(key, Valued(term, schema.closed_result, row))
        return list(found.values())

    def _with_variables(self, schemas: Sequence[Schema]) -> list[Schema]:
        """Schemas with a variable of each type that occurs in them."""
        types = dict.fromkeys(t for s in schemas for t in (*s.typing.closed[0], s.closed_result))
        inhabited = [t for t in types if self._bed.has_values(t)]
        variables = [Schema(QUESTION, Typing((t,), t, bare=True)) for t in inhabited]
        return [*variables, *(s for s in schemas if not s.typing.bare)]

    def _is_one_sided(self, schema: Schema, row: npt.NDArray[np.int64]) -> bool:
        """Whether a predicate holds, or fails, too rarely to say anything about it."""
        if schema.closed_result.head not in self._constants or not schema.typing.holes:
            return False
        most = np.unique(row, return_counts=True)[1].max()
        return bool(len(row) - most < MIN_CASES // 2)

    def _instances(self, schema: Schema) -> Iterator[Term]:
        types = schema.typing.closed[0]
        for assignment in with_few_variables(types, 3 if schema.size <= SMALL else 2):
            names = [self._bed.variable(t, n) for t, n in zip(types, assignment, strict=True)]
            term = schema.filled(names)
            if all(self._rewriter.step(t) is None for t in term.subterms()):
                yield term

    def _conditions(self, terms: Sequence[Valued]) -> list[Hypothesis]:
        truths = {}
        for type_, pair in self._constants.items():
            true, false = (self._bed.vector(Term(s), everywhere=True)[0] for s in pair)
            truths[type_] = (true, false)
        return hypotheses(terms, truths, self._constants, self._is_canonical)

    def _is_canonical(self, equation: Equation) -> bool:
        """Whether variables of each type are numbered in order of first occurrence."""
        next_: dict[object, int] = {}
        for name in dict.fromkeys(equation.variables()):
            type_, number = self._bed.described(name)
            if number != next_.get(type_, 0):
                return False
            next_[type_] = number + 1
        return True

    # -- search ------------------------------------------------------------------------------

    def _search(
        self,
        terms: Sequence[Valued],
        wanted: Sequence[tuple[Hypothesis, ...]],
        known: Sequence[Hypothesis],
    ) -> list[_Found]:
        """Pairs of terms that agree under conditions and under no weaker one."""
        rows = np.stack([t.row for t in terms])
        weights = np.random.default_rng(0).integers(1, 2**62, rows.shape[1])
        found: list[_Found] = []
        weaker = Weaker(known)
        for conditions in wanted:
            if self._stop() or len(found) > MAX_CANDIDATES:
                break
            mask = np.logical_and.reduce([c.mask for c in conditions])
            if mask.sum() >= MIN_CASES:
                hashes = rows @ (weights * mask)  # wraps around; equal rows, equal hashes
                found += self._merged(terms, hashes, conditions, mask, weaker)
        return sorted(found, key=lambda f: f.size)

    def _merged(
        self,
        terms: Sequence[Valued],
        hashes: npt.NDArray[np.int64],
        conditions: tuple[Hypothesis, ...],
        mask: Mask,
        weaker: Weaker,
    ) -> Iterator[_Found]:
        """Terms that agree with a smaller one where the conditions hold."""
        smallest: dict[tuple[object, int], Valued] = {}
        merged: set[Term] = set()
        for valued, hash_ in zip(terms, hashes.tolist(), strict=True):
            other = smallest.setdefault((valued.type, hash_), valued)
            if other is valued or not speaks_of(conditions, valued.term, other.term):
                continue
            if valued.term.size + other.term.size > MAX_SIDES:
                continue
            if any(s in merged for a in valued.term.args for s in a.subterms()):
                continue  # it follows from the law for the part
            equal = valued.row == other.row
            if not equal[mask].all() or not (valued.row[mask] >= 0).any():
                continue
            merged.add(valued.term)
            if not weaker.suffices(conditions, mask, equal):
                cases = int((valued.row[mask] >= 0).sum())
                yield _Found(conditions, valued.term, other.term, cases)

    # -- laws --------------------------------------------------------------------------------

    def _suggested(self, found: Sequence[_Found], budget: int) -> Iterator[Suggestion]:
        for candidate in found:
            if budget == 0 or self._stop():
                return
            law = self._law(candidate)
            if law is None or self._is_known(law) or not self._is_confirmed(candidate):
                continue
            self._keys |= {canonical_key(law), canonical_key(self._simplified(law))}
            self._rewriter.add(law)
            budget -= 1
            yield Suggestion(law, candidate.cases)

    def _is_confirmed(self, found: _Found) -> bool:
        """Whether the law holds in further cases, many more than those of the search."""
        equations = [Equation(found.one, found.other), *(c.equation for c in found.conditions)]
        equal, *held = (self._equal(e) for e in equations)
        return not bool((np.logical_and.reduce(held) & ~equal).any())

    def _equal(self, equation: Equation) -> Mask:
        """In which of the further cases two terms are equal, or one has no value."""
        one, other = (
            np.array(self._further.vector(t, everywhere=True)) for t in (equation.lhs, equation.rhs)
        )
        return np.asarray((one == other) | (one < 0) | (other < 0))

    def _law(self, found: _Found) -> Law | None:
        conditions = [c.equation for c in found.conditions]
        try:
            return _with_ordered_sides(presented_law(found.one, found.other, conditions))
        except IllTyped:
            return None

    def _is_known(self, law: Law) -> bool:
        if all(s.is_background for s in law.symbols()):
            return True
        key = canonical_key(law)
        if key in self._keys or self._tried(key):
            return True
        if canonical_key(self._simplified(law)) in self._keys:
            return True
        if any(c in self._keys for c in self._contrapositives(law)):
            return True
        return self._rewriter.joins(law)

    def _simplified(self, law: Law) -> Law:
        """The law with its conditions calculated as far as they can be."""
        normal = self._rewriter.normal
        conditions = [Equation(normal(h.lhs), normal(h.rhs)) for h in law.hypotheses]
        return Law(law.lhs, law.rhs, law.types, tuple(conditions))

    def _contrapositives(self, law: Law) -> Iterator[str]:
        """Keys of the laws that say the same with the conclusion and a condition exchanged."""
        constants = list(self._constants.values())
        opposite = negated(law.conclusion, constants)
        for number, condition in enumerate(law.hypotheses):
            conclusion = negated(condition, constants)
            if opposite is None or conclusion is None:
                continue
            others = law.hypotheses[:number] + law.hypotheses[number + 1 :]
            changed = Law(conclusion.lhs, conclusion.rhs, law.types, (opposite, *others))
            yield canonical_key(changed)


def _with_ordered_sides(law: Law) -> Law:
    """The law with the variables of each ``x ≠ y`` in the order in which they are bound."""
    order = {name: number for number, (name, _) in enumerate(law.types)}

    def ordered(equation: Equation) -> Equation:
        lhs = equation.lhs
        if lhs.head == EQ and all(a.is_variable for a in lhs.args):
            args = sorted(lhs.args, key=lambda a: order[str(a.head)])
            return Equation(Term(EQ, tuple(args)), equation.rhs)
        return equation

    return Law(law.lhs, law.rhs, law.types, tuple(map(ordered, law.hypotheses)))


def _by_size(schema: Schema) -> tuple[int, bool, int]:
    """Smaller schemas come first; constants before all others, of these the most general first."""
    holes = len(schema.typing.holes)
    return schema.size, holes > 0, -holes


def _booleans(symbols: Sequence[Symbol]) -> dict[str, tuple[Symbol, Symbol]]:
    by_name = {s.name: s for s in symbols}
    if "Bool.true" in by_name and "Bool.false" in by_name:
        return {"Bool": (by_name["Bool.true"], by_name["Bool.false"])}
    return {}
