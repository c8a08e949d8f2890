"""Functional lemmas: what a function does to operations, orders, predicates and accumulators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.language.printing import proposition_text
from engine.language.term import Equation, Law, Symbol, Term
from engine.strategy.operators.base import Context, Draft, law_parents, word
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import (
    Section,
    affirmed,
    comparable,
    comparisons,
    constants,
    is_predicate,
    operations,
    sections,
    with_order,
)

X, Y = Term("x"), Term("y")


class Instance(NamedTuple):
    """An instance of a scheme: what it says of which function, and the law that says it."""

    words: str
    conclusion: Equation
    hypotheses: tuple[Equation, ...] = ()


class Functional:
    """Tries each function for the properties that mathematicians look for first.

    Homomorphism between operations, action of an operation on a state, an accumulator that can be
    pulled out, idempotence, exchange of two applications, preservation of a predicate, fixed points
    under a predicate, monotonicity and bounds in an order.
    """

    name = "functional"
    description = "what a function does to operations, orders, predicates and accumulators"

    def applies(self, context: Context) -> bool:
        """There is a function of the theory with an argument."""
        return any(s.params for s in context.functions)

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each property that a function has at all values tried."""
        screen = Screen(context)
        for instance in instances(context.symbols, context.functions):
            if context.stop():
                return
            law = screen.guess(instance.conclusion, instance.hypotheses)
            if law is not None:
                yield self._draft(law, instance.words, context)

    def _draft(self, law: Law, words: str, context: Context) -> Draft:
        return Draft(
            law=law,
            operator=self.name,
            summary=f"{words}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners),
            novelty=f"That {words[0].lower()}{words[1:]} follows from no known law by calculation.",
        )


def instances(symbols: Sequence[Symbol], functions: Sequence[Symbol]) -> Iterator[Instance]:
    """All instances of the schemes for some functions, the schemes in order of their worth.

    Args:
        symbols: Operations, constants and predicates are taken from here.
        functions: What the properties are of.
    """
    of = sections([f for f in functions if not is_predicate(f)])
    predicates = sections([s for s in symbols if is_predicate(s)])
    monoids = operations(symbols)
    yield from _homomorphisms(sections(functions), monoids)
    yield from _accumulators(functions, monoids, of, constants(symbols))
    yield from _actions(of, monoids)
    yield from _repetitions(of)
    yield from _predicates(of, [p for p in predicates if len(p.places) == 0])
    yield from _orders(of, comparisons(with_order(symbols)))


def _homomorphisms(of: Sequence[Section], monoids: Sequence[Symbol]) -> Iterator[Instance]:
    """``f (x · y) = f x ∘ f y``, or ``f y ∘ f x``: distributivity when ``·`` is ``∘``."""
    for f in of:
        for inner in monoids:
            if not comparable(f.domain, inner.result) or inner == f.symbol:
                continue
            for outer in monoids:
                if not comparable(f.codomain, outer.result):
                    continue
                lhs = f.at(Term(inner, (X, Y)))
                for a, b in ((X, Y), (Y, X)):
                    turned = "" if a == X else ", in the opposite order"
                    words = f"{word(f.symbol)} turns {word(inner)} into {word(outer)}{turned}"
                    yield Instance(words, Equation(lhs, Term(outer, (f.at(a), f.at(b)))))


def _accumulators(
    functions: Sequence[Symbol],
    monoids: Sequence[Symbol],
    of: Sequence[Section],
    units: Sequence[Term],
) -> Iterator[Instance]:
    """``f x a = h x ∘ a``, or ``a ∘ h x``, for a function, or for ``f`` itself at a constant.

    The accumulator ``a`` has the type of the result; what a recursive function with an accumulator
    computes is told by its values at the unit of an operation.
    """
    for f in sections(functions):
        for place in f.places:
            if not comparable(f.symbol.params[place], f.codomain) or f.codomain.is_variable:
                continue
            for operation in monoids:
                if not comparable(operation.result, f.codomain):
                    continue
                for words, inner in _without_accumulator(f, place, of, units):
                    lhs = _at_two(f, place, X, Y)
                    for args in ((inner, Y), (Y, inner)):
                        conclusion = Equation(lhs, Term(operation, args))
                        yield Instance(
                            f"{word(f.symbol)} joins its accumulator by {word(operation)} to "
                            f"{words}",
                            conclusion,
                        )


def _at_two(f: Section, place: int, argument: Term, accumulator: Term) -> Term:
    others = [accumulator if i == place else Term(f"p{i}") for i in f.places]
    return f.with_others(argument, others)


def _without_accumulator(
    f: Section, place: int, of: Sequence[Section], units: Sequence[Term]
) -> Iterator[tuple[str, Term]]:
    for h in of:
        if (
            not h.places
            and comparable(h.domain, f.domain)
            and comparable(h.codomain, f.codomain)
            and h.symbol != f.symbol
        ):
            yield word(h.symbol), h.at(X)
    for unit in units:
        assert isinstance(unit.head, Symbol)
        if comparable(unit.head.result, f.codomain):
            yield f"its value at {word(unit.head)}", _at_two(f, place, X, unit)


def _actions(of: Sequence[Section], monoids: Sequence[Symbol]) -> Iterator[Instance]:
    """``f (x · y) s = f x (f y s)``, or ``f y (f x s)``: an operation acts on states.

    So do folds over lists, and numbers by ``drop``.
    """
    state = Term("s")
    for f in of:
        if not f.is_endo:
            continue
        for place in f.places:
            for operation in monoids:
                if not comparable(operation.result, f.symbol.params[place]):
                    continue
                lhs = _at_two(f, place, state, Term(operation, (X, Y)))
                for a, b in ((X, Y), (Y, X)):
                    rhs = _at_two(f, place, _at_two(f, place, state, b), a)
                    words = f"{word(operation)} acts through {word(f.symbol)}"
                    yield Instance(words, Equation(lhs, rhs))


def _repetitions(of: Sequence[Section]) -> Iterator[Instance]:
    """``f p (f p x) = f p x`` and ``f p (f q x) = f q (f p x)``, where ``f`` has parameters."""
    for f in of:
        if not f.is_endo or not f.places:
            continue
        name = word(f.symbol)
        yield Instance(f"{name} is idempotent", Equation(f.at(f.at(X)), f.at(X)))
        one, other = f.at(f.at(X, "q"), "p"), f.at(f.at(X, "p"), "q")
        yield Instance(f"Two applications of {name} can be exchanged", Equation(one, other))


def _predicates(of: Sequence[Section], predicates: Sequence[Section]) -> Iterator[Instance]:
    """``p (f x)``, ``p (f x) = p x``, and under ``p x`` both ``p (f x)`` and ``f x = x``."""
    for f in of:
        for p in predicates:
            if not comparable(f.codomain, p.domain):
                continue
            whole = affirmed(p.at(f.at(X)))
            name, what = word(f.symbol), word(p.symbol)
            yield Instance(f"Every value of {name} is {what}", whole)
            if f.is_endo:
                given = affirmed(p.at(X))
                fixed = Equation(f.at(X), X)
                yield Instance(f"{name} changes nothing that is {what}", fixed, (given,))
                equal = Equation(whole.lhs, given.lhs)
                yield Instance(f"{name} neither makes nor unmakes {what}", equal)
                yield Instance(f"{name} preserves {what}", whole, (given,))


def _orders(of: Sequence[Section], orders: Sequence[Symbol]) -> Iterator[Instance]:
    """``f x ≤ x``, ``x ≤ f x``, ``p ≤ f x``, ``f x ≤ p``, and ``x ≤ y → f x ≤ f y``.

    For a measure ``m`` of lists or trees also ``m (f x) = m x`` and ``m (f x) ≤ m x``.
    """
    for f in of:
        for order in orders:
            if not comparable(f.codomain, order.params[0]):
                continue
            value = f.at(X)
            for other in (X, *(Term(f"p{i}") for i in f.places)):
                for args in ((value, other), (other, value)):
                    yield Instance(
                        f"{word(f.symbol)} is bounded in {word(order)}",
                        affirmed(Term(order, args)),
                    )
            if comparable(f.domain, order.params[0]):
                given = affirmed(Term(order, (X, Y)))
                for args in ((f.at(X), f.at(Y)), (f.at(Y), f.at(X))):
                    words = f"{word(f.symbol)} is monotone in {word(order)}"
                    yield Instance(words, affirmed(Term(order, args)), (given,))
    for f in of:
        for m in of:
            if not f.is_endo or m.places or m.is_endo or not comparable(m.domain, f.codomain):
                continue
            args = (m.at(f.at(X)), m.at(X))
            yield Instance(f"{word(f.symbol)} keeps the {word(m.symbol)}", Equation(*args))
            for order in orders:
                if comparable(m.codomain, order.params[0]):
                    words = f"{word(f.symbol)} makes no {word(m.symbol)} larger"
                    yield Instance(words, affirmed(Term(order, args)))
