"""Deduction: chain known laws by rewriting one side of a law with another law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.language.printing import proposition_text
from engine.language.rewriting import is_instance, oriented
from engine.language.term import Law, Symbol, Term
from engine.language.typing import IllTyped
from engine.language.unification import rename_apart, unify
from engine.model import ParentClaim
from engine.strategy.operators.base import Context, Draft, KnownLaw
from engine.trees.canonical import canonical_key, presented_law

MAX_PAIRS = 2_000


class Deduction:
    """Overlaps two laws.

    Where a side of one unifies with a part of a side of the other, both rewritings of the
    overlapped term are equal (a critical pair).
    """

    name = "deduction"
    description = "chain two known laws: rewrite a side of one by the other"

    def applies(self, context: Context) -> bool:
        """There are two laws of which one was proved."""
        return len(context.laws) >= 2 and any(_is_result(k) for k in context.laws)

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each overlap that does not follow from what is known by calculation."""
        seen: set[str] = set()
        for law, first, second in _consequences(context.laws):
            if context.stop():
                return
            key = canonical_key(law)
            if (
                key in seen
                or context.tried(key)
                or max(law.lhs.size, law.rhs.size) > context.max_size + 1
            ):
                continue
            seen.add(key)
            if any(is_instance(law, known.law) for known in context.laws):
                continue
            yield Draft(
                law=law,
                operator=self.name,
                summary=f"{first.name} chained with {second.name}: {proposition_text(law)}.",
                parents=_parents(first, second),
                novelty=f"It joins {first.name} and {second.name} and is an instance of neither.",
            )


def _is_result(known: KnownLaw) -> bool:
    return known.label.value == "verified"


def _parents(first: KnownLaw, second: KnownLaw) -> tuple[ParentClaim, ...]:
    """Both laws; one node stands for all equations of a definition."""
    claims = {
        first.node: ParentClaim(
            node=first.node, rating=5, explanation=f"{first.name} rewrites the overlapped term."
        ),
        second.node: ParentClaim(
            node=second.node, rating=4, explanation=f"{second.name} is rewritten inside."
        ),
    }
    return tuple(claims.values())


def _consequences(laws: Sequence[KnownLaw]) -> Iterator[tuple[Law, KnownLaw, KnownLaw]]:
    pairs = [(a, b) for a in laws for b in laws if _is_result(a) or _is_result(b)]
    pairs.sort(key=lambda pair: pair[0].law.size + pair[1].law.size)
    for first, second in pairs[:MAX_PAIRS]:
        for law in overlaps(first.law, second.law):
            yield law, first, second


def overlaps(first: Law, second: Law) -> Iterator[Law]:
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
            if one != other and (law := _typed(one, other)):
                yield law


def _typed(one: Term, other: Term) -> Law | None:
    try:
        return presented_law(one, other)
    except IllTyped:
        return None
