"""Functions of core that the machine computes itself, on numbered values."""

from __future__ import annotations

import operator
from collections.abc import Callable

from engine.language.machine.values import NUMBER, Values

ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": lambda a, b: max(0, a - b),
    "mul": operator.mul,
    "div": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else a,
    "pow": lambda a, b: a**b if b < 64 else 0,
    "max": max,
    "min": min,
}
"""Of natural numbers, as Lean defines them for all arguments."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "ble": operator.le,
    "blt": operator.lt,
    "beq": operator.eq,
}

CLASS_METHODS = {
    "HAdd.hAdd": ("add", 6),
    "HSub.hSub": ("sub", 6),
    "HMul.hMul": ("mul", 6),
    "HDiv.hDiv": ("div", 6),
    "HMod.hMod": ("mod", 6),
    "Max.max": ("max", 4),
    "Min.min": ("min", 4),
}
"""Class methods that are arithmetic when their type is ``Nat``, with all their arguments."""

ORDERS: dict[str, Callable[[int, int], bool]] = {
    "LE.le": operator.le,
    "LT.lt": operator.lt,
    "GE.ge": operator.ge,
    "GT.gt": operator.gt,
}
"""Relations of four arguments that compare natural numbers."""


def arithmetic(values: Values, name: str) -> Callable[[int, int], int]:
    """An operation on numbered naturals."""
    operation = ARITHMETIC[name]
    return lambda a, b: values.natural(operation(natural(values, a), natural(values, b)))


def comparison(values: Values, operation: Callable[[int, int], bool]) -> Callable[[int, int], int]:
    """A comparison of numbered naturals, as a Boolean."""
    return lambda a, b: values.boolean(operation(natural(values, a), natural(values, b)))


def natural(values: Values, number: int) -> int:
    """The natural number that a value is.

    Raises:
        TypeError: It is none.
    """
    node = values.nodes[number]
    if node[0] != NUMBER:
        raise TypeError("not a natural number")
    return int(node[1])
