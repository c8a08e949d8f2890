"""Lemmas that later ones make needless: they follow from what is known without them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.language.rewriting import Rewriter, is_commutativity
from engine.language.term import Law


def needless(lemmas: Sequence[Law], rewriter: Rewriter) -> list[Law]:
    """The lemmas that follow by calculation from the others, the most special first.

    Of two lemmas that follow from each other the more special one goes, or the larger, or the
    later one. A commutativity stays: calculation takes it for granted.

    Args:
        lemmas: In the order in which they were found; those that may go.
        rewriter: Calculates with them and with all else that is known.

    Returns:
        Those that can go, all of them together.
    """
    order = sorted(range(len(lemmas)), key=lambda at: (*speciality(lemmas[at]), at), reverse=True)
    going: list[Law] = []
    for law in (lemmas[at] for at in order):
        if not is_commutativity(law) and rewriter.joins_without(law, (*going, law)):
            going.append(law)
    return going


def speciality(law: Law) -> tuple[int, int]:
    """Orders laws, the general and small ones first: by :func:`details`, then by size."""
    return details(law), law.size


def details(law: Law) -> int:
    """How many constructors stand inside its sides: a law of particular values has many."""
    sides = [side for part in law.parts() for side in (part.lhs, part.rhs)]
    inside = (symbol for side in sides for arg in side.args for symbol in arg.symbols())
    return sum(symbol.is_constructor for symbol in inside)
