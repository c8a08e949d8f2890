"""Composition: what two functions of a theory do one after the other, or side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.language.printing import proposition_text
from engine.language.term import Equation, Law, Symbol, Term
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents, word
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import (
    Section,
    comparable,
    constants,
    operations,
    pairs,
    sections,
)

X, Y = Term("x"), Term("y")


class Composition:
    """Looks at ``f (g x)`` and ``f x · g x`` for functions of which laws are known.

    Cancellation, absorption, exchange, fusion into one application, two parts that make the whole,
    and a function that goes through one of two lists, trees or numbers at a time.
    """

    name = "composition"
    description = "what two functions do one after the other: absorb, exchange, fuse, cancel"

    def applies(self, context: Context) -> bool:
        """There are two functions with arguments, one of the theory."""
        return len([s for s in context.functions if s.params]) > 1

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each scheme that holds; functions of which more is known come first."""
        screen = Screen(context)
        symbols = _best_known(context)
        for words, f, g, equation in _instances(symbols, context.symbols):
            if context.stop():
                return
            law = screen.guess(equation)
            if law is not None:
                yield self._draft(law, words, (f, g), context)

    def _draft(
        self, law: Law, words: str, functions: tuple[Symbol, Symbol], context: Context
    ) -> Draft:
        f, g = (word(s) for s in functions)
        suggested = _about(context.proved, functions)
        claims = [(known, f"It says how {f} and {g} behave alone.") for known in suggested[:2]]
        return Draft(
            law=law,
            operator=self.name,
            summary=f"{words.format(f=f, g=g)}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners, *claims),
            novelty=f"The known laws about {f} and {g} do not bring both sides together.",
        )


def _best_known(context: Context) -> list[Symbol]:
    """The functions of the theory, those of which most laws are known first."""
    counts = Counter(s.name for known in context.proved for s in known.law.symbols())
    return sorted(context.functions, key=lambda s: -counts[s.name])


def _about(laws: Sequence[KnownLaw], functions: Sequence[Symbol]) -> list[KnownLaw]:
    """Laws that speak of no functions of the theory but some given ones."""
    names = {f.name for f in functions}
    return [
        known
        for known in laws
        if {s.name for s in known.law.symbols() if not s.is_constructor and not s.is_background}
        <= names
    ]


Found = tuple[str, Symbol, Symbol, Equation]


def _instances(functions: Sequence[Symbol], symbols: Sequence[Symbol]) -> Iterator[Found]:
    every = sections(functions)
    for f, g in pairs(every):
        if not comparable(f.domain, g.codomain):
            continue
        for words, equation in (
            *_cancelled(f, g, symbols),
            *_absorbed(f, g),
            *_exchanged(f, g),
            *_fused(f, g, symbols),
        ):
            yield words, f.symbol, g.symbol, equation
    for f, g in pairs(every):
        for words, equation in _side_by_side(f, g, every, operations(symbols)):
            yield words, f.symbol, g.symbol, equation
    for f in every:
        for through in functions:
            yield from _through(f, through)


def _composed(f: Section, g: Section) -> Term:
    """``f p (g q x)``."""
    return f.at(g.at(X, "q"), "p")


def _cancelled(f: Section, g: Section, symbols: Sequence[Symbol]) -> Iterator[tuple[str, Equation]]:
    """``f (g x) = x``, or another argument of ``g``, or a constant."""
    whole = _composed(f, g)
    arguments = [(X, g.domain), *((Term(f"q{i}"), g.symbol.params[i]) for i in g.places)]
    for argument, type_ in arguments:
        if comparable(type_, f.codomain):
            yield "{f} after {g} gives back an argument", Equation(whole, argument)
    for constant in constants(symbols):
        assert isinstance(constant.head, Symbol)
        if comparable(constant.head.result, f.codomain):
            yield "{f} after {g} is constant", Equation(whole, constant)


def _absorbed(f: Section, g: Section) -> Iterator[tuple[str, Equation]]:
    """``f (g x) = f x`` and ``f (g x) = g x``."""
    whole = _composed(f, g)
    if g.is_endo and f.symbol != g.symbol:
        yield "{f} does not see {g}", Equation(whole, f.at(X, "p"))
    if f.is_endo and f.symbol != g.symbol:
        yield "{f} changes no value of {g}", Equation(whole, g.at(X, "q"))


def _exchanged(f: Section, g: Section) -> Iterator[tuple[str, Equation]]:
    """``f (g x) = g (f x)``."""
    if f.symbol != g.symbol and comparable(f.codomain, g.domain):
        yield "{f} and {g} can be exchanged", Equation(_composed(f, g), g.at(f.at(X, "p"), "q"))


def _fused(f: Section, g: Section, symbols: Sequence[Symbol]) -> Iterator[tuple[str, Equation]]:
    """``f a (g b x) = f (c a b) x`` for a symbol ``c``, which may wait for more arguments."""
    whole = _composed(f, g)
    for i in f.places:
        for j in g.places:
            a, b = Term(f"p{i}"), Term(f"q{j}")
            for c in symbols:
                if len(c.params) < 2 or c.is_constructor or c == f.symbol:
                    continue
                for args in ((a, b), (b, a)):
                    others = [Term(c, args) if k == i else Term(f"p{k}") for k in f.places]
                    yield (
                        f"{{f}} after {{g}} is one application, by {word(c)}",
                        Equation(whole, f.with_others(X, others)),
                    )


def _side_by_side(
    f: Section, g: Section, every: Sequence[Section], monoids: Sequence[Symbol]
) -> Iterator[tuple[str, Equation]]:
    """``f p x · g p x = x``, or ``h x``: two parts make the whole."""
    if f.symbol == g.symbol or [f.symbol.params[i] for i in f.places] != [
        g.symbol.params[i] for i in g.places
    ]:
        return
    if not (comparable(f.domain, g.domain) and comparable(f.codomain, g.codomain)):
        return
    shared = [Term(f"p{k}") for k in range(len(f.places))]
    parts = (f.with_others(X, shared), g.with_others(X, shared))
    for operation in monoids:
        if not comparable(operation.result, f.codomain):
            continue
        whole = Term(operation, parts)
        words = f"{{f}} and {{g}} together, by {word(operation)}"
        if f.is_endo:
            yield words, Equation(whole, X)
        for h in every:
            if not h.places and comparable(h.domain, f.domain):
                yield words, Equation(whole, h.at(X))


def _through(f: Section, through: Symbol) -> Iterator[Found]:
    """``h (f x) (f y) = f (h x y)`` for a function of two arguments that is no operation."""
    if len(through.params) != 2 or through == f.symbol or operations([through]):
        return
    if not all(comparable(p, f.codomain) for p in through.params):
        return
    if comparable(through.result, f.domain):
        lhs = Term(through, (f.at(X), f.at(Y)))
        words = "{f} goes through {g}"
        yield words, f.symbol, through, Equation(lhs, f.at(Term(through, (X, Y))))
