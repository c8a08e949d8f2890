"""One text for all ways to write a statement (paper: dedup, before the embedding is asked).

Two elaborated statements get the same text exactly when they differ in nothing but

- the names and the styles of bound variables, and the names of universes,
- the order of arguments and hypotheses, as far as dependencies leave it open,
- the sides of ``=``, ``≠`` and ``↔``, wherever they stand,
- abbreviations that Lean unfolds by itself: ``a > b``, ``a ≥ b``, ``¬ a = b``, ``outParam``.

Arguments form a graph: an argument is a vertex, its type says which others it mentions. The text
lists them in the order of a canonical labelling: colours are refined until they are stable, then a
tied argument is singled out, each of its class in turn, and the least text wins.

Universe arguments of constants are left out (a library's own data does not keep them), so that
whoever merges by this text compares the number of universes as well.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias

from verifier.prover.expression import Expression, spine

Template: TypeAlias = "list[str | int | _Universe | _Symmetric]"
"""Text with holes: an int is an argument by its place, see ``_render``."""
Colours: TypeAlias = Sequence[int] | Sequence[str]

_SYMMETRIC: Final = {"Eq": 3, "Ne": 3, "Iff": 2}
_FLIPPED: Final = {"GT.gt": "LT.lt", "GE.ge": "LE.le"}
_TRANSPARENT: Final = {"outParam": 1, "optParam": 2, "autoParam": 2}
_MARK: Final = -1  # stands for the argument whose surroundings are looked at

_LARGEST: Final = 20_000  # nodes
_DEEPEST: Final = 150  # arguments within arguments
_LEAVES: Final = 64  # orders that are tried before one is taken as it comes
_DIGEST_BYTES: Final = 12
_PLAIN: Final = re.compile(r"[^\W\d][\w.'!?]*")


@dataclass(frozen=True, eq=False)
class _Universe:
    name: str


@dataclass(frozen=True, eq=False)
class _Symmetric:
    """A relation whose sides may be swapped."""

    head: Template
    left: Template
    right: Template


class _TooLarge(Exception):
    """The statement is beyond what is worth a canonical form."""


def statement_key(type_: Expression | None) -> str:
    """A digest of 24 hexadecimal digits of ``canonical_statement``.

    Returns:
        Empty where there is no canonical form.
    """
    text = canonical_statement(type_)
    return _digest(text) if text else ""


def canonical_statement(type_: Expression | None) -> str:
    """The text that all ways to write a statement share.

    Of a statement with so many interchangeable arguments that more than 64 orders would have to be
    tried, two ways to write it may get two texts: a duplicate is missed then. Different statements
    never share a text.

    Args:
        type_: A closed kernel expression; constants with or without universe levels.

    Returns:
        The text; empty where the expression is missing, has more than 20,000 nodes or nests
        arguments deeper than 150.
    """
    if type_ is None:
        return ""
    try:
        parts = _parts(type_)
    except _TooLarge:
        return ""
    return _Labelling(parts).text()


def _parts(type_: Expression) -> list[Template]:
    """The types of all arguments, then the conclusion."""
    writer = _Writer()
    parts: list[Template] = []
    while type_[0] == "p":
        parts.append(writer.template(type_[2], len(parts)))
        type_ = type_[3]
    parts.append(writer.template(type_, len(parts)))
    return parts


class _Writer:
    """Turns expressions into templates, as many as one statement may have nodes."""

    def __init__(self) -> None:
        self._budget = _LARGEST

    def template(self, expression: Expression, arguments: int) -> Template:
        """Text of an expression that stands below so many arguments."""
        out: Template = []
        self._write(expression, arguments, 0, 0, out)
        return _joined(out)

    def _write(
        self, expression: Expression, arguments: int, inner: int, depth: int, out: Template
    ) -> None:
        self._budget -= 1
        if self._budget < 0 or depth > _DEEPEST:
            raise _TooLarge
        kind = expression[0]
        if kind == "c":
            out.append(_constant(expression[1]))
        elif kind == "v":
            index = expression[1]
            out.append(f"#{index}" if index < inner else arguments - 1 - (index - inner))
        elif kind == "a":
            self._application(expression, arguments, inner, depth, out)
        else:
            self._other(expression, arguments, inner, depth + 1, out)

    def _application(
        self, expression: Expression, arguments: int, inner: int, depth: int, out: Template
    ) -> None:
        head, given = spine(expression)
        self._budget -= len(given)
        if head[0] == "c":
            head, given = _unfolded(head, given)
        if head[0] == "c" and _SYMMETRIC.get(head[1]) == len(given):
            out.append(self._symmetric(head, given, arguments, inner, depth + 1))
            return
        if not given:
            self._write(head, arguments, inner, depth + 1, out)
            return
        out.append("(")
        self._write(head, arguments, inner, depth + 1, out)
        for argument in given:
            out.append(" ")
            self._write(argument, arguments, inner, depth + 1, out)
        out.append(")")

    def _symmetric(
        self, head: Expression, given: list[Expression], arguments: int, inner: int, depth: int
    ) -> _Symmetric:
        written: list[Template] = []
        for part in (head, *given):
            out: Template = []
            self._write(part, arguments, inner, depth, out)
            written.append(_joined(out))
        *front, left, right = written
        return _Symmetric(_joined([item for part in front for item in (*part, " ")]), left, right)

    def _other(
        self, expression: Expression, arguments: int, inner: int, depth: int, out: Template
    ) -> None:
        match expression:
            case ["s", level]:
                out.append("(#Sort ")
                _write_level(level, out)
            case ["n" | "t" as kind, value]:
                out.append(f"(#{kind} {json.dumps(value)}")
            case ["l" | "p" as kind, _, type_, body, *_]:
                out.append("(#λ " if kind == "l" else "(#∀ ")
                self._write(type_, arguments, inner, depth, out)
                out.append(" ")
                self._write(body, arguments, inner + 1, depth, out)
            case ["let", _, type_, value, body]:
                out.append("(#let ")
                self._write(type_, arguments, inner, depth, out)
                out.append(" ")
                self._write(value, arguments, inner, depth, out)
                out.append(" ")
                self._write(body, arguments, inner + 1, depth, out)
            case ["proj", structure, field, value]:
                out.append(f"(#proj {_constant(structure)} {field} ")
                self._write(value, arguments, inner, depth, out)
            case _:
                out.append(f"(#other {json.dumps(expression)}")
        out.append(")")


def _unfolded(head: Expression, given: list[Expression]) -> tuple[Expression, list[Expression]]:
    """Head and arguments with an abbreviation at the top replaced by what it stands for."""
    name = head[1]
    if name in _FLIPPED and len(given) == 4:
        return ["c", _FLIPPED[name]], [*given[:2], given[3], given[2]]
    if _TRANSPARENT.get(name) == len(given):
        inner, arguments = spine(given[0])
        return _unfolded(inner, arguments) if inner[0] == "c" else (inner, arguments)
    if name == "Not" and len(given) == 1:
        inner, sides = spine(given[0])
        if inner[:2] == ["c", "Eq"] and len(sides) == 3:
            return ["c", "Ne"], sides
    return head, given


def _write_level(level: Expression, out: Template) -> None:
    match level:
        case ["u", name]:
            out.append(_Universe(name))
        case ["+", below]:
            out.append("(+ ")
            _write_level(below, out)
            out.append(")")
        case ["max" | "imax" as kind, one, other]:
            out.append(f"({kind} ")
            _write_level(one, out)
            out.append(" ")
            _write_level(other, out)
            out.append(")")
        case _:
            out.append(json.dumps(level))


@lru_cache(maxsize=100_000)
def _constant(name: str) -> str:
    """The name, quoted where it might be taken for something else; none begins with ``#``."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _joined(items: Template) -> Template:
    """The same with neighbouring texts made one."""
    joined: Template = []
    texts: list[str] = []
    for item in items:
        if isinstance(item, str):
            texts.append(item)
            continue
        if texts:
            joined.append("".join(texts))
            texts.clear()
        joined.append(item)
    if texts:
        joined.append("".join(texts))
    return joined


def _render(
    template: Template, colours: Colours, universe: Callable[[str], str], marked: int = _MARK
) -> str:
    """The text with arguments written as their colours and symmetric sides in order."""
    return "".join(
        [
            item
            if isinstance(item, str)
            else ("?*" if item == marked else f"?{colours[item]}")
            if isinstance(item, int)
            else universe(item.name)
            if isinstance(item, _Universe)
            else _render_symmetric(item, colours, universe, marked)
            for item in template
        ]
    )


def _render_symmetric(
    relation: _Symmetric, colours: Colours, universe: Callable[[str], str], marked: int
) -> str:
    # Sides are ordered without universe names, whose numbers depend on the order of the sides.
    sides = [(_render(s, colours, _nameless, marked), s) for s in (relation.left, relation.right)]
    if sides[1][0] < sides[0][0]:
        sides.reverse()
    head = _render(relation.head, colours, universe, marked)
    if universe is _nameless:
        return f"({head}{sides[0][0]} {sides[1][0]})"
    first, second = (_render(side, colours, universe, marked) for _, side in sides)
    return f"({head}{first} {second})"


def _nameless(_: str) -> str:
    return "u"


def _occurring(template: Template) -> Iterator[int]:
    for item in template:
        if isinstance(item, int):
            yield item
        elif isinstance(item, _Symmetric):
            yield from _occurring(item.head)
            yield from _occurring(item.left)
            yield from _occurring(item.right)


class _Labelling:
    """The search for the order of the arguments that gives the least text.

    Args:
        parts: The types of the n arguments, then the conclusion.
    """

    def __init__(self, parts: Sequence[Template]) -> None:
        self._parts = parts
        self._count = len(parts) - 1
        self._leaves = 0

    def text(self) -> str:
        """The least text that was found."""
        return min(self._texts(self._refined(self._by_type())))

    @cached_property
    def _mentions(self) -> list[list[int]]:
        """For each argument the parts that mention it."""
        found: list[list[int]] = [[] for _ in range(self._count)]
        for place, part in enumerate(self._parts):
            for argument in set(_occurring(part)):
                found[argument].append(place)
        return found

    def _texts(self, colours: list[int]) -> Iterator[str]:
        """The texts of all orders that the colours leave open, up to the bound."""
        tied = _first_class(colours)
        if not tied:
            self._leaves += 1
            yield self._written(colours)
            return
        tried: list[int] = []
        for chosen in tied:
            if tried and self._leaves >= _LEAVES:
                return
            if any(self._interchangeable(chosen, other) for other in tried):
                continue
            tried.append(chosen)
            apart = [(colour, place != chosen) for place, colour in enumerate(colours)]
            yield from self._texts(self._refined(_ranked(apart)))

    def _by_type(self) -> list[int]:
        """Colours by type alone; the arguments that a type mentions come before it."""
        digests: list[str] = []
        for part in self._parts[: self._count]:
            digests.append(_digest(_render(part, digests, _nameless)))
        return _ranked(digests)

    def _refined(self, colours: list[int]) -> list[int]:
        """Tied colours told apart by the parts that mention them, until nothing changes."""
        classes = len(set(colours))
        while classes < self._count:
            sizes = Counter(colours)
            colours = _ranked(
                [
                    (colour, self._surroundings(place, colours) if sizes[colour] > 1 else ())
                    for place, colour in enumerate(colours)
                ]
            )
            before, classes = classes, len(set(colours))
            if classes == before:
                break
        return colours

    def _surroundings(self, argument: int, colours: list[int]) -> tuple[str, ...]:
        """Its type, and all that mentions it, with the argument marked in it."""
        owners = (*colours, "=")
        seen = [
            f"{owners[part]}:{_render(self._parts[part], colours, _nameless, argument)}"
            for part in self._mentions[argument]
        ]
        return (_render(self._parts[argument], colours, _nameless), *sorted(seen))

    def _interchangeable(self, one: int, other: int) -> bool:
        """Whether the statement stays the same when two arguments change places."""
        swapped = list(range(self._count))
        swapped[one], swapped[other] = other, one
        touched = {one, other, *self._mentions[one], *self._mentions[other]}
        plain = sorted((p, _render(self._parts[p], range(self._count), str)) for p in touched)
        owners = [*swapped, self._count]
        moved = sorted((owners[p], _render(self._parts[p], swapped, str)) for p in touched)
        return plain == moved

    def _written(self, colours: list[int]) -> str:
        """The statement with its arguments in the order of their colours, all different."""
        universes: dict[str, int] = {}

        def universe(name: str) -> str:
            return f"u{universes.setdefault(name, len(universes))}"

        order = sorted(range(self._count), key=colours.__getitem__)
        texts = [_render(self._parts[place], colours, universe) for place in order]
        conclusion = _render(self._parts[self._count], colours, universe)
        binders = "".join(f"(?{place} : {text}) " for place, text in enumerate(texts))
        return f"{binders}⊢ {conclusion}"


def _ranked(keys: Sequence[Any]) -> list[int]:
    """Numbers 0, 1, … in the order of the keys, equal ones for equal keys."""
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return [ranks[key] for key in keys]


def _first_class(colours: Sequence[int]) -> list[int]:
    """The places of the smallest class of more than one, of equally small ones the first."""
    if len(set(colours)) == len(colours):
        return []
    sizes = Counter(colours)
    _, chosen = min((size, colour) for colour, size in sizes.items() if size > 1)
    return [place for place, colour in enumerate(colours) if colour == chosen]


def _digest(text: str) -> str:
    encoded = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=_DIGEST_BYTES).hexdigest()
