"""Kernel expressions as Lean text in which nothing is left for Lean to guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.prover.expression import Expression, parts, spine

LEVEL_ONE = ["+", ["0"]]


def expression_text(expression: Expression, bound: tuple[str, ...] = ()) -> str:
    """A closed expression as an atom of Lean text.

    Args:
        expression: As JSON (``session/expr.js``).
        bound: Names of the binders around it, the innermost first.
    """
    match expression:
        case ["v", int(index)]:
            return bound[index]
        case ["c", name, levels]:
            universes = f".{{{', '.join(map(level_text, levels))}}}" if levels else ""
            return f"@{name}{universes}"
        case ["s", level]:
            return f"(Sort {level_text(level)})"
        case ["n", digits]:
            return str(digits)
        case ["t", text]:
            return quoted(text)
        case ["l", _, type_, body, *_]:
            name = f"x{len(bound)}"
            inner = expression_text(body, (name, *bound))
            return f"(fun ({name} : {expression_text(type_, bound)}) => {inner})"
        case ["p", _, type_, body, *_]:
            name = f"x{len(bound)}"
            inner = expression_text(body, (name, *bound))
            return f"(({name} : {expression_text(type_, bound)}) → {inner})"
        case ["let", _, type_, value, body]:
            name = f"x{len(bound)}"
            said = f"{expression_text(type_, bound)} := {expression_text(value, bound)}"
            return f"(let {name} : {said}; {expression_text(body, (name, *bound))})"
        case ["proj", structure, index, inner]:
            return f"({expression_text(inner, bound)} : {structure} ..).{index + 1}"
    head, arguments = spine(expression)
    return f"({' '.join(expression_text(x, bound) for x in (head, *arguments))})"


def level_text(level: Any) -> str:
    """A universe level as an atom of Lean text."""
    match level:
        case ["0"]:
            return "0"
        case ["+", below]:
            return f"({level_text(below)}+1)"
        case ["max" | "imax" as function, one, other]:
            return f"({function} {level_text(one)} {level_text(other)})"
        case ["u", name]:
            return str(name)
    return "_"


def quoted(text: str) -> str:
    """A string literal."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return f'"{"".join(escapes.get(c, c) for c in text)}"'


def at_levels(expression: Expression, levels: Mapping[str, Any]) -> Expression:
    """An expression with levels in place of universe parameters."""
    if expression[0] == "c":
        return ["c", expression[1], [_level_at(x, levels) for x in expression[2]]]
    if expression[0] == "s":
        return ["s", _level_at(expression[1], levels)]
    return _with_parts(expression, lambda part, _: at_levels(part, levels))


def instantiate(body: Expression, value: Expression, depth: int = 0) -> Expression:
    """The body of a binder with a closed expression for its variable."""
    if body[0] == "v":
        if body[1] == depth:
            return value
        return ["v", body[1] - 1] if body[1] > depth else body
    return _with_parts(body, lambda part, under: instantiate(part, value, depth + under))


def _with_parts(expression: Expression, change: Any) -> Expression:
    below = parts(expression)
    if not below:
        return expression
    new = list(expression)
    at = 0
    for part, under in below:
        at = next(i for i in range(at + 1, len(new)) if expression[i] is part)
        new[at] = change(part, under)
    return new


def _level_at(level: Any, levels: Mapping[str, Any]) -> Any:
    if level[0] == "u":
        return levels.get(level[1], level)
    return [level[0], *(_level_at(x, levels) for x in level[1:])]
