"""What a draft must pass before an operator gives it: typed, of a bounded size, news, and tried."""

from __future__ import annotations

from collections.abc import Iterable

from engine.language.rewriting import is_commutativity, is_instance
from engine.language.term import Equation, Law, Term
from engine.language.typing import IllTyped
from engine.strategy.operators.base import Context
from engine.strategy.operators.forms import (
    clash,
    constant_last,
    injective,
    reordered,
    says_reflexive,
    simplifies,
    speaks_of_theory,
    substituted,
)
from engine.strategy.operators.trials import Trials
from engine.trees.canonical import canonical_key, presented_law

REACH = 6
"""How many more symbols and variables than an explored one a side may have. An operator is there to
reach a law that term enumeration has not come to yet, but not to flood the prover with large ones.
"""

MAX_HYPOTHESES = 3
MOST = 200
"""Near misses that are kept."""


class Screen:
    """Keeps what is worth drafting in one context; each law passes once.

    A law that passed is believed from then on by all operators: what follows from it passes no
    more, and what it simplifies is simplified. Laws that were tried before are not believed, so
    that they do not hide what their proofs may need.

    Args:
        context: With what is known.
        trials: Values at which guesses are tried; by default new ones.
    """

    def __init__(self, context: Context, trials: Trials | None = None) -> None:
        self._context = context
        self._seen: set[str] = set()
        self.known = context.rewriter
        self.trials = trials or Trials(context.interpretation, context.symbols, context.seed)

    def news(self, conclusion: Equation, hypotheses: Iterable[Equation] = ()) -> Law | None:
        """The law that an equation is under hypotheses, if it is not known yet.

        Use it where the law must be true because of what it was made from. A hypothesis is dropped
        where it holds by calculation, or where the law holds without it at all values tried.
        """
        law = self._unseen(self._law(conclusion, hypotheses))
        return None if law is None else self._admitted(law)

    def guess(self, conclusion: Equation, hypotheses: Iterable[Equation] = ()) -> Law | None:
        """The same for a guess: it must also hold at all values at which it is tried.

        One that holds at most of them is noted among the near misses of the context.
        """
        law = self._unseen(self._law(conclusion, hypotheses))
        tally = None if law is None else self.trials.tally(law)
        if law is None or tally is None:
            return None
        if tally.is_near_miss and not law.hypotheses and len(self._context.near_misses) < MOST:
            self._context.near_misses.setdefault(canonical_key(law), law)
        return self._admitted(law) if tally.is_convincing and not self._collides(law) else None

    def _collides(self, law: Law) -> bool:
        """Whether a law says that a function is injective, and values are found that tell not."""
        section = injective(law)
        return section is not None and self.trials.collide(section) is not False

    def _unseen(self, law: Law | None) -> Law | None:
        """A law that did not come up here before and was not tried before."""
        key = "" if law is None else canonical_key(law)
        if law is None or key in self._seen:
            return None
        self._seen.add(key)
        return None if self._context.tried(key) else law

    def _admitted(self, law: Law) -> Law | None:
        """The law under the hypotheses that it needs, if it is news and says what it is about."""
        needed = self._without_needless(law)
        if needed != law and self._unseen(needed) is None:
            return None
        if self.follows(needed):
            return None
        if needed.hypotheses and (self.trials.fixes(needed) or simplifies(needed, self.known)):
            return None
        self._context.drafted.append(needed)
        self.known.add(needed)
        return needed

    def _without_needless(self, law: Law) -> Law:
        """The law without hypotheses that no value tried shows to be needed."""
        for hypothesis in law.hypotheses:
            others = [h for h in law.hypotheses if h != hypothesis]
            shorter = presented_law(law.lhs, law.rhs, others)
            tally = self.trials.tally(shorter)
            if tally is not None and tally.is_convincing:
                return self._without_needless(shorter)
        return law

    def _law(self, conclusion: Equation, hypotheses: Iterable[Equation]) -> Law | None:
        conclusion, *given = substituted(conclusion, hypotheses)
        kept = self._needed(given)
        conclusion = Equation(
            self._simple_inside(conclusion.lhs), self._simple_inside(conclusion.rhs)
        )
        conclusion = constant_last(conclusion)
        if conclusion.lhs == conclusion.rhs or kept is None or len(kept) > MAX_HYPOTHESES:
            return None
        if clash(conclusion.lhs, conclusion.rhs) or says_reflexive(conclusion):
            return None
        if conclusion in kept or conclusion.flipped() in kept:
            return None
        if max(conclusion.lhs.size, conclusion.rhs.size) > self._context.max_size + REACH:
            return None
        try:
            law = presented_law(conclusion.lhs, conclusion.rhs, kept)
        except IllTyped:
            return None
        return law if speaks_of_theory(law) else None

    def _simple_inside(self, side: Term) -> Term:
        """A side with its arguments in normal form, where that makes it smaller."""
        args = tuple(self.known.normal(a) for a in side.args)
        simple = Term(side.head, args)
        return simple if simple.size < side.size else side

    def _needed(self, hypotheses: Iterable[Equation]) -> list[Equation] | None:
        """The hypotheses that say something, each once; ``None`` when one is absurd."""
        kept: list[Equation] = []
        for hypothesis in hypotheses:
            left, right = self.known.normal(hypothesis.lhs), self.known.normal(hypothesis.rhs)
            if clash(left, right):
                return None
            turned = constant_last(hypothesis)
            if left != right and turned not in kept and turned.flipped() not in kept:
                kept.append(turned)
        return kept

    def follows(self, law: Law) -> bool:
        """Whether a law is an instance of a known one or follows by calculation.

        What has passed here counts as known.
        """
        laws = (*(known.law for known in self._context.laws), *self._context.drafted)
        commutative = {s.name for k in laws if is_commutativity(k) for s in k.symbols()}
        return (
            self.known.joins(law)
            or self._is_reflexive(law)
            or any(is_instance(o, known) for o in reordered(law, commutative) for known in laws)
            or self._context.settled(law)
        )

    def _is_reflexive(self, law: Law) -> bool:
        """Whether it relates two compound terms with one normal form by a predicate."""
        args = [self.known.normal(a) for a in law.lhs.args]
        return says_reflexive(Equation(Term(law.lhs.head, tuple(args)), law.rhs))
