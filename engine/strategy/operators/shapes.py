"""Shapes of laws, and the correspondences of symbols that laws of one shape suggest.

The shape of ``append xs nil = xs`` and of ``add m zero = m`` is ``f a b = a``, with an operation f
and a constant b. Two laws of one shape suggest that their symbols correspond; the more laws
suggest the same, the better the correspondence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.language.core import LOGIC
from engine.language.term import Equation, Law, Symbol, Term
from engine.strategy.operators.base import KnownLaw

MAX_SEEDS = 60
"""How many suggested correspondences are extended by others, those that most laws suggest first."""


@dataclass(frozen=True)
class Correspondence:
    """A one-to-one map of symbols to symbols of other names or the same.

    Attributes:
        pairs: Name of each symbol with its image, sorted.
        score: How many pairs of laws of one shape agree with it.
    """

    pairs: tuple[tuple[str, Symbol], ...]
    score: int

    @property
    def mapping(self) -> dict[str, Symbol]:
        """Image of each symbol by name."""
        return dict(self.pairs)

    @property
    def moved(self) -> dict[str, Symbol]:
        """The symbols that go to others."""
        return {name: image for name, image in self.pairs if image.name != name}


def shape(law: Law) -> list[tuple[str, tuple[Symbol, ...]]]:
    """How a law reads with places for symbols, with the symbols that stand there.

    One reading for each direction of the conclusion. Variables and symbols are numbered from the
    left; those of logic stay what they are.
    """
    return [_read((side, *law.hypotheses)) for side in (law.conclusion, law.conclusion.flipped())]


def _read(parts: Sequence[Equation]) -> tuple[str, tuple[Symbol, ...]]:
    symbols: dict[Symbol, int] = {}
    variables: dict[str, int] = {}

    def write(term: Term) -> str:
        if not isinstance(term.head, Symbol):
            head = f"v{variables.setdefault(term.head, len(variables))}"
        elif term.head.name in LOGIC:
            head = term.head.name
        else:
            head = f"s{symbols.setdefault(term.head, len(symbols))}/{len(term.head.params)}"
        return f"{head}({','.join(map(write, term.args))})" if term.args else head

    text = " if ".join(f"{write(part.lhs)} = {write(part.rhs)}" for part in parts)
    return text, tuple(symbols)


def correspondences(laws: Sequence[KnownLaw]) -> list[Correspondence]:
    """Correspondences that some laws suggest, those first that most pairs of laws agree with.

    Both directions are found. Each is as large as the suggestions that fit together.
    """
    suggested = _suggested(known.law for known in laws)
    ranked = sorted(suggested.items(), key=lambda item: (-item[1], _written(item[0])))
    found: dict[tuple[tuple[str, Symbol], ...], Correspondence] = {}
    for seed, _ in ranked[:MAX_SEEDS]:
        merged = dict(seed)
        score = 0
        for other, support in ranked:
            if _fits(merged, dict(other)):
                merged |= dict(other)
                score += support
        pairs = tuple(sorted(merged.items(), key=lambda item: item[0]))
        found.setdefault(pairs, Correspondence(pairs, score))
    return sorted(found.values(), key=lambda c: (-c.score, _written(c.pairs)))


Pairs = tuple[tuple[str, Symbol], ...]


def _suggested(laws: Iterable[Law]) -> Counter[Pairs]:
    """How often two laws of one shape suggest that their symbols correspond."""
    by_shape: dict[str, dict[tuple[Symbol, ...], None]] = defaultdict(dict)
    for law in laws:
        for text, symbols in shape(law):
            by_shape[text][symbols] = None
    counts: Counter[Pairs] = Counter()
    for readings in by_shape.values():
        for one, other in combinations(readings, 2):
            for source, target in ((one, other), (other, one)):
                pairs = tuple(
                    sorted(
                        ((s.name, t) for s, t in zip(source, target, strict=True)),
                        key=lambda pair: pair[0],
                    )
                )
                counts[pairs] += 1
    return counts


def _fits(mapping: Mapping[str, Symbol], other: Mapping[str, Symbol]) -> bool:
    """Whether two maps agree where both speak, and their union is one-to-one."""
    if any(mapping.get(name, image) != image for name, image in other.items()):
        return False
    union = {**mapping, **other}
    return len({image.name for image in union.values()}) == len(union)


def _written(pairs: Iterable[tuple[str, Symbol]]) -> str:
    return " ".join(f"{name} {image.name}" for name, image in pairs)
