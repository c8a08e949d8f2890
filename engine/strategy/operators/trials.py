"""Trials: does an equation hold at some values, so that it is worth drafting?

An operator that guesses asks here first. What passes is not proved, and the falsifier will try
more and larger values; but most of what is false ends here at the price of a few evaluations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.language.core import EQ, TRUE
from engine.language.printing import is_proposition
from engine.language.semantics import Interpretation
from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.strategy.exploration.testbed import testbed
from engine.strategy.exploration.typings import at_atom
from engine.strategy.operators.sections import Section

MIN_SUPPORT = 8
"""In how many cases a law must hold, its hypotheses included, so that they say anything."""

NEAR = 2
"""How many times as often as it fails a near miss holds."""

CHOICES = 6
"""Choices of the other arguments at which two values of one are to collide."""

Truth = list[bool | None]


class Tally(NamedTuple):
    """In how many cases a law holds and fails, of those in which its hypotheses hold."""

    holds: int
    fails: int

    @property
    def is_convincing(self) -> bool:
        """Whether it never fails, and holds often enough to say anything."""
        return not self.fails and self.holds >= MIN_SUPPORT

    @property
    def is_near_miss(self) -> bool:
        """Whether it fails in some cases, and holds in several times as many."""
        return 0 < self.fails * NEAR <= self.holds


class Trials:
    """Tries laws at the values at which terms are explored, where each is evaluated once.

    Args:
        interpretation: What symbols mean.
        symbols: The functions of the theory.
        seed: Of the values.
    """

    def __init__(
        self, interpretation: Interpretation, symbols: Sequence[Symbol], seed: int = 0
    ) -> None:
        self._interpretation = interpretation
        self._bed = testbed(interpretation, symbols, seed)

    def named(self, law: Law) -> Law | None:
        """The law over variables that have values; ``None`` when a type has none."""
        numbers: dict[Type, int] = {}
        renaming: dict[str, Term] = {}
        for name, type_ in law.types:
            closed = at_atom(type_)
            if not self._bed.has_values(closed):
                return None
            number = numbers.get(closed, 0)
            numbers[closed] = number + 1
            renaming[name] = Term(self._bed.variable(closed, number))
        conclusion, *hypotheses = (part.substitute(renaming) for part in law.parts())
        types = tuple((str(renaming[n].head), at_atom(t)) for n, t in law.types)
        return Law(conclusion.lhs, conclusion.rhs, types, tuple(hypotheses))

    def tally(self, law: Law) -> Tally | None:
        """In how many cases a law holds and fails; ``None`` when a type has no values.

        A law that already fails more often than it holds in the first cases is tried no further.
        """
        law_ = self.named(law)
        if law_ is None:
            return None
        first = self._tally(law_, everywhere=False)
        return first if first.fails > first.holds else self._tally(law_, everywhere=True)

    def _tally(self, law: Law, everywhere: bool) -> Tally:
        conclusion, *hypotheses = (self.truth(part, everywhere) for part in law.parts())
        said = [c for c, *hs in zip(conclusion, *hypotheses, strict=True) if all(hs)]
        return Tally(said.count(True), said.count(False))

    def fixes(self, law: Law) -> bool:
        """Whether the hypotheses leave one value to a variable, or make two variables equal.

        Then it is an instance with a detour, unless just that is its conclusion.
        """
        named = self.named(law)
        sides = (law.lhs, law.rhs)
        if named is None or (any(s.is_variable for s in sides) and not any(s.args for s in sides)):
            return False
        truths = [self.truth(h) for h in named.hypotheses]
        cases = [i for i, row in enumerate(zip(*truths, strict=True)) if all(row)]
        columns = [
            (type_, tuple(self._bed.vector(Term(name), True)[i] for i in cases))
            for name, type_ in named.types
        ]
        return any(len(set(column)) == 1 for _, column in columns) or len(set(columns)) < len(
            columns
        )

    def truth(self, equation: Equation, everywhere: bool = True) -> Truth:
        """Whether an equation over named variables holds, case by case.

        ``None`` where a side has no value there.
        """
        sides = (equation.lhs, equation.rhs)
        read = self._truths if any(map(is_proposition, sides)) else self._numbers
        left, right = (read(side, everywhere) for side in sides)
        return [
            None if a is None or b is None else a == b for a, b in zip(left, right, strict=True)
        ]

    def _numbers(self, term: Term, everywhere: bool) -> Sequence[int | None]:
        return [None if v < 0 else v for v in self._bed.vector(term, everywhere)]

    def _truths(self, term: Term, everywhere: bool) -> Sequence[bool | None]:
        """Truth values of a proposition; an equality is that of the values of its sides."""
        if term.head == EQ and len(term.args) == 2:
            return self.truth(Equation(*term.args), everywhere)
        true = self._bed.vector(Term(TRUE))[0]
        return [None if v is None else v == true for v in self._numbers(term, everywhere)]

    def collide(self, section: Section) -> bool | None:
        """Whether two different arguments have the same value, the other arguments being equal.

        Returns ``None`` when there is nothing to try.
        """
        function = self._interpretation.function(section.symbol)
        params = [at_atom(p) for p in section.symbol.params]
        if function is None or not all(self._bed.has_values(p) for p in params):
            return None
        columns = [self._bed.vector(Term(self._bed.variable(p, 0)), True) for p in params]
        machine = self._interpretation.machine
        arguments = list(dict.fromkeys(columns[section.place]))
        for choice in range(CHOICES):
            rows = [
                arguments if i == section.place else [column[choice]] * len(arguments)
                for i, column in enumerate(columns)
            ]
            values = machine.column(lambda *row: machine.applied(function, row), *rows)
            known = [v for v in values if v >= 0]
            if len(set(known)) < len(known):
                return True
        return False
