"""What kernel expressions say, as far as the machine must know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifier.prover.expression import spine


class Unreadable(Exception):
    """An expression that the machine cannot run."""


def equation_of(type_: Any) -> tuple[int, list[Any], Any]:
    """An equation's number of binders, the arguments of its left side, and its right side."""
    depth = 0
    while type_ is not None and type_[0] == "p":
        depth, type_ = depth + 1, type_[3]
    if type_ is None:
        raise Unreadable("too large")
    head, sides = spine(type_)
    if head[:2] != ["c", "Eq"] or len(sides) != 3:
        raise Unreadable("not an equation")
    return depth, spine(sides[1])[1], sides[2]


def literal(e: Any) -> int | None:
    """The number that a numeral of ``Nat`` is."""
    head, args = spine(e)
    if head[0] == "n":
        return int(head[1])
    if head[:2] == ["c", "OfNat.ofNat"] and len(args) == 3 and is_nat(args[0]):
        return literal(args[1]) if args[1][0] == "n" else None
    return 0 if head[:2] == ["c", "Nat.zero"] else None


def successor_pattern(name: str, args: Sequence[Any]) -> tuple[Any, int] | None:
    """What a number must be larger than: ``Nat.succ n`` or ``n + 2``."""
    if name == "Nat.succ" and len(args) == 1:
        return args[0], 1
    if name == "HAdd.hAdd" and len(args) == 6 and (number := literal(args[5])) is not None:
        return args[4], number
    return None


def is_nat(e: Any) -> bool:
    """Whether an expression is the type ``Nat``."""
    return bool(e[:2] == ["c", "Nat"])


def is_equality(instance: Any) -> bool:
    """Whether an instance of ``BEq`` is known to be equality: a local one is that of ``Nat``."""
    head, _ = spine(instance)
    return head[0] == "v" or head[1:2] in (["instBEqOfDecidableEq"], ["instBEqNat"])


def is_type(type_: Any) -> bool:
    """Whether what has this type is a type or a proposition."""
    while type_ is not None and type_[0] == "p":
        type_ = type_[3]
    return bool(type_ is not None and type_[0] == "s")


def decides_equality(type_: Any) -> int | None:
    """How many arguments a decision of equality takes, the compared two last; else ``None``."""
    count = 0
    while type_ is not None and type_[0] == "p":
        count, type_ = count + 1, type_[3]
    if type_ is None:
        return None
    head, args = spine(type_)
    if head[:2] == ["c", "DecidableEq"]:
        return count + 2
    if head[:2] == ["c", "Decidable"] and args and spine(args[0])[0][:2] == ["c", "Eq"]:
        last = spine(args[0])[1][1:]
        return count if last == [["v", 1], ["v", 0]] else None
    return None


def spine_of(args: Sequence[Any], count: int, name: str) -> Any:
    """The application of a constant to its first arguments."""
    e: Any = ["c", name, []]
    for arg in args[:count]:
        e = ["a", e, arg]
    return e
