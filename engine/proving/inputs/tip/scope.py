"""What the symbols of a TIP problem mean in Lean."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.proving.inputs.tip.names import type_variable
from engine.proving.inputs.tip.sexpr import Sexpr, show
from verifier.errors import InputError


@dataclass(frozen=True)
class Signature:
    """The head of a function.

    ``decides``: it computes with the equality of its type variables. ``orders``: the classes of
    orders on them that it compares by, ``LE`` and ``LT``.
    """

    name: str
    type_variables: tuple[str, ...]
    parameters: tuple[tuple[str, Sexpr], ...]
    result: Sexpr
    decides: bool = False
    orders: tuple[str, ...] = ()


@dataclass(frozen=True)
class Constructor:
    """A constructor: its full Lean name, its type and that type's parameters, its fields.

    ``symbols``: what the problem calls the parameters. ``fields``: types, in its words as well.
    """

    name: str
    owner: str
    type_variables: tuple[str, ...]
    selectors: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    fields: tuple[Sexpr, ...] = ()


@dataclass
class Scope:
    """What symbols mean: types, constructors, functions, and variables of terms."""

    types: dict[str, str] = field(default_factory=dict)
    constructors: dict[str, Constructor] = field(default_factory=dict)
    selectors: dict[str, Constructor] = field(default_factory=dict)
    families: dict[str, list[Constructor]] = field(default_factory=dict)
    functions: dict[str, Signature] = field(default_factory=dict)


def lean_type(scope: Scope, type_: Sexpr, atom: bool = False) -> str:
    """A type as Lean text, in parentheses if it must be an atom."""
    match type_:
        case "Bool" | "Int" if type_ not in scope.types:
            return type_
        case "Real":
            raise InputError("no translation of real numbers")
        case str():
            return scope.types.get(type_) or type_variable(type_)
        case ("=>", *parts):
            said = [lean_type(scope, p, atom=True) for p in parts]
            return f"({' → '.join(said)})"
        case (str(head), *arguments):
            if head not in scope.types:
                raise InputError(f"no translation of the type {show(type_)}")
            said = [lean_type(scope, a, atom=True) for a in arguments]
            text = " ".join((scope.types[head], *said))
            return f"({text})" if atom and said else text
    raise InputError(f"no translation of the type {show(type_)}")
