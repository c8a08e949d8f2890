"""Tokens of a statement: its symbols, the shapes of its subterms, and words.

This reads Lean only well enough to tell which statements look alike. It never fails: of text that
is no Lean it makes what it can. Nothing that is true or false depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from engine.model import MethodNode

_TOKEN: Final = re.compile(
    r"«[^»]*»"  # quoted name
    r"|[^\W\d][\w'.!?]*"  # name
    r"|\d+"
    r"|[()\[\]{}⟨⟩,]"
    r"|[^\s\w()\[\]{}⟨⟩«»,]+"  # operator
)
_NAME: Final = re.compile(r"[^\W\d]|«")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")
_CLOSER: Final = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
_CLOSERS: Final = frozenset(_CLOSER.values())
_BINDERS: Final = frozenset({"∀", "∃", "λ", "fun", "forall", "exists"})
_SYMMETRIC: Final = frozenset({"=", "≠", "↔", "∧", "∨"})
_PUNCTUATION: Final = frozenset({":", ",", ":=", "=>", "↦", "∀", "∃", "."})
_LONGEST: Final = 4000  # tokens; a monster is compared by its beginning
_VARIABLE: Final = "_"


def item_tokens(item: MethodNode | str) -> list[str]:
    """All tokens of a node (statement, symbols, name, summary) or of a query's text."""
    if isinstance(item, str):
        return [*statement_tokens(item), *word_tokens(item)]
    return [
        *statement_tokens(item.statement),
        *(_symbol(symbol) for symbol in item.symbols),
        *word_tokens(f"{item.name or ''} {item.summary}"),
    ]


def statement_tokens(statement: str) -> list[str]:
    """Symbols and subterm shapes of a statement, with repetition.

    Bound variables become ``_``, so that renaming changes nothing; the sides of a symmetric
    relation are sorted. ``append (append xs ys) zs = …`` has, among others, the shapes
    ``append(append,_)`` and ``append(_,_)``.
    """
    tokens = _TOKEN.findall(statement)[:_LONGEST]
    variables = _bound_variables(tokens)
    symbols = [
        _symbol(token)
        for token in tokens
        if _NAME.match(token) and token not in variables and token not in _BINDERS
    ]
    return symbols + [f"shape {shape}" for shape in _shapes(tokens, variables)]


def word_tokens(text: str) -> list[str]:
    """Lower-case words, with names such as ``add_comm`` or ``addComm`` taken apart."""
    words = (word.lower() for word in _WORD.findall(text))
    return [f"word {word}" for word in words if len(word) > 1]


def _symbol(name: str) -> str:
    # Statements write short names where the list of symbols has qualified ones.
    return f"symbol {name.rstrip('.').rpartition('.')[2]}"


def _bound_variables(tokens: Sequence[str]) -> frozenset[str]:
    """The names that a binder introduces: ``(x y : T)``, ``∀ x y, …``, ``fun x => …``."""
    found: set[str] = set()
    for place, token in enumerate(tokens):
        if token in _BINDERS or token in _CLOSER:
            names = _names_after(tokens, place)
            end = place + 1 + len(names)
            typed = end < len(tokens) and tokens[end] == ":"
            if typed or token in _BINDERS:
                found.update(names)
    return frozenset(found)


def _names_after(tokens: Sequence[str], place: int) -> list[str]:
    names = []
    for token in tokens[place + 1 :]:
        if not _NAME.match(token):
            break
        names.append(token)
    return names


def _shapes(tokens: Sequence[str], variables: frozenset[str]) -> Iterator[str]:
    """The shape of each application and of each operator with its neighbours."""
    groups: list[list[str]] = [[]]
    for token in tokens:
        if token in _CLOSER:
            groups.append([])
        elif token in _CLOSERS:
            closed = groups.pop()
            groups = groups or [[]]
            yield from _group_shapes(closed)
            groups[-1].extend(_head(closed))
        else:
            groups[-1].append(_VARIABLE if token in variables else token)
    for group in groups:
        yield from _group_shapes(group)


def _group_shapes(group: Sequence[str]) -> Iterator[str]:
    terms, operators = _split(group)
    for term in terms:
        if len(term) > 1 and set(term) != {_VARIABLE}:
            yield f"{term[0]}({','.join(term[1:])})"
    for operator, left, right in zip(operators, terms, terms[1:], strict=False):
        if operator in _PUNCTUATION:
            continue
        sides = [side[0] if side else "" for side in (left, right)]
        if operator in _SYMMETRIC:
            sides.sort()
        yield f"{operator}({','.join(sides)})"


def _split(group: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """The terms of a group and the operators between them: one more term than operators."""
    terms: list[list[str]] = [[]]
    operators: list[str] = []
    for token in group:
        if _is_operator(token):
            operators.append(token)
            terms.append([])
        else:
            terms[-1].append(token)
    return terms, operators


def _head(group: Sequence[str]) -> list[str]:
    """What a bracketed group is for the group around it: ``(+)`` for a sum, ``f`` for ``f x``.

    A typed binder such as ``(x : N)`` is nothing.
    """
    operators = [token for token in group if _is_operator(token)]
    if not operators:
        return list(group[:1])
    return [] if operators[0] == ":" else [f"({operators[0]})"]


def _is_operator(token: str) -> bool:
    return token != _VARIABLE and not (
        token.startswith("(") or token.isdigit() or _NAME.match(token)
    )
