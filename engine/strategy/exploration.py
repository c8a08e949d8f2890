"""Theory exploration: which laws do tests suggest over some functions?

Typed terms are enumerated smallest first and evaluated on test cases. Terms that agree in all
cases form a class with its first member as representative; only representatives are built upon,
and terms that a law found earlier rewrites are not built at all. Each further member of a class
suggests one law.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from engine.language.rewriting import Rewriter
from engine.language.semantics import Interpretation, at_test_type
from engine.language.term import Law, Symbol, Term, Type
from engine.language.typing import IllTyped
from engine.trees.canonical import canonical_key, presented_law

CASES = 30
BATCH = 400
VARIABLES = {"function": 2, "element": 2, "other": 3}
"""How many variables of a type: functions, types without recursion, all others."""


@dataclass
class Progress:
    """Counts of an exploration: terms built, skipped as reducible, classes, Lean's evaluations."""

    terms: int = 0
    reducible: int = 0
    classes: int = 0
    size: int = 0


@dataclass
class Explorer:
    """Enumerates the terms over some symbols and suggests laws.

    Attributes:
        interpretation: Evaluates terms. symbols: Functions and constructors to build terms from.
        rewriter: Laws that are known; the suggested ones are added to it.
        tried: Whether a law with this canonical key was tried before. Such a law is neither
            suggested again nor believed, so that it does not hide what its proof may need.
        stop: Asked between batches; ``True`` ends the exploration.
        max_terms: Bound on the number of terms.
        seed: Of the test cases.
    """

    interpretation: Interpretation
    symbols: Sequence[Symbol]
    rewriter: Rewriter
    tried: Callable[[str], bool] = field(default=lambda key: False)
    stop: Callable[[], bool] = field(default=lambda: False)
    max_terms: int = 30_000
    seed: int = 0
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self._by_size: dict[tuple[Type, int], list[Term]] = defaultdict(list)
        self._vectors: dict[Term, tuple[int, ...]] = {}
        self._classes: dict[tuple[Type, tuple[int, ...]], Term] = {}
        self._variables: dict[str, Type] = {}
        self._usable = [s for s in self.symbols if self._compiles(s)]

    def laws(self, max_size: int) -> Iterator[Law]:
        """Laws whose sides have at most ``max_size`` symbols and variables, smallest first."""
        self._add_variables()
        for size in range(1, max_size + 1):
            self.progress.size = size
            general_first = sorted(self._terms(size), key=lambda item: -_distinct(item[1]))
            for batch in _batches(general_first, BATCH):
                if self.progress.terms >= self.max_terms or self.stop():
                    return
                yield from self._classify(batch)

    def _compiles(self, symbol: Symbol) -> bool:
        return self.interpretation.symbol_index(symbol) is not None

    def _add_variables(self) -> None:
        """Variables for every type that a function takes, with their values in the test cases."""
        random_ = random.Random(self.seed)
        types = dict.fromkeys(at_test_type(p) for s in self._usable for p in s.params)
        for type_ in types:
            pool = self.interpretation.values(type_)
            if not pool:
                continue
            for number in range(self._count(type_)):
                name = f"{type_.head}{len(self._variables)}_{number}"
                self._variables[name] = type_
                column = tuple(random_.choice(pool) for _ in range(CASES))
                self._vectors[Term(name)] = column

    def _count(self, type_: Type) -> int:
        if type_.is_function:
            return VARIABLES["function"]
        built = [s for s in self._usable if at_test_type(s.result) == type_ and s.params]
        return VARIABLES["other" if built else "element"]

    def _terms(self, size: int) -> Iterator[tuple[Type, Term]]:
        """Terms of exactly a size over the representatives of smaller sizes."""
        if size == 1:
            yield from ((t, Term(n)) for n, t in self._variables.items() if not t.is_function)
            yield from ((at_test_type(s.result), Term(s)) for s in self._usable if not s.params)
            return
        for symbol in self._usable:
            if symbol.params:
                params = [at_test_type(p) for p in symbol.params]
                for args in self._arguments(params, size - 1):
                    yield at_test_type(symbol.result), Term(symbol, args)
        for name, type_ in self._variables.items():
            if type_.is_function and size == 1 + len(_uncurried(type_)[0]):
                domains, codomain = _uncurried(type_)
                for args in self._arguments(domains, size - 1):  # variables and constants only
                    yield codomain, Term(name, args)

    def _arguments(self, types: Sequence[Type], size: int) -> Iterator[tuple[Term, ...]]:
        """Tuples of representatives of given types whose sizes add up."""
        for sizes in _compositions(size, len(types)):
            pools = [self._pool(t, n) for t, n in zip(types, sizes, strict=True)]
            yield from product(*pools)

    def _pool(self, type_: Type, size: int) -> Sequence[Term]:
        if type_.is_function:
            functions = [Term(n) for n, t in self._variables.items() if t == type_]
            return functions if size == 1 else []
        return self._by_size[type_, size]

    def _classify(self, batch: Sequence[tuple[Type, Term]]) -> Iterator[Law]:
        fresh = []
        for type_, term in batch:
            if self.rewriter.step(term) is None:
                fresh.append((type_, term))
            else:
                self.progress.reducible += 1
        self._evaluate([term for _, term in fresh])
        self.progress.terms += len(fresh)
        for type_, term in fresh:
            vector = self._vectors[term]
            if sum(v >= 0 for v in vector) * 2 < len(vector):
                continue  # too few values to say anything
            known = self._classes.setdefault((type_, vector), term)
            if known is term:
                self._by_size[type_, term.size].append(term)
                self.progress.classes += 1
            elif law := self._suggested(term, known):
                self.rewriter.add(law)
                self._keep_normal(type_, vector, known, term)
                if not all(s.is_background for s in law.symbols()):
                    yield law

    def _suggested(self, term: Term, known: Term) -> Law | None:
        """The law that two equal terms suggest, if it is news."""
        if self.rewriter.normal(term) == self.rewriter.normal(known):
            return None
        law = _law(term, known)
        return None if law is None or self.tried(canonical_key(law)) else law

    def _keep_normal(self, type_: Type, vector: tuple[int, ...], known: Term, term: Term) -> None:
        """Lets the term that the new law does not rewrite represent the class."""
        if self.rewriter.step(known) is not None and self.rewriter.step(term) is None:
            self._classes[type_, vector] = term
            self._by_size[type_, known.size].remove(known)
            self._by_size[type_, term.size].append(term)

    def _evaluate(self, terms: Sequence[Term]) -> None:
        """Vectors of new terms from those of their arguments, in one request."""
        calls = []
        for term in terms:
            if isinstance(term.head, Symbol):
                index = self.interpretation.symbol_index(term.head)
                assert index is not None
                columns = [self._vectors[a] for a in term.args]
                rows = zip(*columns, strict=True) if columns else [()] * CASES
                calls += [(index, *row) for row in rows]
        results = iter(self.interpretation.evaluator.apply(calls))
        for term in terms:
            if term.is_variable:
                continue
            if isinstance(term.head, Symbol):
                self._vectors[term] = tuple(next(results) for _ in range(CASES))
            else:
                self._vectors[term] = self._applied_variable(term)

    def _applied_variable(self, term: Term) -> tuple[int, ...]:
        assert isinstance(term.head, str)
        type_ = self._variables[term.head]
        functions = self._vectors[Term(term.head)]
        args = [self._vectors[a] for a in term.args]
        return tuple(self.interpretation.apply_values(type_, functions, args))


def _law(term: Term, known: Term) -> Law | None:
    try:
        return presented_law(term, known)
    except IllTyped:
        return None  # equal at the test type only


def _uncurried(type_: Type) -> tuple[list[Type], Type]:
    domains = []
    while type_.is_function:
        domains.append(type_.args[0])
        type_ = type_.args[1]
    return domains, type_


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as an ordered sum of positive numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(1, total - parts + 2):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _distinct(term: Term) -> int:
    return len(set(term.variables()))


def _batches(
    items: Sequence[tuple[Type, Term]], size: int
) -> Iterator[Sequence[tuple[Type, Term]]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]
