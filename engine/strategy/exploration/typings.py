"""Most general types of schemas, found once for each way to put types together.

A schema is a term with holes. Its typing says which types the holes and the term have, with
variables where any type will do; it depends only on the typings of the arguments, which repeat a
lot, so that nearly every typing is a look-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.language.term import PROPOSITION, Type, curried, type_variable
from engine.language.typing import IllTyped, Unifier

ATOM = Type("•")
"""The type that stands for all type variables of a law while it is tested: nothing but equality
is known of its values, so that no function of a theory mixes them with others."""

MAX_DEPTH = 2
"""How deep type constructors may be nested: lists of lists of elements."""


@dataclass(frozen=True)
class Typing:
    """Types of the holes of a schema, from the left, and of the schema itself.

    Attributes:
        bare: Whether the schema is nothing but a hole.
    """

    holes: tuple[Type, ...]
    result: Type
    bare: bool = False

    @property
    def closed(self) -> tuple[tuple[Type, ...], Type]:
        """The types at which the schema is tested."""
        return _closed(self)


@lru_cache(maxsize=100_000)
def _closed(typing: Typing) -> tuple[tuple[Type, ...], Type]:
    return tuple(at_atom(t) for t in typing.holes), at_atom(typing.result)


@lru_cache(maxsize=100_000)
def at_atom(t: Type) -> Type:
    """A type with ``ATOM`` in place of its variables."""
    return t.substitute({v: ATOM for v in t.variables()})


HOLE = Typing((type_variable("t0"),), type_variable("t0"), bare=True)


class Typings:
    """Puts typings together."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Typing | None] = {}

    def applied(
        self,
        params: tuple[Type, ...],
        result: Type,
        args: Sequence[Typing],
        head: Type | None = None,
    ) -> Typing | None:
        """The typing of a function applied to schemas, or ``None`` when they do not fit.

        Args:
            params: Of the function.
            result: Of its saturated application.
            args: As many as there are params, or fewer.
            head: The type of the function when it is a hole itself.
        """
        key = (params, result, tuple(args), head)
        if key not in self._known:
            self._known[key] = _applied(params, result, args, head)
        return self._known[key]

    def at_result(self, typing: Typing, closed: Type) -> Typing | None:
        """The typing whose result is a closed type, or ``None`` when it cannot be."""
        key = (typing, closed)
        if key not in self._known:
            self._known[key] = _at_result(typing, closed)
        return self._known[key]

    def coincidences(self, typing: Typing) -> list[Typing]:
        """Typings in which two holes of different types have the same one.

        ``length xss + length (concat xss)`` speaks of one list although the most general types of
        its two holes differ.
        """
        found: dict[Typing, None] = {}
        for i, one in enumerate(typing.holes):
            for other in typing.holes[:i]:
                unifier = Unifier()
                try:
                    unifier.unify(one, other)
                except IllTyped:
                    continue
                if one != other and (special := _resolved(unifier, typing)) is not None:
                    closed = special.closed
                    if closed != typing.closed:
                        found[special] = None
        return list(found)


def _applied(
    params: tuple[Type, ...], result: Type, args: Sequence[Typing], head: Type | None
) -> Typing | None:
    unifier = Unifier()
    holes: list[Type] = [] if head is None else [head]
    for number, (param, arg) in enumerate(zip(params, args, strict=False)):
        apart = {v: type_variable(f"{v}_{number}") for v in _variables(arg)}
        given = arg.result.substitute(apart)
        if given.is_variable and param.is_function and not arg.bare:
            return None  # the result of a function is not taken for a function
        try:
            unifier.unify(param, given)
        except IllTyped:
            return None
        holes += [h.substitute(apart) for h in arg.holes]
    whole = curried(params[len(args) :], result)
    found = _resolved(unifier, Typing(tuple(holes), whole))
    if found is None:
        return None
    saturated = len(args) == len(params)
    if saturated and not result.is_function and found.result.is_function:
        return None
    return found


def _at_result(typing: Typing, closed: Type) -> Typing | None:
    unifier = Unifier()
    try:
        unifier.unify(typing.result, closed)
    except IllTyped:
        return None
    return _resolved(unifier, typing)


def _resolved(unifier: Unifier, typing: Typing) -> Typing | None:
    """A typing with all that is known put in, unless its types are out of bounds."""
    types = [unifier.resolve(t) for t in (*typing.holes, typing.result)]
    *inside, last = (at_atom(t) for t in types)
    if last.head != PROPOSITION:  # a proposition is the value of a predicate, and no part of one
        inside.append(last)
    if not all(map(_is_simple, inside)):
        return None
    names: dict[str, Type] = {}
    for t in types:
        for v in t.variables():
            names.setdefault(v, type_variable(f"t{len(names)}"))
    *holes, result = (_renamed(t, names) for t in types)
    return Typing(tuple(holes), result, typing.bare)


def _renamed(t: Type, names: dict[str, Type]) -> Type:
    if t.is_variable:
        return names[t.head]
    return Type(t.head, tuple(_renamed(a, names) for a in t.args)) if t.args else t


def _variables(typing: Typing) -> set[str]:
    return {v for t in (*typing.holes, typing.result) for v in t.variables()}


@lru_cache(maxsize=100_000)
def _is_simple(t: Type) -> bool:
    """Whether a closed type is not too deep and functions are first-order, of plain values."""
    if t.is_function:
        domain, codomain = t.args
        return not domain.is_function and _is_simple(domain) and _is_simple(codomain)
    return type_depth(t) <= MAX_DEPTH and _is_data(t)


def type_depth(t: Type) -> int:
    """How deep type constructors are nested."""
    return 1 + max(map(type_depth, t.args)) if t.args else 0


def _is_data(t: Type) -> bool:
    """Whether neither functions nor propositions are inside the values of a type."""
    return not t.is_function and t.head != PROPOSITION and all(map(_is_data, t.args))


def uncurried(t: Type) -> tuple[tuple[Type, ...], Type]:
    """Domains and final codomain of a type; no domains when it is not a function type."""
    domains = []
    while t.is_function:
        domains.append(t.args[0])
        t = t.args[1]
    return tuple(domains), t
