"""Schemas: terms with holes, enumerated by size with their most general types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from engine.language.term import Symbol, Term, Type
from engine.strategy.exploration.typings import HOLE, Typing, Typings, uncurried

QUESTION = Term("?")
"""The hole. A term with one hole at several places is filled from left to right."""


ALONE = 4
"""Size of a schema in which a function variable may be applied that occurs but once."""


@dataclass(frozen=True)
class Schema:
    """A term with holes and its typing."""

    skeleton: Term
    typing: Typing

    @property
    def size(self) -> int:
        """Number of symbols and holes."""
        return self.skeleton.size

    @property
    def closed_result(self) -> Type:
        """The type of its values in tests."""
        return self.typing.closed[1]

    @cached_property
    def general(self) -> Term:
        """The instance with a different variable in each hole."""
        return filled(self.skeleton, [f"_{i:02}" for i in range(len(self.typing.holes))])

    @cached_property
    def is_plausible(self) -> bool:
        """Whether each function variable that is applied has a chance to occur in a law.

        ``f x`` is as good as a variable unless ``f`` occurs elsewhere as well: inside, or on the
        other side, whose type does not determine that of ``f x`` then.
        """
        types = self.typing.closed[0]
        applied = [i for i, has_args in enumerate(_holes(self.skeleton)) if has_args]
        for i in applied:
            if types.count(types[i]) > 1:
                continue
            codomain = uncurried(self.typing.holes[i])[1]
            if self.size > ALONE or not (codomain.is_variable or not any(codomain.variables())):
                return False
        return True

    def filled(self, names: Sequence[str]) -> Term:
        """The instance with variables in the holes, from left to right."""
        return filled(self.skeleton, names)


def _holes(term: Term) -> Iterator[bool]:
    """For each hole from the left whether it is applied to arguments."""
    if term.head == "?":
        yield bool(term.args)
    for arg in term.args:
        yield from _holes(arg)


def filled(skeleton: Term, names: Sequence[str]) -> Term:
    """A skeleton with variables of these names in its holes, from left to right."""
    return _fill(skeleton, iter(names))


def _fill(term: Term, names: Iterator[str]) -> Term:
    head = next(names) if term.head == "?" else term.head
    return Term(head, tuple([_fill(a, names) for a in term.args]))


@dataclass(frozen=True)
class Head:
    """What can stand at the root of a schema: a symbol, or a hole that is applied."""

    symbol: Symbol | None
    params: tuple[Type, ...]
    result: Type
    type: Type | None = None  # of the hole

    @property
    def needs_arguments(self) -> bool:
        """A hole alone is a schema of its own."""
        return self.symbol is None


class Schemas:
    """Enumerates schemas over the accepted ones of smaller sizes.

    Args:
        symbols: Functions, constructors, constants.
        max_size: No larger ones are wanted.
    """

    def __init__(self, symbols: Iterable[Symbol], max_size: int) -> None:
        self.typings = Typings()
        self._max_size = max_size
        symbols = list(symbols)
        applied = dict.fromkeys(p for s in symbols for p in s.params if p.is_function)
        self._higher_order = bool(applied)
        self._heads = [Head(s, s.params, s.result) for s in symbols]
        for type_ in _shapes(applied):
            domains, codomain = uncurried(type_)
            self._heads.append(Head(None, domains, codomain, type_))
        self._accepted: dict[int, dict[str, list[Schema]]] = defaultdict(lambda: defaultdict(list))

    def accept(self, schema: Schema) -> None:
        """Larger schemas are built with this one from now on."""
        self._accepted[schema.size][_sort(schema.typing.result)].append(schema)

    def retain(self, size: int, wanted: Iterable[Schema]) -> None:
        """Leaves only some schemas of a size."""
        self._accepted[size] = defaultdict(list)
        for schema in wanted:
            self.accept(schema)

    def accepted(self, size: int) -> list[Schema]:
        """The accepted schemas of a size."""
        return [s for group in self._accepted[size].values() for s in group]

    def of_size(self, size: int) -> Iterator[Schema]:
        """Schemas of exactly a size whose arguments were accepted."""
        if size == 1:
            yield Schema(QUESTION, HOLE)
        for head in self._heads:
            for count in self._counts(head, size):
                if count <= size - 1:
                    yield from self._applications(head, count, size)

    def _counts(self, head: Head, size: int) -> Iterator[int]:
        """To how many arguments a head may be applied.

        What is applied to too few is an argument of another function beside one more at least,
        unless it takes functions itself.
        """
        full = len(head.params)
        yield full
        combines = any(p.is_function for p in head.params)
        if self._higher_order and (combines or size <= self._max_size - 2):
            for count in range(1 if head.needs_arguments else 0, full):
                if not any(p.is_function for p in head.params[count:]):
                    yield count

    def _applications(self, head: Head, count: int, size: int) -> Iterator[Schema]:
        if count == 0:
            if size == 1:
                yield from self._schema(head, ())
            return
        for sizes in compositions(size - 1, count):
            pools = [self._pool(p, n) for p, n in zip(head.params, sizes, strict=False)]
            for args in product(*pools):
                if head.symbol is not None or _may_apply(head, args):
                    yield from self._schema(head, args)

    def _schema(self, head: Head, args: Sequence[Schema]) -> Iterator[Schema]:
        typing = self.typings.applied(head.params, head.result, [a.typing for a in args], head.type)
        if typing is not None:
            root = "?" if head.symbol is None else head.symbol
            schema = Schema(Term(root, tuple(a.skeleton for a in args)), typing)
            if schema.is_plausible:
                yield schema

    def _pool(self, param: Type, size: int) -> list[Schema]:
        """Accepted schemas of a size that may fit a param, by the outermost part of the type."""
        groups = self._accepted[size]
        if param.is_variable:
            wanted = [sort for sort in groups if sort != FUNCTION]
        else:
            wanted = [_sort(param), VARIABLE]
        return [s for sort in wanted for s in groups.get(sort, ())]


def _may_apply(head: Head, args: Sequence[Schema]) -> bool:
    """A function variable is applied to variables, or to what may speak of it as well."""
    if all(a.typing.bare for a in args):
        return True
    return any(t.is_function for a in args for t in a.typing.holes)


FUNCTION, VARIABLE = "→", "variable"


def _sort(t: Type) -> str:
    return VARIABLE if t.is_variable else t.head


def _shapes(types: Iterable[Type]) -> list[Type]:
    """Function types without repetition up to the names of variables."""
    seen: dict[Type, Type] = {}
    for t in types:
        names: dict[str, Type] = {}
        for v in t.variables():
            names.setdefault(v, Type(f"v{len(names)}", is_variable=True))
        seen.setdefault(t.substitute(names), t)
    return list(seen)


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as an ordered sum of positive numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(1, total - parts + 2):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)
