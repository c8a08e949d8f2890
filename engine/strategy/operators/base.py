"""What an operator is given, and what it gives: drafts with attributed parents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from engine.language.printing import signature_text
from engine.language.rewriting import Rewriter
from engine.language.semantics import Interpretation
from engine.language.term import Law, Symbol
from engine.model import Candidate, Label, ParentClaim
from engine.trees.canonical import canonical_key


@dataclass(frozen=True)
class KnownLaw:
    """A law that may be built upon: a defining equation, or a proved result, with its node."""

    node: str
    name: str
    law: Law
    label: Label


@dataclass
class Context:
    """The retrieved ancestors C_q of a goal q, and the means to work with them.

    Attributes:
        symbols: Functions and constructors among the ancestors, the nearest first.
        laws: Equations among the ancestors; only verified and assumed ones.
        owners: Node of each symbol, by Lean name; background symbols have none.
        interpretation: Evaluates terms. rewriter: Calculates with the known laws, and with what
            the operators drafted in this context, which each of them adds.
        tried: Canonical keys of laws that need not be drafted again.
        max_size: Largest side of a drafted equation. seed: Of random choices.
        stop: Asked now and then; ``True`` ends the drafting.
        refuted: What was found to be false. conjectures: What waits for a proof or found none.
        near_misses: Laws, by canonical key, that operators saw fail at some test values and hold
            at most. They add to it; hypotheses or particular values may make such a law true.
        drafted: What operators drafted in this context; they add to it.
        settled: Whether a law follows from what has been proved since the context was made.
        stuck: Conjectures whose first proof search has failed since; whoever looks at one takes it.
        certain: Makes a rewriter that knows definitions and proved laws only.
    """

    symbols: Sequence[Symbol]
    laws: Sequence[KnownLaw]
    owners: Mapping[str, str]
    interpretation: Interpretation
    rewriter: Rewriter
    tried: Callable[[str], bool]
    max_size: int = 7
    seed: int = 0
    stop: Callable[[], bool] = field(default=lambda: False)
    refuted: Sequence[Law] = ()
    conjectures: Sequence[Law] = ()
    near_misses: dict[str, Law] = field(default_factory=dict)
    drafted: list[Law] = field(default_factory=list)
    settled: Callable[[Law], bool] = field(default=lambda law: False)
    stuck: list[Law] = field(default_factory=list)
    certain: Callable[[], Rewriter] = field(default=Rewriter)

    @property
    def proved(self) -> list[KnownLaw]:
        """The laws that were proved, smallest first; the others define a function."""
        results = (known for known in self.laws if known.label is Label.VERIFIED)
        return sorted(results, key=lambda known: known.law.size)

    @property
    def functions(self) -> list[Symbol]:
        """The functions that the theory defines itself, predicates among them."""
        return [s for s in self.symbols if not s.is_constructor and not s.is_background]


@dataclass(frozen=True)
class Draft:
    """A drafted law with what a candidate has to state (paper: Innovate_phi).

    Attributes:
        cases: Test cases in which the operator saw it hold; 0 where it did not count them.
        helps: Whether it was drafted for a proof that failed; its own is helped no further.
    """

    law: Law
    operator: str
    summary: str
    parents: tuple[ParentClaim, ...]
    novelty: str
    limits: str = ""
    cases: int = 0
    helps: bool = False
    plan: tuple[str, ...] = (
        "test it on generated values",
        "search for a proof by simplification, induction and automation",
        "audit the finished proof",
    )

    @property
    def key(self) -> str:
        """Canonical key of the law."""
        return canonical_key(self.law)

    def candidate(self) -> Candidate:
        """The draft as a candidate for the store."""
        return Candidate(
            statement=signature_text(self.law),
            canonical=self.key,
            operator=self.operator,
            summary=self.summary,
            parents=self.parents,
            novelty=self.novelty,
            limits=self.limits or limits_of(self.law),
            plan=self.plan,
            symbols=tuple(sorted({s.name for s in self.law.symbols()})),
            size=self.law.size,
            hypotheses=len(self.law.hypotheses),
        )


class Operator(Protocol):
    """A named way Innovate_phi to draft candidates from a context.

    Those here draft by symbols alone. One that asks a language model needs the same methods only,
    and what it drafts goes the same way to falsifier, rubric and prover.
    """

    name: str
    description: str

    def applies(self, context: Context) -> bool:
        """Whether the context has what the operator works with."""

    def draft(self, context: Context) -> Iterator[Draft]:
        """Drafts candidates, the most promising first; it may be stopped at any point."""


@runtime_checkable
class Helper(Operator, Protocol):
    """An operator that drafts what a proof that has just failed may lack."""

    def help(self, context: Context) -> Iterator[Draft]:
        """Drafts for the stuck conjectures of the context, which it takes out of there."""


def limits_of(law: Law) -> str:
    """What a law does not say, in one sentence."""
    if law.hypotheses:
        return "It says nothing where a hypothesis fails."
    if any(t.is_function for _, t in law.types):
        return "An equation between values; it says nothing of the functions it quantifies over."
    return "An unconditional equation; it says nothing of cost, order or inequality."


def law_parents(
    law: Law, owners: Mapping[str, str], *claims: tuple[KnownLaw, str]
) -> tuple[ParentClaim, ...]:
    """The laws that a draft was made from, each with what it gave, then the definitions.

    The first law has rating 5, the others 4; one node stands for all equations of a definition.
    """
    found: dict[str, ParentClaim] = {}
    for number, (known, explanation) in enumerate(claims):
        claim = ParentClaim(node=known.node, rating=4 if number else 5, explanation=explanation)
        found.setdefault(known.node, claim)
    for claim in parents_by_symbols(law, owners):
        found.setdefault(claim.node, claim)
    return tuple(found.values())


def parents_by_symbols(law: Law, owners: Mapping[str, str]) -> tuple[ParentClaim, ...]:
    """The definitions that a law speaks of: the more often, the higher the rating (2 to 5)."""
    counts: dict[str, int] = {}
    for symbol in (s for part in law.parts() for s in part.symbols()):
        if symbol.name in owners and not symbol.is_constructor:
            counts[owners[symbol.name]] = counts.get(owners[symbol.name], 0) + 1
    return tuple(
        ParentClaim(
            node=node,
            rating=min(5, 1 + count),
            explanation=f"The statement applies {node.split(':')[-1]} {_times(count)}.",
        )
        for node, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def word(symbol: Symbol) -> str:
    """The last part of a symbol's name, or the sign of a notation: how a summary speaks of it."""
    if symbol.is_infix:
        return symbol.text.replace("{0}", "").replace("{1}", "").strip()
    return symbol.text.rpartition(".")[2]
