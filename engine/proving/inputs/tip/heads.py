"""The heads of TIP declarations, plain and polymorphic, in the forms that the format has had."""

from __future__ import annotations

from dataclasses import replace

from engine.proving.inputs.tip.names import type_variable
from engine.proving.inputs.tip.scope import Signature
from engine.proving.inputs.tip.sexpr import Sexpr, pair, show, symbol_of
from verifier.errors import InputError


def head_and_body(rest: tuple[Sexpr, ...]) -> tuple[Signature, Sexpr]:
    """Head and body of ``name parameters result body`` and its polymorphic forms."""
    match rest:
        case (("par", tuple(variables), tuple(inner)),):
            signature, body = head_and_body(inner)
            return replace(signature, type_variables=_variables(variables)), body
        case (str(name), ("par", *_) as result, body):
            return signature_of((name, result)), body
        case (str(name), result, body):  # define-const
            return Signature(name, (), (), result), body
        case (*head, body):
            return signature_of(tuple(head)), body
    raise InputError(f"no translation of {show(rest)}")


def signature_of(head: tuple[Sexpr, ...]) -> Signature:
    """A head such as ``name parameters result``."""
    match head:
        case ("par", tuple(variables), tuple(inner)):
            return replace(signature_of(inner), type_variables=_variables(variables))
        case (str(name), ("par", tuple(variables), (tuple(parameters), result))):
            return Signature(name, _variables(variables), tuple(map(pair, parameters)), result)
        case (str(name), tuple(parameters), result):
            return Signature(name, (), tuple(map(pair, parameters)), result)
    raise InputError(f"no translation of {show(head)}")


def parametric(body: Sexpr) -> tuple[tuple[str, ...], tuple[Sexpr, ...]]:
    """Type variables and constructors of a datatype."""
    match body:
        case ("par", tuple(variables), tuple(cases)):
            return tuple(map(symbol_of, variables)), cases
        case tuple():
            return (), body
    raise InputError(f"no translation of {show(body)}")


def parametric_formula(formula: Sexpr) -> tuple[tuple[str, ...], Sexpr]:
    """Type variables of a formula, and what holds for all of them."""
    match formula:
        case ("par", tuple(variables), inner):
            return tuple(map(symbol_of, variables)), inner
    return (), formula


def _variables(symbols: tuple[Sexpr, ...]) -> tuple[str, ...]:
    return tuple(type_variable(symbol_of(s)) for s in symbols)
