"""Conditions: under which small hypotheses does a false law hold at all values tried?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from engine.language.core import EQ, FALSE
from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.strategy.operators.sections import (
    BOOL_FALSE,
    BOOL_TRUE,
    affirmed,
    comparable,
    constants,
    is_predicate,
    operations,
)
from engine.strategy.operators.trials import Trials

MAX_ATOMS = 80
MAX_TERMS = 10
MAX_FOUND = 3
MIN_SHARE = 0.1
MIN_CASES = 12
"""A hypothesis must hold in so many cases, and in such a share of those in which the law holds."""


@dataclass(frozen=True)
class Condition:
    """Hypotheses under which a law did not fail, and the cases in which they hold."""

    hypotheses: tuple[Equation, ...]
    support: frozenset[int]

    @property
    def size(self) -> int:
        """Symbols and variables of all hypotheses."""
        return sum(h.size for h in self.hypotheses)


def conditions(
    law: Law,
    symbols: Sequence[Symbol],
    trials: Trials,
) -> list[Condition]:
    """Hypotheses that exclude all cases in which a law fails; the weakest ones first.

    One hypothesis if there is one that does, else two. Of hypotheses where one holds in a part
    only of the cases of another, the other stays.

    Args:
        law: Its own hypotheses are left aside.
        symbols: Predicates and functions of which hypotheses are made.
        trials: Gives the cases.
    """
    named = trials.named(law)
    if named is None:
        return []
    truth = trials.truth(named.conclusion)
    holds = frozenset(i for i, t in enumerate(truth) if t)
    fails = frozenset(i for i, t in enumerate(truth) if t is False)
    if not fails or len(holds) < MIN_CASES:
        return []
    back = {a: Term(b) for (a, _), (b, _) in zip(named.types, law.types, strict=True)}
    known = [
        (atom.substitute(back), frozenset(i for i, t in enumerate(trials.truth(atom)) if t))
        for atom in islice(atoms(named, symbols), MAX_ATOMS)
    ]
    enough = max(MIN_CASES, round(MIN_SHARE * len(holds)))
    single = [
        Condition((atom,), support & holds)
        for atom, support in known
        if not support & fails and len(support & holds) >= enough
    ]
    return _weakest(single or _pairs(known, holds, fails, enough))[:MAX_FOUND]


def _pairs(
    known: Sequence[tuple[Equation, frozenset[int]]],
    holds: frozenset[int],
    fails: frozenset[int],
    enough: int,
) -> list[Condition]:
    useful = [(a, s) for a, s in known if len(s & fails) < len(fails) and len(s & holds) >= enough]
    return [
        Condition((a, b), s & t & holds)
        for (a, s), (b, t) in combinations(useful, 2)
        if not s & t & fails and len(s & t & holds) >= enough
    ]


def _weakest(found: Sequence[Condition]) -> list[Condition]:
    ranked = sorted(found, key=lambda c: (-len(c.support), c.size))
    kept: list[Condition] = []
    for condition in ranked:
        if not any(condition.support <= other.support for other in kept):
            kept.append(condition)
    return kept


def atoms(law: Law, symbols: Sequence[Symbol]) -> Iterator[Equation]:
    """Small statements about the variables of a law.

    A variable is no constant of its type, two differ, a predicate or a function variable into
    ``Bool`` says yes or no of them, or of a function at one, and two have the same length or size.
    """
    types = dict(law.types)
    for name, type_ in types.items():
        for constant in constants(symbols):
            assert isinstance(constant.head, Symbol)
            if _is_data(type_) and comparable(constant.head.result, type_):
                yield _differ(Term(name), constant)
    for name, type_ in types.items():
        if type_.is_function and type_.args[1] == Type("Bool"):
            for other, other_type in types.items():
                if comparable(other_type, type_.args[0]) and not other_type.is_function:
                    applied = Term(name, (Term(other),))
                    yield Equation(applied, Term(BOOL_TRUE))
                    yield Equation(applied, Term(BOOL_FALSE))
    terms = _terms(types, symbols)
    yield from _affirmations(terms, symbols)
    for (one, one_type), (two, two_type) in combinations(terms, 2):
        if one.args and two.args and one.head == two.head:
            yield Equation(one, two)
        elif not (one.args or two.args) and one_type == two_type:
            yield _differ(one, two)


def _is_data(type_: Type) -> bool:
    return not type_.is_variable and not type_.is_function


def _differ(one: Term, other: Term) -> Equation:
    return Equation(Term(EQ, (one, other)), Term(FALSE))


def _terms(types: dict[str, Type], symbols: Sequence[Symbol]) -> list[tuple[Term, Type]]:
    """The variables, and functions that measure one: of one argument, into another type."""
    found = [(Term(name), t) for name, t in types.items() if not t.is_function]
    measures = [
        s
        for s in symbols
        if len(s.params) == 1
        and not s.is_constructor
        and not is_predicate(s)
        and not s.params[0].is_function
        and not comparable(s.params[0], s.result)
    ]
    for symbol in measures:
        for name, type_ in types.items():
            if _is_data(type_) and comparable(symbol.params[0], type_):
                found.append((Term(symbol, (Term(name),)), symbol.result))
    return found[:MAX_TERMS]


def _affirmations(
    terms: Sequence[tuple[Term, Type]], symbols: Sequence[Symbol]
) -> Iterator[Equation]:
    """Predicates of the theory that say yes or no of one or two different terms."""
    boolean = operations(symbols)
    for symbol in symbols:
        if not is_predicate(symbol) or symbol in boolean or symbol.name == "Bool.not":
            continue
        for args in _arguments(symbol, terms):
            yes = affirmed(Term(symbol, args))
            yield yes
            yield Equation(yes.lhs, Term(FALSE if symbol.is_predicate else BOOL_FALSE))


def _arguments(symbol: Symbol, terms: Sequence[tuple[Term, Type]]) -> Iterator[tuple[Term, ...]]:
    if len(symbol.params) == 1:
        yield from ((t,) for t, type_ in terms if comparable(symbol.params[0], type_))
    elif len(symbol.params) == 2:
        for one, one_type in terms:
            for other, other_type in terms:
                fits = comparable(symbol.params[0], one_type) and comparable(
                    symbol.params[1], other_type
                )
                if fits and one != other:
                    yield (one, other)
