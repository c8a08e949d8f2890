"""Analogy: carry the laws of one part of a theory to another part that is like it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from engine.language.printing import proposition_text
from engine.language.term import Law, Symbol
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents, word
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.shapes import Correspondence, correspondences

MAX_MAPS = 60
"""Bound on the maps by number of arguments alone that are tried for one law."""


class Analogy:
    """Finds correspondences of symbols from laws of one shape, and carries what is missing.

    The more laws of one side are known on the other, the better a correspondence; the best one
    comes first, and from it the smallest law. What laws of one shape do not suggest is tried last:
    a function goes to another with as many arguments. Whether a carried law makes sense, the types
    say; whether it may hold, the tests.
    """

    name = "analogy"
    description = "carry proved laws along a correspondence that other laws suggest"

    def applies(self, context: Context) -> bool:
        """There is a proved law, and a function beside those of the law."""
        return bool(context.proved)

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each missing law, the best correspondence first."""
        screen = Screen(context)
        found = [c for c in correspondences(context.laws) if c.moved]
        for correspondence in found:
            for known in context.proved:
                if context.stop():
                    return
                yield from self._carried(known, correspondence, screen, context)
        for known in context.proved:
            for mapping in maps_by_arity(known.law, context.symbols):
                if context.stop():
                    return
                pairs = tuple(sorted(mapping.items(), key=lambda pair: pair[0]))
                yield from self._carried(known, Correspondence(pairs, 0), screen, context)

    def _carried(
        self, known: KnownLaw, along: Correspondence, screen: Screen, context: Context
    ) -> Iterator[Draft]:
        moved = {s.name: along.moved[s.name] for s in known.law.symbols() if s.name in along.moved}
        if not any(s.params and not s.is_constructor for s in moved.values()):
            return
        conclusion, *hypotheses = (p.replace_symbols(moved) for p in known.law.parts())
        law = screen.guess(conclusion, hypotheses)
        if law is not None:
            yield self._draft(known, law, moved, along.score, context)

    def _draft(
        self,
        known: KnownLaw,
        law: Law,
        moved: Mapping[str, Symbol],
        score: int,
        context: Context,
    ) -> Draft:
        sources = {s.name: s for s in known.law.symbols()}
        shown = ", ".join(f"{word(sources[n])} to {word(s)}" for n, s in sorted(moved.items()))
        laws = "1 pair of laws is" if score == 1 else f"{score} pairs of laws are"
        why = f"{laws} alike" if score else "they take as many arguments"
        return Draft(
            law=law,
            operator=self.name,
            summary=f"As {known.name}, with {shown}: {proposition_text(law)}.",
            parents=law_parents(
                law, context.owners, (known, f"{known.name} carried along {shown}: {why}.")
            ),
            novelty=f"The counterpart of {known.name} under {shown} was not known.",
        )


def maps_by_arity(law: Law, symbols: Sequence[Symbol]) -> Iterator[dict[str, Symbol]]:
    """Maps of a law's symbols to symbols of as many arguments that move a function."""
    own = law.symbols()
    choices = [_counterparts(symbol, symbols) for symbol in own]
    for number, images in enumerate(product(*choices)):
        if number >= MAX_MAPS:
            return
        mapping = {s.name: image for s, image in zip(own, images, strict=True)}
        if any(mapping[s.name] != s and not s.is_constructor for s in own):
            yield mapping


def _counterparts(symbol: Symbol, symbols: Sequence[Symbol]) -> list[Symbol]:
    """The symbol itself, then others of its arity; constructors go to what makes values."""
    others = [
        s
        for s in symbols
        if s != symbol
        and len(s.params) == len(symbol.params)
        and s.is_predicate == symbol.is_predicate
        and (symbol.is_constructor or not s.is_constructor)
        and [p.is_function for p in s.params] == [p.is_function for p in symbol.params]
    ]
    return [symbol, *others]
