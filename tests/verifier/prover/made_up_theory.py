"""A theory as the prover sees it, without a Lean: expressions and declarations by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifier.lean import Declaration, Environment, StatementFacts

BASE = Environment(("Init",))
THEORY = BASE.extended("a theory")
HIDDEN = "a.«_@».internal._hyg.0"


def const(name: str) -> Any:
    return ["c", name, []]


def app(function: str | Any, *arguments: Any) -> Any:
    expression = const(function) if isinstance(function, str) else function
    for argument in arguments:
        expression = ["a", expression, argument]
    return expression


def var(index: int) -> Any:
    return ["v", index]


def forall(name: str, type_: Any, body: Any, info: int = 0) -> Any:
    return ["p", name, type_, body, info]


def eq(type_: Any, left: Any, right: Any) -> Any:
    return app("Eq", type_, left, right)


def declaration(name: str, kind: Any, type_: Any = None, **facts: Any) -> Declaration:
    values = {
        "name": name,
        "kind": kind,
        "safety": "safe",
        "internal": False,
        "reserved": False,
        "levelParams": (),
        "type": type_ if type_ is not None else ["s", ["+", ["0"]]],
        "typeConstants": (),
        "valueConstants": (),
        "axioms": (),
        "unsafe": (),
    }
    return Declaration.model_validate(values | facts)


N = const("T.N")
PROP = ["s", ["0"]]
BINARY = forall("m", N, forall("n", N, N))


def matcher(alternatives: int) -> Any:
    """The type of a `match` on one number: motive, number, alternatives."""
    type_ = app(var(alternatives + 1), var(alternatives))
    for at in range(alternatives):
        type_ = forall("h", app(var(alternatives - at), const("T.N.zero")), type_)
    return forall("motive", forall("n", N, ["s", ["u", "u"]]), forall("x", N, type_))


DECLARATIONS = {
    d.name: d
    for d in (
        declaration("T.N", "inductive", constructors=("T.N.zero", "T.N.succ"), parameters=0),
        declaration("T.N.zero", "constructor", N, inductive="T.N", parameters=0, fields=0),
        declaration(
            "T.N.succ", "constructor", forall(HIDDEN, N, N), inductive="T.N", parameters=0, fields=1
        ),
        declaration(
            "T.add",
            "definition",
            BINARY,
            valueConstants=("T.N", "T.N.brecOn", "T.add.match_1"),
        ),
        declaration("T.add.match_1", "definition", matcher(2), internal=True),
        declaration(
            "T.le",
            "definition",
            BINARY,
            valueConstants=("T.N.brecOn", "T.le.match_1"),
        ),
        declaration("T.le.match_1", "definition", matcher(3), internal=True),
        declaration("T.twice", "definition", forall("n", N, N), valueConstants=("T.add",)),
        declaration("T.N.brecOn", "definition", valueConstants=("T.N.rec",)),
        declaration("T.Even", "inductive", forall("n", N, PROP), constructors=(), parameters=0),
        declaration("Eq", "inductive", forall("a", N, forall("b", N, PROP)), parameters=2),
    )
}


class MadeUpLean:
    """Describes the declarations above; the core library has equality only."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def declarations(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[Declaration | None, ...]:
        self.asked += names
        if environment == BASE:
            return tuple(DECLARATIONS[n] if n == "Eq" else None for n in names)
        return tuple(DECLARATIONS.get(n) for n in names)


def facts(type_: Any, kinds: tuple[str, ...] = ()) -> StatementFacts:
    return StatementFacts(fault=None, name="T.law", type=type_, kinds=kinds, statement=1)
