"""One key for all ways to write a law: up to renaming, order of binders and symmetry of ``=``."""

from __future__ import annotations

import hashlib

from engine.language.rewriting import presented
from engine.language.term import Law, Symbol, Term, Type
from engine.language.typing import most_general

NAMES = {
    "function": "fghpq",
    "variable": "xyzuvw",
    "parametrised": ("xs", "ys", "zs", "us", "vs", "ws"),
    "Nat": "mnkij",
    "plain": "abcde",
}


def canonical_key(law: Law) -> str:
    """Equal for two laws exactly when they differ in names, binder order or direction only."""
    return min(_written(law.lhs, law.rhs), _written(law.rhs, law.lhs))


def short_key(key: str) -> str:
    """A short digest of a key, for identifiers."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def _written(first: Term, second: Term) -> str:
    numbers: dict[str, int] = {}

    def write(term: Term) -> str:
        if isinstance(term.head, Symbol):
            head = term.head.name
        else:
            head = f"?{numbers.setdefault(term.head, len(numbers))}"
        return f"({head} {' '.join(map(write, term.args))})" if term.args else head

    return f"{write(first)} = {write(second)}"


def with_canonical_names(lhs: Term, rhs: Term) -> Law:
    """The law with most general types and with the variable names that a reader expects.

    Functions are f, g, …; elements x, y, …; containers xs, ys, …; naturals m, n, …; others a, b, …

    Raises:
        IllTyped: The sides have no common type.
    """
    law = most_general(lhs, rhs)
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
    return Law(lhs.substitute(renaming), rhs.substitute(renaming), types)


def presented_law(one: Term, other: Term) -> Law:
    """The law in the direction in which it is read, with variables named in that order.

    Raises:
        IllTyped: The sides have no common type.
    """
    law = presented(with_canonical_names(one, other))
    return with_canonical_names(law.lhs, law.rhs)


def _sort(t: Type) -> str:
    if t.is_function:
        return "function"
    if t.is_variable:
        return "variable"
    if t.args:
        return "parametrised"
    return "Nat" if t.head == "Nat" else "plain"
