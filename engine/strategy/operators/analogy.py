"""Analogy: carry a law along a correspondence of symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from engine.language.printing import proposition_text, term_text
from engine.language.term import Law, Symbol
from engine.language.typing import IllTyped
from engine.model import ParentClaim
from engine.strategy.operators.base import (
    Context,
    Draft,
    KnownLaw,
    parents_by_symbols,
)
from engine.trees.canonical import canonical_key, presented_law

MAX_MAPS = 200


class Analogy:
    """Replaces the functions of a proved law by others of the same arity that fit by type.

    A correspondence maps each function of the law to a function with as many arguments, and each
    constructor to a constant or constructor of as many; the type inference then says whether the
    carried law makes sense, and the tests whether it may hold.
    """

    name = "analogy"
    description = "carry a proved law to other functions of the same shape"

    def applies(self, context: Context) -> bool:
        """There is a proved law, and a function beside those of the law."""
        return any(known.label.value == "verified" for known in context.laws)

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each law and correspondence under which it stays well-typed."""
        for known in sorted(context.laws, key=lambda k: k.law.size):
            if known.label.value != "verified":
                continue
            for mapping in _correspondences(known.law, context.symbols):
                if context.stop():
                    return
                law = _carried(known.law, mapping)
                if law is not None and not context.tried(canonical_key(law)):
                    yield self._draft(known, law, mapping, context)

    def _draft(
        self, known: KnownLaw, law: Law, mapping: Mapping[str, Symbol], context: Context
    ) -> Draft:
        changed = {n: s for n, s in mapping.items() if s.name != n}
        shown = ", ".join(f"{_last(n)} to {_last(s.name)}" for n, s in sorted(changed.items()))
        claim = ParentClaim(
            node=known.node, rating=5, explanation=f"{known.name} carried along {shown}."
        )
        return Draft(
            law=law,
            operator=self.name,
            summary=f"As {known.name}, with {shown}: {proposition_text(law)}.",
            parents=(claim, *parents_by_symbols(law, context.owners)),
            novelty=f"The counterpart of {known.name} for {term_text(law.lhs)}.",
        )


def _correspondences(law: Law, symbols: Sequence[Symbol]) -> Iterator[dict[str, Symbol]]:
    """Maps of a law's symbols to symbols of the same arity that change at least one function."""
    own = law.symbols()
    choices = [_counterparts(symbol, symbols) for symbol in own]
    for number, images in enumerate(product(*choices)):
        if number >= MAX_MAPS:
            return
        mapping = {s.name: image for s, image in zip(own, images, strict=True)}
        moved = [s for s in own if mapping[s.name] != s and not s.is_constructor]
        if moved:
            yield mapping


def _counterparts(symbol: Symbol, symbols: Sequence[Symbol]) -> list[Symbol]:
    """The symbol itself, then others of its arity; constructors go to what makes values."""
    others = [
        s
        for s in symbols
        if s != symbol
        and len(s.params) == len(symbol.params)
        and (symbol.is_constructor or not s.is_constructor)
        and [p.is_function for p in s.params] == [p.is_function for p in symbol.params]
    ]
    return [symbol, *others]


def _carried(law: Law, mapping: Mapping[str, Symbol]) -> Law | None:
    conclusion, *hypotheses = (part.replace_symbols(mapping) for part in law.parts())
    if conclusion.lhs == conclusion.rhs:
        return None
    try:
        return presented_law(conclusion.lhs, conclusion.rhs, hypotheses)
    except IllTyped:
        return None


def _last(name: str) -> str:
    return name.split(" ")[0].rpartition(".")[2]
