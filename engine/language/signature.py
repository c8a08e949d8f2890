"""From Lean's elaborated types to symbols and laws, where they fit into the language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.language.core import NOTATIONS
from engine.language.term import (
    Constraint,
    Law,
    Symbol,
    Term,
    Type,
    function_type,
    type_variable,
)
from verifier.lean import Declaration

TEST_TYPE = "Nat"
"""Type variables are tested at this type: it has many values and decidable equality."""

INSTANCE_IMPLICIT = 3
EXPLICIT = 0


class OutOfFragment(Exception):
    """An expression has no counterpart in the language."""


@dataclass(frozen=True)
class _Binder:
    """A bound variable of a type: what role it plays, and its name in the language."""

    role: str  # "type", "instance", "value"
    name: str


def spine(expression: Any) -> tuple[Any, list[Any]]:
    """Head and arguments of an application."""
    args = []
    while expression[0] == "a":
        args.append(expression[2])
        expression = expression[1]
    return expression, args[::-1]


def read_symbol(declaration: Declaration, text: str) -> Symbol | None:
    """The symbol for a definition or constructor, or ``None`` when its type does not fit.

    Args:
        declaration: From Lean.
        text: How the constant is written in the scope of the theory.
    """
    try:
        return _Reader({}).symbol(declaration, text)
    except OutOfFragment:
        return None


def read_law(type_: Any, symbols: Mapping[str, Symbol]) -> Law | None:
    """The law that a theorem states, or ``None`` when it is no equation between terms.

    Args:
        type_: The theorem's type as JSON.
        symbols: Known symbols by Lean name.
    """
    try:
        return _Reader(symbols).law(type_)
    except OutOfFragment:
        return None


class _Reader:
    def __init__(self, symbols: Mapping[str, Symbol]) -> None:
        self._symbols = symbols
        self._binders: list[_Binder] = []
        self._used: set[str] = set()

    def symbol(self, declaration: Declaration, text: str) -> Symbol:
        constraints: list[Constraint] = []
        params: list[Type] = []
        closed = [f"@{declaration.name}"]
        body = declaration.type
        while body is not None and body[0] == "p":
            _, name, domain, rest, info = body
            if domain[0] == "s":
                self._bind("type", name)
                closed.append(TEST_TYPE)
            elif info == INSTANCE_IMPLICIT:
                constraints.append(self._constraint(domain))
                self._bind("instance", name)
                closed.append("_")
            elif info == EXPLICIT:
                params.append(self.type(domain))
                self._bind("value", name)
            else:
                raise OutOfFragment("implicit values")
            body = rest
        if body is None:
            raise OutOfFragment("too large")
        return Symbol(
            name=declaration.name,
            params=tuple(params),
            result=self.type(body),
            text=text,
            closed=" ".join(closed),
            constraints=tuple(constraints),
            is_constructor=declaration.kind == "constructor",
        )

    def law(self, body: Any) -> Law:
        types: list[tuple[str, Type]] = []
        while body is not None and body[0] == "p":
            _, name, domain, rest, info = body
            if domain[0] == "s" and domain[1] != ["0"]:
                self._bind("type", name)
            elif info == INSTANCE_IMPLICIT:
                self._bind("instance", name)
            else:
                type_ = self.type(domain)
                self._bind("value", name)
                types.append((self._binders[-1].name, type_))
            body = rest
        head, args = spine(body) if body is not None else (["?"], [])
        if head[:2] != ["c", "Eq"] or len(args) != 3:
            raise OutOfFragment("not an equation")
        return Law(self.term(args[1]), self.term(args[2]), tuple(types))

    def _bind(self, role: str, name: str) -> None:
        """Adds a binder under a name that is new; Lean's hygienic names are shortened."""
        base = name.split(".")[0].strip("«»_@") or "x"
        fresh, number = base, 1
        while fresh in self._used:
            number += 1
            fresh = f"{base}{number}"
        self._used.add(fresh)
        self._binders.append(_Binder(role, fresh))

    def _bound(self, index: int) -> _Binder:
        if index >= len(self._binders):
            raise OutOfFragment("a bound variable of an inner binder")
        return self._binders[-1 - index]

    def _constraint(self, domain: Any) -> Constraint:
        head, args = spine(domain)
        if head[0] != "c" or len(args) != 1:
            raise OutOfFragment("a class with other than one argument")
        return Constraint(head[1], self.type(args[0]))

    def type(self, expression: Any) -> Type:
        if expression[0] == "p":
            domain = self.type(expression[2])
            self._binders.append(_Binder("value", ""))
            codomain = self.type(expression[3])
            self._binders.pop()
            return function_type(domain, codomain)
        head, args = spine(expression)
        if head[0] == "v":
            binder = self._bound(head[1])
            if binder.role != "type" or args:
                raise OutOfFragment("a type that depends on a value")
            return type_variable(binder.name)
        if head[0] != "c":
            raise OutOfFragment("not a simple type")
        return Type(head[1], tuple(self.type(a) for a in args))

    def term(self, expression: Any) -> Term:
        head, args = spine(expression)
        if head[0] == "v":
            binder = self._bound(head[1])
            if binder.role != "value":
                raise OutOfFragment("a type as a term")
            return Term(binder.name, tuple(self.term(a) for a in args))
        if head[0] == "n":
            return self._numeral(TEST_TYPE, head[1])
        if head[0] != "c":
            raise OutOfFragment("not a simple term")
        if numeral := _numeral(head[1], args):
            return self._numeral(*numeral)
        if notation := _notation(head[1], args):
            name, operands = notation
            return self._known(name, operands)
        return self._known(head[1], args)

    def _numeral(self, type_: str, digits: str) -> Term:
        return Term(
            Symbol(
                name=f"{type_} {digits}",
                params=(),
                result=Type(type_),
                text=digits,
                closed=f"({digits} : {type_})",
                is_background=True,
            )
        )

    def _known(self, name: str, args: Sequence[Any]) -> Term:
        symbol = self._symbols.get(name)
        if symbol is None:
            raise OutOfFragment(f"the constant {name}")
        skip = symbol.closed.count(" ") if symbol.closed.startswith("@") else 0
        return Term(symbol, tuple(self.term(a) for a in args[skip:]))


def _numeral(head: str, args: Sequence[Any]) -> tuple[str, str] | None:
    """Type and digits of ``OfNat.ofNat Nat 3 inst``."""
    if head != "OfNat.ofNat" or len(args) != 3 or args[1][0] != "n" or args[0][0] != "c":
        return None
    return args[0][1], args[1][1]


def _notation(head: str, args: Sequence[Any]) -> tuple[str, Sequence[Any]] | None:
    """A class method at a core type, ``HAdd.hAdd Nat Nat Nat inst a b``, as symbol and operands."""
    if head in NOTATIONS and len(args) == 6 and args[0][0] == "c":
        return f"{head} {args[0][1]}", args[4:]
    return None
