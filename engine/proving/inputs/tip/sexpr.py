"""S-expressions: nested tuples of symbols."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from verifier.errors import InputError

Sexpr: TypeAlias = "str | tuple[Sexpr, ...]"

TOKEN = re.compile(r"\s+|;[^\n]*|(?P<paren>[()])|\|(?P<quoted>[^|]*)\||(?P<symbol>[^\s()|;\"]+)")


def read(text: str) -> tuple[Sexpr, ...]:
    """All expressions of a text.

    Raises:
        InputError: A parenthesis is missing, or there is a character that begins nothing.
    """
    stack: list[list[Sexpr]] = [[]]
    at = 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise InputError(f"line {_line(text, at)}: unexpected {text[at]!r}")
        if token["paren"] == "(":
            stack.append([])
        elif token["paren"] == ")":
            if len(stack) == 1:
                raise InputError(f"line {_line(text, at)}: a parenthesis closes nothing")
            done = tuple(stack.pop())
            stack[-1].append(done)
        elif (
            symbol := token["quoted"] if token["quoted"] is not None else token["symbol"]
        ) is not None:
            stack[-1].append(symbol)
        at = token.end()
    if len(stack) > 1:
        raise InputError(f"{len(stack) - 1} parentheses are not closed")
    return tuple(stack[0])


def show(expression: Sexpr, width: int = 60) -> str:
    """An expression for a message, cut where it is too long."""
    text = expression if isinstance(expression, str) else f"({' '.join(map(show, expression))})"
    return text if len(text) <= width else f"{text[: width - 1]}…"


def symbol_of(expression: Sexpr) -> str:
    """The symbol that an expression must be."""
    if not isinstance(expression, str):
        raise InputError(f"expected a symbol, not {show(expression)}")
    return expression


def first(expression: Sexpr) -> Sexpr:
    """The head of a list, or a symbol itself."""
    return expression[0] if isinstance(expression, tuple) and expression else expression


def two(expression: Sexpr) -> tuple[Sexpr, Sexpr]:
    """The parts of a pair."""
    if not isinstance(expression, tuple) or len(expression) != 2:
        raise InputError(f"expected two parts in {show(expression)}")
    return expression[0], expression[1]


def pair(expression: Sexpr) -> tuple[str, Sexpr]:
    """A symbol and what stands behind it, such as a variable and its type."""
    name, value = two(expression)
    return symbol_of(name), value


def symbols(expression: Sexpr) -> Iterator[str]:
    """All symbols in an expression."""
    if isinstance(expression, str):
        yield expression
    else:
        for part in expression:
            yield from symbols(part)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
