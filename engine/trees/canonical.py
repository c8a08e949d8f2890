"""One key for all ways to write a law: up to renaming, order of binders and symmetry of ``=``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import permutations, product

from engine.language.rewriting import presented
from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.language.typing import most_general

NAMES = {
    "function": "fghpq",
    "variable": "xyzuvw",
    "parametrised": ("xs", "ys", "zs", "us", "vs", "ws"),
    "Nat": "mnkij",
    "plain": "abcde",
}

MAX_PERMUTED = 3


def canonical_key(law: Law) -> str:
    """Equal for two laws exactly when they differ in names, direction and order only.

    Order is that of the binders and of the hypotheses; beyond ``MAX_PERMUTED`` hypotheses it is
    that of their text, which renaming may change: such laws can have more than one key.
    """
    conclusions = (law.conclusion, law.conclusion.flipped())
    return min(
        _written((conclusion, *hypotheses))
        for hypotheses in _orders(law.hypotheses)
        for conclusion in conclusions
    )


def _orders(hypotheses: Sequence[Equation]) -> Iterator[tuple[Equation, ...]]:
    """All ways to write some hypotheses."""
    if len(hypotheses) > MAX_PERMUTED:
        yield tuple(sorted(hypotheses, key=lambda h: _written((h,))))
        return
    for order in permutations(hypotheses):
        yield from product(*((h, h.flipped()) for h in order))


def short_key(key: str) -> str:
    """A short digest of a key, for identifiers."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def _written(parts: Sequence[Equation]) -> str:
    numbers: dict[str, int] = {}

    def write(term: Term) -> str:
        if isinstance(term.head, Symbol):
            head = term.head.name
        else:
            head = f"?{numbers.setdefault(term.head, len(numbers))}"
        return f"({head} {' '.join(map(write, term.args))})" if term.args else head

    return " if ".join(f"{write(part.lhs)} = {write(part.rhs)}" for part in parts)


def with_canonical_names(lhs: Term, rhs: Term, hypotheses: Sequence[Equation] = ()) -> Law:
    """The law with most general types and with the variable names that a reader expects.

    Functions are f, g, …; elements x, y, …; containers xs, ys, …; naturals m, n, …; others a, b, …

    Raises:
        IllTyped: Two sides have no common type.
    """
    law = most_general(lhs, rhs, hypotheses)
    used: dict[str, int] = {}
    renaming: dict[str, Term] = {}
    for name, type_ in law.types:
        sort = _sort(type_)
        number = used.get(sort, 0)
        used[sort] = number + 1
        choices = NAMES[sort]
        fresh = choices[number] if number < len(choices) else f"{choices[0]}{number}"
        renaming[name] = Term(fresh)
    types = tuple((str(renaming[name].head), t) for name, t in law.types)
    named = [part.substitute(renaming) for part in law.parts()]
    return Law(named[0].lhs, named[0].rhs, types, tuple(named[1:]))


def presented_law(one: Term, other: Term, hypotheses: Sequence[Equation] = ()) -> Law:
    """The law in the direction in which it is read, with variables named in that order.

    Raises:
        IllTyped: Two sides have no common type.
    """
    law = presented(with_canonical_names(one, other, hypotheses))
    return with_canonical_names(law.lhs, law.rhs, law.hypotheses)


def _sort(t: Type) -> str:
    if t.is_function:
        return "function"
    if t.is_variable:
        return "variable"
    if t.args:
        return "parametrised"
    return "Nat" if t.head == "Nat" else "plain"
