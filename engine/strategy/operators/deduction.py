"""Deduction: what follows from two known laws together and from neither by calculation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.language.core import EQ
from engine.language.printing import proposition_text
from engine.language.rewriting import oriented
from engine.language.term import Equation, Law, Symbol, Term
from engine.language.unification import rename_apart, unify
from engine.model import Label
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents
from engine.strategy.operators.forms import clash
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import denied

MAX_PAIRS = 2_000


class Consequence(NamedTuple):
    """What follows from two laws: a conclusion under hypotheses."""

    conclusion: Equation
    hypotheses: tuple[Equation, ...]


class Deduction:
    """Overlaps and chains two laws, of which one was proved.

    Where a side of one law unifies with a part of a side of another, both rewritings of the
    overlapped term are equal (a critical pair; with a defining equation it is the law at the values
    that the definition treats). Where the conclusion of a law unifies with a hypothesis of another,
    the other's conclusion follows from what is left. Consequences are simplified by the known laws,
    and drafted when these do not join them and they are no larger than the proved law: a larger one
    follows where it is needed, and is no lemma.
    """

    name = "deduction"
    description = (
        "chain two known laws: rewrite one by the other, or meet a hypothesis by the other"
    )

    def applies(self, context: Context) -> bool:
        """There are two laws of which one was proved."""
        return len(context.laws) >= 2 and bool(context.proved)

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each consequence that is news, those of the smallest laws first."""
        screen = Screen(context)
        for first, second in _law_pairs(context.laws):
            if context.stop():
                return
            most = max(k.law.size for k in (first, second) if _is_proved(k))
            for verb, consequence in _consequences(first.law, second.law):
                conclusion, hypotheses = _simplified(consequence, screen)
                if conclusion.size > most:
                    continue
                law = screen.news(conclusion, hypotheses)
                if law is not None and law.size <= most:
                    yield self._draft(law, verb, first, second, context)

    def _draft(
        self, law: Law, verb: str, first: KnownLaw, second: KnownLaw, context: Context
    ) -> Draft:
        claims = (first, f"{first.name} {verb} {second.name}."), (second, "The other law of two.")
        return Draft(
            law=law,
            operator=self.name,
            summary=f"{first.name} {verb} {second.name}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners, *claims),
            novelty=f"It joins {first.name} and {second.name} and follows from no rewriting.",
        )


def _is_proved(known: KnownLaw) -> bool:
    return known.label is Label.VERIFIED


def _law_pairs(laws: Sequence[KnownLaw]) -> list[tuple[KnownLaw, KnownLaw]]:
    pairs = [(a, b) for a in laws for b in laws if _is_proved(a) or _is_proved(b)]
    pairs.sort(key=lambda pair: pair[0].law.size + pair[1].law.size)
    return pairs[:MAX_PAIRS]


def _consequences(first: Law, second: Law) -> Iterator[tuple[str, Consequence]]:
    yield from (("meets a hypothesis of", c) for c in chained(first, second))
    yield from (("rewrites", c) for c in overlaps(first, second))


def _simplified(consequence: Consequence, screen: Screen) -> Consequence:
    """The conclusion in normal form; where it is absurd, that the last hypothesis fails."""
    lhs = screen.known.normal(consequence.conclusion.lhs)
    rhs = screen.known.normal(consequence.conclusion.rhs)
    if consequence.hypotheses and clash(lhs, rhs):
        *others, last = consequence.hypotheses
        return Consequence(denied(last), tuple(others))
    return Consequence(Equation(lhs, rhs), consequence.hypotheses)


def overlaps(first: Law, second: Law) -> Iterator[Consequence]:
    """The critical pairs of two laws, each used from its greater side to the smaller one."""
    rule = oriented(rename_apart(first, "_1"))
    base = oriented(rename_apart(second, "_2"))
    if rule.lhs.is_variable:
        return
    for path, part in base.lhs.positions():
        if isinstance(part.head, Symbol) and not (path == () and first == second):
            bound = unify(rule.lhs, part)
            if bound is None:
                continue
            one = base.lhs.replace_at(path, rule.rhs).substitute(bound)
            other = base.rhs.substitute(bound)
            hypotheses = (*rule.hypotheses, *base.hypotheses)
            if one != other:
                yield Consequence(
                    Equation(one, other), tuple(h.substitute(bound) for h in hypotheses)
                )


def chained(first: Law, second: Law) -> Iterator[Consequence]:
    """The second law with a hypothesis replaced by those under which the first says it.

    A hypothesis between variables meets everything and says nothing; it is left alone.
    """
    given = rename_apart(first, "_1")
    law = rename_apart(second, "_2")
    for number, hypothesis in enumerate(law.hypotheses):
        if hypothesis.lhs.is_variable and hypothesis.rhs.is_variable:
            continue
        others = (*law.hypotheses[:number], *law.hypotheses[number + 1 :], *given.hypotheses)
        for side in (given.conclusion, given.conclusion.flipped()):
            bound = unify(
                Term(EQ, (side.lhs, side.rhs)), Term(EQ, (hypothesis.lhs, hypothesis.rhs))
            )
            if bound is not None:
                yield Consequence(
                    law.conclusion.substitute(bound), tuple(h.substitute(bound) for h in others)
                )
