"""Tokens of an elaborated statement: what it is about, and how it is built.

What Lean fills in by itself is left out: type arguments, instances, the chain of classes below an
operator. ``@HAdd.hAdd Nat Nat Nat inst a b`` is ``+(_,_)``, as it is in a text. The use of a
constant does not say which of its arguments are implicit, so they are told by what they are: a
sort, a type, a type variable, an instance. Only what is compared for likeness rests on it.

The vocabulary is that of :mod:`engine.retrieval.shape`, which reads texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Final

from engine.retrieval.notation import (
    CLASSES,
    NOTATION,
    RELATIONS,
    VARIABLE,
    Seen,
    applied,
    number,
    placed,
    symbol_of,
    symbol_tokens,
)
from verifier.prover.expression import Expression, spine

_INSTANCE_BINDER: Final = 3  # the style of ``[inst : Class α]``
_DEEPEST: Final = 48  # arguments within arguments; what lies deeper is not looked at
_LARGEST: Final = 3_000  # subterms

# Constants with written-out arguments that do not look like terms, and the places of those.
_PLACES: Final = {
    "Eq": (1, 2), "Ne": (1, 2), "HEq": (1, 3), "Exists": (1,), "ite": (1, 3, 4),
    "dite": (1, 3, 4), "And": (0, 1), "Or": (0, 1), "Not": (0,), "Iff": (0, 1),
    "GetElem.getElem": (5, 6), "GetElem?.getElem?": (5, 6), "GetElem?.getElem!": (6, 7),
    "Membership.mem": (4, 3), "List.Perm": (1, 2), "List.Sublist": (1, 2),
    "List.IsPrefix": (1, 2), "List.IsSuffix": (1, 2), "List.IsInfix": (1, 2),
}  # fmt: skip

# Constants that say nothing, and the place of the argument that they are about.
_TRANSPARENT: Final = {
    "outParam": 0, "optParam": 0, "autoParam": 0, "Decidable.decide": 0, "id": 1, "Id.run": 1,
}  # fmt: skip
_INSTANCE_NAME: Final = re.compile(r"(?:^|\.)(?:inst|dec(?:Eq|Lt|Le|idable))|[a-z]Inst(?:[A-Z]|$)")
_FORGETFUL_NAME: Final = re.compile(r"\.to[A-Z]\w*$")
_TYPE_NAME: Final = re.compile(r"(?:^|\.)[A-Z][^.]*$")


class _Kind(IntEnum):
    """What a constant or a bound variable is, as far as can be told."""

    TERM = 0
    TYPE = 1
    INSTANCE = 2
    FORGETFUL = 3  # ``Monad.toApplicative`` (an instance) or ``Int.toNat`` (a term)


def statement_features(type_: Expression | None) -> tuple[str, ...]:
    """Tokens of a statement, with repetition; names of variables do not matter.

    Args:
        type_: A closed kernel expression; constants with or without universe levels.

    Returns:
        ``symbol append``: a constant's notation or the last component of its name;
        ``name List.append``: all of a qualified name; ``typed +:Nat``: an operator with its type;
        ``shape +(_,*)``: a head with the heads of its written-out arguments. Then, for the place
        in the statement, ``conclusion …`` and ``hypothesis …`` before a symbol or the outermost
        shape, ``argument List`` and ``class BEq``. Empty for ``None``.
    """
    return tuple(_Reader().statement(type_)) if type_ is not None else ()


class _Reader:
    """Reads one statement."""

    def __init__(self) -> None:
        self._kinds: list[_Kind] = []  # of the bound variables, outermost first
        self._used: set[int] = set()
        self._tokens: list[str] = []
        self._budget = _LARGEST

    def statement(self, type_: Expression) -> list[str]:
        """All tokens of a statement."""
        arguments: list[tuple[Seen, list[str]]] = []
        while type_[0] == "p":
            arguments.append(self._part(type_[2]))
            self._kinds.append(self._kind_of_variable(type_[2], type_[4]))
            type_ = type_[3]
        seen, tokens = self._part(type_)
        tokens += placed("conclusion", seen, tokens)
        for place, (seen, found) in enumerate(arguments):
            tokens += found
            tokens += self._role(place, seen, found)
        return tokens

    def _part(self, type_: Expression) -> tuple[Seen, list[str]]:
        self._tokens = []
        return self._read(type_, 0), self._tokens

    def _role(self, place: int, seen: Seen, tokens: Sequence[str]) -> list[str]:
        """What an argument is; one that nothing mentions is a hypothesis."""
        kind = self._kinds[place]
        if kind == _Kind.TYPE:
            return []
        if kind == _Kind.INSTANCE:
            return [f"class {seen.head}"]
        if seen.head in RELATIONS or place not in self._used:
            return placed("hypothesis", seen, tokens)
        return [f"argument {seen.head}"]

    def _read(self, expression: Expression, depth: int) -> Seen:
        """What a term looks like; adds the tokens of its parts and its own."""
        self._budget -= 1
        if self._budget < 0 or depth > _DEEPEST:
            return VARIABLE
        kind = expression[0]
        if kind == "v":
            self._used.add(len(self._kinds) - 1 - expression[1])
            return VARIABLE
        if kind == "c" or kind == "a":
            return self._application(expression, depth)
        if kind == "l" or kind == "p":
            return self._binder(expression, depth)
        if kind == "n":
            return number(str(expression[1]))
        if kind == "let":
            return self._read(expression[3], depth + 1)
        if kind == "proj":
            return applied(
                f".{expression[2]}", [self._read(expression[3], depth + 1)], self._tokens
            )
        return _SORTS.get(kind, VARIABLE)

    def _application(self, expression: Expression, depth: int) -> Seen:
        head, given = spine(expression)
        if head[0] != "c":
            function = self._read(head, depth + 1)
            arguments = [self._read(part, depth + 1) for part in given]
            return applied(function.head, arguments, []) if function.head != "_" else VARIABLE
        name = head[1]
        if name == "OfNat.ofNat" and len(given) > 1:
            return self._read(given[1], depth + 1)
        if _TRANSPARENT.get(name, len(given)) < len(given):
            return self._read(given[_TRANSPARENT[name]], depth + 1)
        self._tokens += symbol_tokens(name)
        if given and name in NOTATION and (type_ := _type_of_use(given[0])):
            self._tokens.append(f"typed {symbol_of(name)}:{symbol_of(type_)}")
        written = self._written_out(name, given)
        arguments = [self._read(part, depth + 1) for part in written]
        return applied(symbol_of(name), arguments, self._tokens)

    def _written_out(self, name: str, given: list[Expression]) -> list[Expression]:
        places = _PLACES.get(name)
        if places is not None:
            return [given[place] for place in places if place < len(given)]
        if _kind_of_constant(name) == _Kind.TYPE:
            return [part for part in given if self._kind(part) != _Kind.INSTANCE]
        return [part for part in given if self._kind(part) == _Kind.TERM]

    def _binder(self, expression: Expression, depth: int) -> Seen:
        kind, _, type_, body, *style = expression
        domain = self._read(type_, depth + 1) if kind == "p" else VARIABLE
        self._kinds.append(self._kind_of_variable(type_, style[0] if style else 0))
        seen = self._read(body, depth + 1)
        self._kinds.pop()
        if kind == "l":
            return applied("λ", [seen], self._tokens)
        return applied("→", [domain, seen], self._tokens)

    def _kind(self, expression: Expression) -> _Kind:
        """Whether an argument is a type or an instance, which Lean fills in by itself."""
        while expression[0] == "l":
            expression = expression[3]
            # The variables of a lambda are terms for all that matters here.
            if expression[0] == "v":
                return _Kind.TERM
        if expression[0] in ("s", "p"):
            return _Kind.TYPE
        head, given = spine(expression)
        if head[0] == "v":
            place = len(self._kinds) - 1 - head[1]
            return self._kinds[place] if 0 <= place < len(self._kinds) else _Kind.TERM
        if head[0] != "c":
            return _Kind.TERM
        kind = _kind_of_constant(head[1])
        if kind == _Kind.FORGETFUL:
            return self._kind(given[-1]) if given else _Kind.TERM
        return kind

    def _kind_of_variable(self, type_: Expression, style: int) -> _Kind:
        if style == _INSTANCE_BINDER:
            return _Kind.INSTANCE
        while type_[0] == "p":
            type_ = type_[3]
        head, given = spine(type_)
        if head[0] == "c" and head[1] in _TRANSPARENT and given:
            head, _ = spine(given[0])
        if head[0] == "c" and symbol_of(head[1]) in CLASSES:
            return _Kind.INSTANCE
        return _Kind.TYPE if head[0] == "s" and head[1] != ["0"] else _Kind.TERM


_SORTS: Final = {"s": Seen("Type", "Type"), "t": Seen("text", "text")}


@lru_cache(maxsize=100_000)
def _kind_of_constant(name: str) -> _Kind:
    if name in NOTATION:
        return _Kind.TERM
    if _INSTANCE_NAME.search(name):
        return _Kind.INSTANCE
    if _TYPE_NAME.search(name):
        return _Kind.TYPE
    return _Kind.FORGETFUL if _FORGETFUL_NAME.search(name) else _Kind.TERM


def _type_of_use(expression: Expression) -> str | None:
    """The constant that heads the type which an operator is used at."""
    head, _ = spine(expression)
    return str(head[1]) if head[0] == "c" and head[1] not in NOTATION else None
