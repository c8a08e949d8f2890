"""A corpus of algebraic laws over several types, large enough for the SVD."""

from __future__ import annotations

import pytest

from engine.model import Label, MethodNode, NodeKind

LAWS = {
    "comm": "(a b : {T}) : {f} a b = {f} b a",
    "assoc": "(a b c : {T}) : {f} ({f} a b) c = {f} a ({f} b c)",
    "unit": "(a : {T}) : {f} a (unit{T}) = a",
    "idem": "(a : {T}) : {f} a a = a",
    "size": "(a b : {T}) : size ({f} a b) = plus (size a) (size b)",
}


def law(function: str, name: str) -> MethodNode:
    type_ = function.partition("_")[2] or "Nat"
    return MethodNode(
        id=f"M:{function}_{name}",
        kind=NodeKind.THEOREM,
        name=f"{function}_{name}",
        statement=LAWS[name].format(f=function, T=type_),
        label=Label.VERIFIED,
        symbols=(f"Theory.{function}",),
    )


@pytest.fixture(scope="session")
def laws() -> list[MethodNode]:
    functions = [
        f"{verb}_{type_}" for verb in ("add", "mul", "join") for type_ in ("Nat", "List", "Tree")
    ]
    return [law(function, name) for function in functions for name in LAWS]
