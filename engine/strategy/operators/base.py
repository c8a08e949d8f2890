"""What an operator is given, and what it gives: drafts with attributed parents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

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
        interpretation: Evaluates terms. rewriter: What follows from the known laws.
        tried: Canonical keys of laws that need not be drafted again.
        max_size: Largest side of a drafted equation. seed: Of random choices.
        stop: Asked now and then; ``True`` ends the drafting.
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


@dataclass(frozen=True)
class Draft:
    """A drafted law with what a candidate has to state (paper: Innovate_phi)."""

    law: Law
    operator: str
    summary: str
    parents: tuple[ParentClaim, ...]
    novelty: str
    limits: str = ""
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
        )


class Operator(Protocol):
    """A named way Innovate_phi to draft candidates from a context."""

    name: str
    description: str

    def applies(self, context: Context) -> bool:
        """Whether the context has what the operator works with."""

    def draft(self, context: Context) -> Iterator[Draft]:
        """Drafts candidates, the most promising first; it may be stopped at any point."""


def limits_of(law: Law) -> str:
    """What a law does not say, in one sentence."""
    if law.hypotheses:
        return "It says nothing where a hypothesis fails."
    if any(t.is_function for _, t in law.types):
        return "An equation between values; it says nothing of the functions it quantifies over."
    return "An unconditional equation; it says nothing of cost, order or inequality."


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
