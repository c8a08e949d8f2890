"""Strengthening and weakening: the hypotheses that a law needs, no more and no fewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from engine.language.printing import equation_text, proposition_text, signature_text
from engine.language.term import Equation, Law, Symbol, Term
from engine.language.typing import IllTyped
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents
from engine.strategy.operators.conditions import Condition, conditions
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import (
    affirmed,
    comparable,
    comparisons,
    constants,
    is_predicate,
    with_order,
)
from engine.strategy.operators.trials import Trials
from engine.trees.canonical import presented_law


class Strengthening:
    """Looks for the weakest hypotheses under which a conclusion holds.

    A false law gets hypotheses that exclude the values at which it fails. A proved law with
    hypotheses is tried under weaker ones, and a proved inequality as an equality or as a stricter
    inequality.
    """

    name = "strengthening"
    description = "hypotheses that save a false law; weaker ones, or a stronger claim, for a true"

    def applies(self, context: Context) -> bool:
        """There is a function whose arguments a hypothesis can speak of."""
        return any(s.params for s in context.functions)

    def draft(self, context: Context) -> Iterator[Draft]:
        """Proved laws first, then what a function may be in a case, then laws known to be false."""
        screen = Screen(context)
        symbols = with_order(context.symbols)
        for known in self._improvable(context):
            yield from self._improved(known, screen, context)
        false = sorted((*context.refuted, *context.near_misses.values()), key=lambda w: w.size)
        for law in (*simple_values(context.functions, context.symbols), *false):
            if law.hypotheses:
                continue
            if context.stop():
                return
            for condition in conditions(law, symbols, screen.trials):
                found = screen.guess(law.conclusion, condition.hypotheses)
                if found is not None:
                    yield self._saved(found, law, condition, context)

    @staticmethod
    def _improvable(context: Context) -> list[KnownLaw]:
        orders = comparisons(context.symbols)
        return [k for k in context.proved if k.law.hypotheses or k.law.lhs.head in orders]

    def _improved(self, known: KnownLaw, screen: Screen, context: Context) -> Iterator[Draft]:
        """A proved law with a stronger conclusion, or under weaker hypotheses."""
        law = known.law
        for stronger in _stronger(law, comparisons(context.symbols)):
            if context.stop():
                return
            found = screen.guess(stronger, law.hypotheses)
            if found is not None:
                yield self._better(found, known, "a stronger conclusion", context)
        if not law.hypotheses:
            return
        for condition in _weaker(law, context.symbols, screen.trials):
            found = screen.guess(law.conclusion, condition.hypotheses)
            if found is not None:
                yield self._better(found, known, "weaker hypotheses", context)

    def _better(self, law: Law, known: KnownLaw, what: str, context: Context) -> Draft:
        return Draft(
            law=law,
            operator=self.name,
            summary=f"{known.name} with {what}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners, (known, f"It is {known.name} with {what}.")),
            novelty=f"It has {what} than {known.name}.",
        )

    def _saved(self, law: Law, false: Law, condition: Condition, context: Context) -> Draft:
        given = " and ".join(equation_text(h) for h in condition.hypotheses)
        return Draft(
            law=law,
            operator=self.name,
            summary=f"What holds of {equation_text(false.conclusion)}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners),
            novelty=f"{signature_text(false)} is false; given {given}, no failure was found.",
            limits=f"It says nothing unless {given}; there the equation may fail.",
        )


def simple_values(functions: Sequence[Symbol], symbols: Sequence[Symbol]) -> Iterator[Law]:
    """That a function gives back an argument, or a constant: seldom true, often in some case."""
    for f in functions:
        if not f.params or is_predicate(f):
            continue
        args = tuple(Term(f"p{i}") for i in range(len(f.params)))
        values = [a for a, t in zip(args, f.params, strict=True) if comparable(t, f.result)]
        for constant in constants(symbols):
            assert isinstance(constant.head, Symbol)
            if not f.result.is_variable and comparable(constant.head.result, f.result):
                values.append(constant)
        for value in values:
            with suppress(IllTyped):
                yield presented_law(Term(f, args), value)


def _stronger(law: Law, orders: Sequence[Symbol]) -> Iterator[Equation]:
    """For ``a ≤ b`` the equation ``a = b``, and other comparisons of both."""
    head = law.lhs.head
    if not isinstance(head, Symbol) or head not in orders:
        return
    if law.conclusion != affirmed(law.lhs):
        return
    yield Equation(*law.lhs.args)
    for order in orders:
        if order != head and order.params == head.params:
            yield affirmed(Term(order, law.lhs.args))


def _weaker(law: Law, symbols: Sequence[Symbol], trials: Trials) -> Iterator[Condition]:
    """Conditions that hold in all cases in which a law's hypotheses hold, and in more."""
    named = trials.named(law)
    if named is None:
        return
    truths = [trials.truth(h) for h in named.hypotheses]
    now = {i for i, row in enumerate(zip(*truths, strict=True)) if all(row)}
    for condition in conditions(law, symbols, trials):
        if now < condition.support:
            yield condition
