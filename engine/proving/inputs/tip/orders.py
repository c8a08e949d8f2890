"""Functions that compare values of a type variable need an order on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.proving.inputs.tip.names import type_variable
from engine.proving.inputs.tip.scope import Scope, Signature
from engine.proving.inputs.tip.sexpr import Sexpr, pair, symbols, two

CLASSES = {"<=": "LE", ">=": "LE", "<": "LT", ">": "LT"}


def orders_of(scope: Scope, group: Sequence[tuple[Signature, Sexpr]]) -> tuple[str, ...]:
    """The classes by which functions, or those that they call, compare values of type variables."""
    found: set[str] = set()
    for signature, body in group:
        if not signature.type_variables:
            continue
        types = dict(signature.parameters)
        variables = set(signature.type_variables)
        found |= set(_compared(scope, types, body, variables))
        for symbol in symbols(body):
            if symbol in scope.functions:
                found |= set(scope.functions[symbol].orders)
    return tuple(sorted(found))


def instances(orders: Sequence[str]) -> tuple[str, ...]:
    """The classes with what it takes to compute with them."""
    return tuple(c for o in orders for c in (o, f"Decidable{o}"))


def head_text(signature: Signature) -> str:
    """The beginning of a definition, up to its type variables and what it knows of them."""
    classes = (*(["DecidableEq"] if signature.decides else []), *instances(signature.orders))
    types = "".join(f" {{{v} : Type}}" for v in signature.type_variables)
    types += "".join(f" [{c} {v}]" for c in classes for v in signature.type_variables)
    return f"def {signature.name}{types}"


def _compared(
    scope: Scope, types: Mapping[str, Sexpr], body: Sexpr, variables: set[str]
) -> Iterator[str]:
    """Classes of the comparisons whose sides are of a type variable."""
    if isinstance(body, str):
        return
    match body:
        case (str(sign), left, right) if sign in CLASSES:
            sides = (_type_of(scope, types, side) for side in (left, right))
            if any(isinstance(t, str) and type_variable(t) in variables for t in sides):
                yield CLASSES[sign]
        case ("match", scrutinee, tuple(branches)):
            type_ = _type_of(scope, types, scrutinee)
            for branch in branches:
                pattern, inner = two(branch)
                bound = {**types, **_fields(scope, type_, pattern)}
                yield from _compared(scope, bound, inner, variables)
            return
        case ("let", tuple(bindings), inner):
            pairs = [pair(b) for b in bindings]
            bound = {**types, **{n: _type_of(scope, types, v) for n, v in pairs}}
            yield from _compared(scope, bound, inner, variables)
    for part in body:
        yield from _compared(scope, types, part, variables)


def _type_of(scope: Scope, types: Mapping[str, Sexpr], expression: Sexpr) -> Sexpr:
    """The type of an expression as far as it is plain to see, else nothing."""
    match expression:
        case str():
            return types.get(expression, ())
        case ("ite", _, yes, no):
            return _type_of(scope, types, yes) or _type_of(scope, types, no)
        case ("let", tuple(bindings), inner):
            pairs = [pair(b) for b in bindings]
            bound = {**types, **{n: _type_of(scope, types, v) for n, v in pairs}}
            return _type_of(scope, bound, inner)
    return ()


def _fields(scope: Scope, type_: Sexpr, pattern: Sexpr) -> dict[str, Sexpr]:
    """Types of the variables of a pattern for values of a type."""
    if isinstance(pattern, str) or not isinstance(type_, tuple):
        return {}
    head, *names = pattern
    constructor = scope.constructors.get(head) if isinstance(head, str) else None
    if constructor is None or len(constructor.symbols) != len(type_) - 1:
        return {}
    at = dict(zip(constructor.symbols, type_[1:], strict=True))
    fields = [_instance(field, at) for field in constructor.fields]
    return {n: f for n, f in zip(names, fields, strict=False) if isinstance(n, str)}


def _instance(type_: Sexpr, at: Mapping[str, Sexpr]) -> Sexpr:
    if isinstance(type_, str):
        return at.get(type_, type_)
    return tuple(_instance(part, at) for part in type_)
