"""Theory exploration: which laws do tests suggest over some functions?

Schemas, terms with holes, are enumerated smallest first and evaluated with one variable of each
type. A schema whose values no other one has is built upon and needs no other instance. Where two
schemas agree, their instances with more variables are compared, most general first, and each
instance that agrees with an earlier one suggests a law (Smallbone et al., QuickSpec 2). Schemas
that a law found earlier rewrites are not built upon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from engine.language.core import FALSE, TRUE
from engine.language.rewriting import Rewriter, weight
from engine.language.semantics import Interpretation
from engine.language.term import Law, Symbol, Term, Type
from engine.language.typing import IllTyped
from engine.strategy.exploration.conditional import CASES as CONDITIONAL_CASES
from engine.strategy.exploration.conditional import Conditional
from engine.strategy.exploration.consequences import Consequences
from engine.strategy.exploration.instances import assignments, patterns, transpositions
from engine.strategy.exploration.pointwise import pointwise
from engine.strategy.exploration.schemas import Schema, Schemas
from engine.strategy.exploration.suggestion import Suggestion
from engine.strategy.exploration.testbed import Vector, testbed
from engine.strategy.exploration.typings import Typing, at_atom
from engine.trees.canonical import canonical_key, presented_law

PAUSE = 100
"""Schemas between two questions whether to stop."""


@dataclass
class Progress:
    """Counts of an exploration: schemas tested, skipped as reducible, classes, instances tested."""

    terms: int = 0
    reducible: int = 0
    classes: int = 0
    instances: int = 0
    size: int = 0


@dataclass
class Explorer:
    """Enumerates the terms over some symbols and suggests laws.

    Attributes:
        interpretation: Evaluates terms. symbols: Functions and constructors to build terms from.
        rewriter: Laws that are known; the suggested ones are added to it.
        tried: Whether a law with this canonical key was tried before. Such a law is neither
            suggested again nor believed, so that it does not hide what its proof may need.
        stop: Asked now and then; ``True`` ends the exploration.
        max_terms: Bound on the number of schemas.
        seed: Of the test cases.
    """

    interpretation: Interpretation
    symbols: Sequence[Symbol]
    rewriter: Rewriter
    tried: Callable[[str], bool] = field(default=lambda key: False)
    stop: Callable[[], bool] = field(default=lambda: False)
    max_terms: int = 60_000
    seed: int = 0
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        compiled = [s for s in self.symbols if self.interpretation.function(s) is not None]
        if any(s.is_predicate for s in compiled):
            compiled += [TRUE, FALSE]
        self._compiled = compiled
        self._consequences = Consequences(self.rewriter)
        self._testbed = testbed(self.interpretation, compiled, self.seed)
        self._usable = [s for s in compiled if self._has_values(s)]
        self._schemas = Schemas(self._usable, 0)
        self._classes: dict[tuple[Type, Vector], list[_Member]] = defaultdict(list)
        self._instances: dict[tuple[Type, Vector], list[Term]] = defaultdict(list)
        self._open: set[Type] = set()
        self._general: list[Schema] = []  # accepted ones that larger types may need

    def laws(self, max_size: int) -> Iterator[Law]:
        """The laws of :meth:`suggestions`."""
        return (s.law for s in self.suggestions(max_size))

    def suggestions(self, max_size: int) -> Iterator[Suggestion]:
        """Laws whose sides have at most ``max_size`` symbols and variables, smallest first.

        Those with conditions come after the others.
        """
        self._schemas = Schemas(self._usable, max_size)
        for size in range(1, max_size + 1):
            self.progress.size = size
            yield from self._of_size(size)
            if self._over:
                return
        many = testbed(self.interpretation, self._compiled, self.seed, CONDITIONAL_CASES)
        conditional = Conditional(many, self._usable, self.rewriter, self.tried, self.stop)
        yield from conditional.suggestions(self._accepted_up_to(max_size))

    @property
    def _over(self) -> bool:
        return self.progress.terms >= self.max_terms or self.stop()

    def _has_values(self, symbol: Symbol) -> bool:
        return all(self._testbed.has_values(at_atom(p)) for p in symbol.params)

    def _accepted_up_to(self, size: int) -> list[Schema]:
        return [s for n in range(1, size + 1) for s in self._schemas.accepted(n)]

    # -- schemas -----------------------------------------------------------------------------

    def _of_size(self, size: int) -> Iterator[Suggestion]:
        for smaller in range(1, size):
            self._purge(smaller)
        fresh = []
        for number, schema in enumerate(self._schemas.of_size(size)):
            if number % PAUSE == 0 and self._over:
                return
            if self.rewriter.step(schema.general) is None:
                fresh.append(schema)
            else:
                self.progress.reducible += 1
        fresh.sort(key=_general_first)
        for number, schema in enumerate(fresh):
            if number % PAUSE == 0 and self._over:
                return
            yield from self._consider(schema)

    def _purge(self, size: int) -> None:
        """Leaves only what no law found meanwhile rewrites."""
        known = self._schemas.accepted(size)
        wanted = [s for s in known if self.rewriter.step(s.general) is None]
        if len(wanted) < len(known):
            self._schemas.retain(size, wanted)

    def _consider(self, schema: Schema) -> Iterator[Suggestion]:
        """Tests a schema and what else its holes may be; accepts it unless it is redundant."""
        if self.rewriter.step(schema.general) is not None:
            self.progress.reducible += 1
            return
        self.progress.terms += 1
        yield from self._open_types(schema)
        accepted = yield from self._tested(schema)
        if not accepted:
            return
        self._schemas.accept(schema)
        self._general.append(schema)
        yield from self._swaps(schema)
        for typing in self._specialised(schema):
            yield from self._tested(Schema(schema.skeleton, typing))

    def _open_types(self, schema: Schema) -> Iterator[Suggestion]:
        """Before the first schema of a type, those that are more general are tested at it."""
        types = [schema.closed_result] if not schema.typing.bare else []
        for type_ in [t for t in types if t not in self._open]:
            self._open.add(type_)
            for general in self._general:
                if (typing := self._at(general, type_)) is not None:
                    yield from self._tested(Schema(general.skeleton, typing))

    def _specialised(self, schema: Schema) -> list[Typing]:
        """Other typings at which a schema may agree with others."""
        at_types = [self._at(schema, t) for t in self._open]
        return [
            *(t for t in at_types if t is not None),
            *self._schemas.typings.coincidences(schema.typing),
        ]

    def _at(self, schema: Schema, type_: Type) -> Typing | None:
        """The typing of a more general schema at a closed type, if it is of use there."""
        typing = schema.typing
        if type_ == schema.closed_result:
            return None
        if typing.result.is_variable and not typing.bare:
            return None  # a value of any type is no value of this one in particular
        special = self._schemas.typings.at_result(typing, type_)
        return special if special is not None and self._can_test(special) else None

    def _can_test(self, typing: Typing) -> bool:
        return all(self._testbed.has_values(t) for t in typing.closed[0])

    # -- classes -----------------------------------------------------------------------------

    def _tested(self, schema: Schema) -> Generator[Suggestion, None, bool]:
        """Classes a schema; returns whether it is to be built upon."""
        if not self._can_test(schema.typing):
            return False
        result = schema.closed_result
        member = _Member(schema, self._instance(schema, [0] * len(schema.typing.holes)))
        vector = self._testbed.observed(member.term, result)
        if _mostly_missing(vector):
            return False
        group = [
            m for m in self._classes[result, vector] if self._agree(m.term, member.term, result)
        ]
        self._classes[result, vector].append(member)
        if not group:
            self.progress.classes += 1
            return True
        for other in group:
            if not other.instantiated:
                other.instantiated = True
                self._instantiate(other.schema)
        member.instantiated = True
        redundant = yield from self._compare(schema)
        return not redundant

    def _instance(self, schema: Schema, pattern: Sequence[int]) -> Term:
        types = schema.typing.closed[0]
        names = [self._testbed.variable(t, n) for t, n in zip(types, pattern, strict=True)]
        return schema.filled(names)

    def _agree(self, one: Term, other: Term, type_: Type) -> bool:
        observed = self._testbed.observed
        return observed(one, type_, True) == observed(other, type_, True)

    def _instantiate(self, schema: Schema) -> None:
        """Makes all instances of a schema known."""
        for assignment in assignments(schema.typing.closed[0]):
            self._know(self._instance(schema, assignment), schema.closed_result)

    def _know(self, term: Term, type_: Type) -> None:
        self.progress.instances += 1
        self._instances[type_, self._testbed.observed(term, type_)].append(term)

    def _compare(self, schema: Schema) -> Generator[Suggestion, None, bool]:
        """Compares the instances of a schema with those that are known.

        Returns whether the most general one is equal to another term, so that the schema is not
        to be built upon.
        """
        type_ = schema.closed_result
        for number, pattern in enumerate(patterns(schema.typing.closed[0])):
            term = self._instance(schema, pattern)
            if not self._is_normal(term):
                continue
            self.progress.instances += 1
            known = self._equal_to(term, type_)
            if known is None:
                continue
            if type_.is_function and not _speaks_of_functions(term, known):
                return True
            yield from self._suggest(term, known)
            if number == 0 and not self._rewrites(known, schema.general):
                return True
        self._instantiate(schema)
        return False

    def _is_normal(self, term: Term) -> bool:
        return all(self.rewriter.step(t) is None for t in term.subterms())

    def _rewrites(self, known: Term, term: Term) -> bool:
        """Whether the law that was found rewrites what was known, and leaves the new term."""
        step = self.rewriter.step
        return step(known) is not None and step(term) is None

    def _equal_to(self, term: Term, type_: Type) -> Term | None:
        """A known term that agrees with another one in all cases."""
        for known in self._instances[type_, self._testbed.observed(term, type_)]:
            if known != term and self._agree(known, term, type_):
                return known
        return None

    def _swaps(self, schema: Schema) -> Iterator[Suggestion]:
        """Whether a schema does not change when two of its variables are exchanged."""
        types = schema.typing.closed[0]
        if len(set(types)) == len(types):
            return
        type_ = schema.closed_result
        general = self._instance(schema, patterns(types)[0])
        vector = self._testbed.observed(general, type_)
        for swapped in transpositions(types):
            other = self._instance(schema, swapped)
            if self._testbed.observed(other, type_) != vector:
                continue
            if self._agree(general, other, type_):
                yield from self._suggest(general, other)

    # -- laws --------------------------------------------------------------------------------

    def _suggest(self, term: Term, known: Term) -> Iterator[Suggestion]:
        """The law that two equal terms suggest, if it is news."""
        if self.rewriter.normal(term) == self.rewriter.normal(known):
            return
        try:
            law = presented_law(term, known)
        except IllTyped:
            return  # equal at the types of the tests only
        said = pointwise(law, self.rewriter)
        if self.tried(canonical_key(said)):
            return
        is_news = not self.rewriter.agree(term, known)
        self._consequences.add(law)
        if is_news and not all(s.is_background for s in law.symbols()):
            vectors = (self._testbed.vector(t, everywhere=True) for t in (term, known))
            cases = sum(a >= 0 and b >= 0 for a, b in zip(*vectors, strict=True))
            yield Suggestion(said, cases)


def _speaks_of_functions(one: Term, other: Term) -> bool:
    """Whether a law between functions says more than its values at an argument.

    Each side is a variable, or made by a function that takes functions itself. Of ``append nil``
    all that can be said is said better of ``append nil xs``.
    """
    return all(
        isinstance(t.head, str) or any(p.is_function for p in t.head.params) for t in (one, other)
    )


@dataclass
class _Member:
    """A schema of a class with its instance in one variable of each type."""

    schema: Schema
    term: Term
    instantiated: bool = False


def _general_first(schema: Schema) -> tuple[int, int]:
    """Orders schemas of a size: the most general first, then those of the simplest functions."""
    return -len(schema.typing.holes), weight(schema.skeleton)


def _mostly_missing(vector: Vector) -> bool:
    """Whether a term has too few values to say anything."""
    return sum(v >= 0 for v in vector) * 2 < len(vector)
