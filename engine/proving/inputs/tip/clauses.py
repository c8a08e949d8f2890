"""Functions by equations: matches on parameters become patterns.

``match x with | S z => match y with …`` and ``| S z, cons …`` compute the same, but only the second
form gives Lean an equation and an induction principle that follow the function's own cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.proving.inputs.tip.names import lean_name
from engine.proving.inputs.tip.scope import Constructor, Scope
from engine.proving.inputs.tip.sexpr import Sexpr, symbol_of, two
from verifier.errors import InputError

Pattern: TypeAlias = "str | tuple[Pattern, ...]"
"""A variable, or a constructor with patterns for its arguments."""

BOOLEANS = ("true", "false")
MANY = 200


@dataclass(frozen=True)
class Clause:
    """An equation: patterns for the parameters, what variables stand for, the right side."""

    patterns: tuple[Pattern, ...]
    variables: Mapping[str, Pattern]
    body: Sexpr


def clauses(scope: Scope, parameters: tuple[str, ...], body: Sexpr) -> list[Clause]:
    """The equations of a function; a single one when it matches on no parameter.

    Raises:
        InputError: There are too many.
    """
    names = tuple(map(lean_name, parameters))
    start = Clause(names, dict(zip(parameters, names, strict=True)), body)
    found = []
    for clause in _split(scope, start):
        found.append(clause)
        if len(found) > MANY:
            raise InputError(f"a function with more than {MANY} cases")
    return found


def pattern_text(pattern: Pattern) -> str:
    """A pattern as Lean text; it is a term as well."""
    if isinstance(pattern, str):
        return pattern
    if len(pattern) == 1:
        return pattern_text(pattern[0])
    return f"({' '.join(map(pattern_text, pattern))})"


def _split(scope: Scope, clause: Clause) -> Iterator[Clause]:
    match clause.body:
        case ("match", str(variable), tuple(branches)):
            leaf = clause.variables.get(variable)
            if isinstance(leaf, str):
                yield from _branches(scope, clause, leaf, branches)
                return
    yield clause


def _branches(
    scope: Scope, clause: Clause, leaf: str, branches: tuple[Sexpr, ...]
) -> Iterator[Clause]:
    seen: list[str] = []
    for branch in branches:
        head, body = two(branch)
        name = symbol_of(head[0] if isinstance(head, tuple) else head)
        if name in scope.constructors or name in BOOLEANS:
            seen.append(name)
            arguments = [symbol_of(a) for a in head[1:]] if isinstance(head, tuple) else []
            case = _case(scope, clause, leaf, name, arguments)
            yield from _split(scope, replace(case, body=body))
            continue
        for missing in _missing(scope, seen):  # a default, or a variable
            case = _case(scope, clause, leaf, missing, ["_"] * _arity(scope, missing))
            bound = case.variables
            if name not in ("_", "default"):
                bound = {**bound, name: next(p for p in _instances(case, clause, leaf))}
            yield from _split(scope, replace(case, body=body, variables=bound))


def _case(
    scope: Scope, clause: Clause, leaf: str, constructor: str, arguments: list[str]
) -> Clause:
    """The clause where a variable is a constructor of new variables."""
    taken = {name for p in clause.patterns for name in _leaves(p)} - {leaf}
    names = []
    for argument in arguments:
        wanted = "v" if argument == "_" else argument
        while lean_name(wanted) in taken:
            wanted += "'"
        names.append(lean_name(wanted))
        taken.add(names[-1])
    known = scope.constructors.get(constructor)
    pattern: Pattern = (known.name if known else constructor, *names)
    patterns = tuple(_replaced(p, leaf, pattern) for p in clause.patterns)
    variables = {k: _replaced(p, leaf, pattern) for k, p in clause.variables.items()}
    bound = {a: n for a, n in zip(arguments, names, strict=True) if a != "_"}
    return Clause(patterns, {**variables, **bound}, clause.body)


def _instances(case: Clause, clause: Clause, leaf: str) -> Iterator[Pattern]:
    """What the variable of this name has become."""
    for name, pattern in clause.variables.items():
        if pattern == leaf:
            yield case.variables[name]


def _missing(scope: Scope, seen: list[str]) -> list[str]:
    """The constructors that no earlier branch has."""
    if not seen:
        raise InputError("a match without a constructor")
    if seen[0] in BOOLEANS:
        return [b for b in BOOLEANS if b not in seen]
    owner = scope.constructors[seen[0]].owner
    return [s for s, c in scope.constructors.items() if c.owner == owner and s not in seen]


def _arity(scope: Scope, symbol: str) -> int:
    known: Constructor | None = scope.constructors.get(symbol)
    return len(known.selectors) if known else 0


def _replaced(pattern: Pattern, leaf: str, by: Pattern) -> Pattern:
    if isinstance(pattern, str):
        return by if pattern == leaf else pattern
    return (pattern[0], *(_replaced(p, leaf, by) for p in pattern[1:]))


def _leaves(pattern: Pattern) -> Iterator[str]:
    if isinstance(pattern, str):
        yield pattern
    else:
        for part in pattern[1:]:
            yield from _leaves(part)
