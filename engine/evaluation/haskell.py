"""Reads what QuickSpec prints: signatures of functions, and laws in Haskell's syntax.

A term is what remains of Haskell's: names and constructors, application, operators between their
arguments, and operators in parentheses as functions, ``(++) xs``. There are no lambdas, no left or
right sections other than a function's first argument, and no literals but names such as ``0``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from verifier.errors import InputError

Expression: TypeAlias = "str | tuple[Expression, ...]"
"""A name, or a function with its arguments: ``("map", "f", ("++", "xs"))``."""

FIXITY = {
    ".": (9, "right"),
    "*": (7, "left"),
    "+": (6, "left"),
    ":": (5, "right"),
    "++": (5, "right"),
    "&&": (3, "right"),
    "||": (2, "right"),
}
"""Binding strength and side of the operators, as the Haskell report has them."""

ARROW, IMPLIES, EQUALS = "->", "=>", "="
ARROW_STRENGTH = 0
_TOKEN = re.compile(r"\s*(\[\]|[()\[\]]|[\w']+|[^\w\s()\[\]']+)")
_SIGNATURE = re.compile(r"^\s*(?P<name>\S+) :: (?P<type>.+)$")
_LAW = re.compile(r"^\s*(?P<number>\d+)\. (?P<law>.+)$")


@dataclass(frozen=True)
class SourceLaw:
    """A law as it is printed, and read.

    Attributes:
        number: Its number in the file.
        sides: Left and right side; a law that is a truth value alone has one side.
        conditions: The conditions in front of it, in the same form.
    """

    number: int
    text: str
    sides: tuple[Expression, ...]
    conditions: tuple[tuple[Expression, ...], ...] = ()


@dataclass(frozen=True)
class Output:
    """What one run of QuickSpec printed: the type of each function, and the laws."""

    functions: dict[str, Expression]
    laws: tuple[SourceLaw, ...]


def read_output(text: str) -> Output:
    """Reads a file of QuickSpec's.

    Raises:
        InputError: A line under a heading cannot be read.
    """
    functions: dict[str, Expression] = {}
    laws: list[SourceLaw] = []
    heading = ""
    for line in text.splitlines():
        if line.startswith("=="):
            heading = line.strip("= ")
        elif line.strip() and heading == "Functions":
            name, type_ = _signature(line)
            functions[name] = type_
        elif line.strip() and heading == "Laws":
            laws.append(_law(line))
    return Output(functions, tuple(laws))


def read_term(text: str) -> Expression:
    """Reads a term or a type.

    Raises:
        InputError: It is none.
    """
    parser = _Parser(text)
    found = parser.operators(0)
    parser.end()
    return found


def _signature(line: str) -> tuple[str, Expression]:
    match = _SIGNATURE.match(line)
    if match is None:
        raise InputError(f"not the signature of a function: {line.strip()!r}")
    name = match["name"]
    return (name if name == "()" else name.strip("()")), read_term(match["type"])


def _law(line: str) -> SourceLaw:
    match = _LAW.match(line)
    if match is None:
        raise InputError(f"not a law: {line.strip()!r}")
    text = match["law"]
    *conditions, conclusion = text.split(f" {IMPLIES} ")
    return SourceLaw(
        int(match["number"]), text, _sides(conclusion), tuple(_sides(c) for c in conditions)
    )


def _sides(text: str) -> tuple[Expression, ...]:
    return tuple(read_term(side) for side in text.split(f" {EQUALS} "))


class _Parser:
    """Precedence climbing over the tokens of one term or type."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0

    def operators(self, least: int) -> Expression:
        left = self._application()
        while (found := self._fixity()) is not None and found[0] >= least:
            operator = self._next()
            strength, side = found
            right = self.operators(strength + (side == "left"))
            left = (operator, left, right)
        return left

    def end(self) -> None:
        if self._at < len(self._tokens):
            raise self._error()

    def _fixity(self) -> tuple[int, str] | None:
        token = self._peek()
        return (ARROW_STRENGTH, "right") if token == ARROW else FIXITY.get(token)

    def _application(self) -> Expression:
        parts = [self._atom()]
        while self._starts_atom():
            parts.append(self._atom())
        if len(parts) == 1:
            return parts[0]
        return _applied(parts[0], parts[1:])

    def _starts_atom(self) -> bool:
        token = self._peek()
        return token in ("(", "[", "[]") or bool(re.match(r"\w", token))

    def _atom(self) -> Expression:
        token = self._next()
        if token == "(":
            if self._peek() in FIXITY and self._peek(1) == ")":
                operator = self._next()
                self._next()
                return operator
            return self._closed(")")
        if token == "[":
            return ("[]", self._closed("]"))
        if token == "[]" or re.match(r"\w", token):
            return token
        raise self._error()

    def _closed(self, bracket: str) -> Expression:
        inner = self.operators(0)
        if self._next() != bracket:
            raise self._error()
        return inner

    def _peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _error(self) -> InputError:
        return InputError(f"cannot read {self._text!r} at token {self._at}")


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise InputError(f"cannot read {text!r}")
        tokens.append(match[1])
        at = match.end()
    return tokens


def _applied(function: Expression, arguments: list[Expression]) -> Expression:
    """``(f x) y`` is ``f x y``."""
    if isinstance(function, tuple):
        return (*function, *arguments)
    return (function, *arguments)
