"""Which variables stand in the holes of a schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from engine.language.term import Type

VARIABLES = 3
"""Variables of one type in an instance, unless it has another one in each hole."""

MAX_ASSIGNMENTS = 250


def patterns(types: Sequence[Type]) -> list[tuple[int, ...]]:
    """Ways to identify holes of the same type, those with most variables first.

    A pattern has a number for each hole, in order of first occurrence for each type: the ways to
    write one term with other names have one pattern. The first one has different numbers
    throughout.
    """
    general = _general(types)
    few = [p for p in _patterns(types, 0, {}) if p != general]
    return [general, *sorted(few, key=lambda p: (-_distinct(types, p), p))]


def _general(types: Sequence[Type]) -> tuple[int, ...]:
    return tuple(sum(other == t for other in types[:i]) for i, t in enumerate(types))


def _patterns(types: Sequence[Type], at: int, used: dict[Type, int]) -> Iterator[tuple[int, ...]]:
    if at == len(types):
        yield ()
        return
    type_ = types[at]
    count = used.get(type_, 0)
    for number in range(min(count + 1, VARIABLES)):
        now = used | {type_: max(count, number + 1)}
        for rest in _patterns(types, at + 1, now):
            yield (number, *rest)


def _distinct(types: Sequence[Type], pattern: Sequence[int]) -> int:
    return len(set(zip(types, pattern, strict=True)))


def assignments(types: Sequence[Type]) -> Iterator[tuple[int, ...]]:
    """All ways to put variables into holes, up to a limit; one more where holes are few."""
    counts = {t: sum(o == t for o in types) for t in types}
    choices = [range(VARIABLES + (counts[t] < VARIABLES)) for t in types]
    yield from islice(product(*choices), MAX_ASSIGNMENTS)


def with_few_variables(types: Sequence[Type], variables: int) -> Iterator[tuple[int, ...]]:
    """All ways to put so many variables of each type into holes."""
    yield from product(range(variables), repeat=len(types))


def transpositions(types: Sequence[Type]) -> Iterator[tuple[int, ...]]:
    """The most general pattern with two variables of a type exchanged."""
    general = _general(types)
    for i, one in enumerate(types):
        for j in range(i):
            if types[j] == one:
                swapped = list(general)
                swapped[i], swapped[j] = swapped[j], swapped[i]
                yield tuple(swapped)
