"""Small statements with named arguments, as kernel expressions and as a plain canonical form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from hypothesis import strategies as st

from verifier.prover.expression import Expression

Term = str | tuple["Term", ...]
"""A constant or an argument by its name, or an application: head first."""

SYMMETRIC = frozenset({"Eq", "Ne", "Iff"})
NAT = "Nat"


@dataclass(frozen=True)
class Claim:
    """A statement; the order of its arguments is any that has each type's mentions before it."""

    arguments: tuple[tuple[str, Term], ...]
    conclusion: Term

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.arguments)


def constant(name: str) -> Expression:
    return ["c", name]


def expression(claim: Claim, styles: Mapping[str, int] | None = None) -> Expression:
    """The kernel expression, with the arguments in the order given."""
    return _closed(claim.arguments, claim.conclusion, (), styles or {})


def _closed(
    arguments: Sequence[tuple[str, Term]],
    conclusion: Term,
    scope: tuple[str, ...],
    styles: Mapping[str, int],
) -> Expression:
    if not arguments:
        return _term(conclusion, scope)
    (name, type_), *others = arguments
    body = _closed(others, conclusion, (*scope, name), styles)
    return ["p", name, _term(type_, scope), body, styles.get(name, 0)]


def _term(term: Term, scope: Sequence[str]) -> Expression:
    if isinstance(term, str):
        return ["v", len(scope) - 1 - scope.index(term)] if term in scope else constant(term)
    head, *given = term
    built = _term(head, scope)
    for argument in given:
        built = ["a", built, _term(argument, scope)]
    return built


def replaced(term: Term, changes: Mapping[str, Term]) -> Term:
    if isinstance(term, str):
        return changes.get(term, term)
    return tuple(replaced(part, changes) for part in term)


def renamed(claim: Claim, changes: Mapping[str, str]) -> Claim:
    return Claim(
        tuple((changes.get(n, n), replaced(t, changes)) for n, t in claim.arguments),
        replaced(claim.conclusion, changes),
    )


def mentions(term: Term) -> frozenset[str]:
    if isinstance(term, str):
        return frozenset({term})
    return frozenset().union(*map(mentions, term))


def well_ordered(arguments: Sequence[tuple[str, Term]]) -> bool:
    names = {name for name, _ in arguments}
    seen: set[str] = set()
    for name, type_ in arguments:
        if not mentions(type_) & names <= seen:
            return False
        seen.add(name)
    return True


def plain_form(claim: Claim) -> str:
    """What all orders of the arguments and sides share, by trying all: the slow truth."""
    return min(_numbered(order, claim.conclusion) for order in permutations(claim.arguments))


def _numbered(order: Sequence[tuple[str, Term]], conclusion: Term) -> str:
    numbers = {name: f"?{place}" for place, (name, _) in enumerate(order)}
    return repr([_sorted(replaced(term, numbers)) for term in (*(t for _, t in order), conclusion)])


def _sorted(term: Term) -> Term:
    if isinstance(term, str):
        return term
    parts = tuple(_sorted(part) for part in term)
    if parts[0] in SYMMETRIC:
        return (*parts[:-2], *sorted(parts[-2:], key=repr))
    return parts


def flipped(term: Term) -> Term:
    """With the sides of every symmetric relation exchanged."""
    if isinstance(term, str):
        return term
    parts = tuple(flipped(part) for part in term)
    if parts[0] in SYMMETRIC:
        return (*parts[:-2], parts[-1], parts[-2])
    return parts


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    """Up to three numbers, a vector that depends on one, and hypotheses about all of them."""
    numbers = ["a", "b", "c"][: draw(st.integers(1, 3))]
    arguments: list[tuple[str, Term]] = [(name, NAT) for name in numbers]
    if draw(st.booleans()):
        arguments.append(("v", ("Vec", draw(st.sampled_from(numbers)))))
    names = [name for name, _ in arguments]
    terms = st.recursive(
        st.sampled_from([*names, "zero"]),
        lambda below: st.one_of(
            st.tuples(st.just("succ"), below),
            st.tuples(st.sampled_from(["sub", "add"]), below, below),
        ),
        max_leaves=3,
    )
    relations = st.one_of(
        st.tuples(st.sampled_from(["Eq", "Ne"]), st.just(NAT), terms, terms),
        st.tuples(st.just("lt"), terms, terms),
    )
    for place in range(draw(st.integers(0, 2))):
        arguments.append((f"h{place}", draw(relations)))
    both = st.tuples(st.just("Iff"), relations, relations)
    return Claim(tuple(arguments), draw(st.one_of(relations, both)))
