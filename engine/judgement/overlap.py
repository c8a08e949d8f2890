"""Where two laws speak of one term: critical pairs with the instances that they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.judgement.refuted import value_term
from engine.language.semantics import at_test_type
from engine.language.term import Equation, Law, Symbol, Term, Type, type_variable
from engine.language.typing import GREEK, IllTyped, Typing
from engine.language.unification import rename_apart, unify


@dataclass(frozen=True)
class Overlap:
    """What two laws say of one term.

    Attributes:
        disagreement: The law that follows from both, over all variables of the instances.
        first: Values of the variables of the first law, as terms over the variables of the
            disagreement. second: Of the second law.
    """

    disagreement: Law
    first: Mapping[str, Term]
    second: Mapping[str, Term]


def overlaps(one: Law, other: Law) -> Iterator[Overlap]:
    """The critical pairs of two laws, each used in both directions."""
    first, second = rename_apart(one, "_1"), rename_apart(other, "_2")
    for rule in (first, first.flipped()):
        for base in (second, second.flipped()):
            yield from _overlaps(rule, base, "_1", "_2")
            for swapped in _overlaps(base, rule, "_2", "_1"):
                yield Overlap(swapped.disagreement, swapped.second, swapped.first)


def _overlaps(rule: Law, base: Law, mine: str, its: str) -> Iterator[Overlap]:
    if rule.lhs.is_variable:
        return
    for path, part in base.lhs.positions():
        if not isinstance(part.head, Symbol):
            continue
        bound = unify(rule.lhs, part)
        if bound is None:
            continue
        one = base.lhs.replace_at(path, rule.rhs).substitute(bound)
        conclusion = Equation(one, base.rhs.substitute(bound))
        if conclusion.lhs == conclusion.rhs:
            continue
        first, second = _terms(rule, bound), _terms(base, bound)
        try:
            types = _types((rule, base), {**first, **second}, bound)
        except IllTyped:
            continue
        hypotheses = tuple(h.substitute(bound) for h in (*rule.hypotheses, *base.hypotheses))
        yield Overlap(
            Law(conclusion.lhs, conclusion.rhs, types, hypotheses),
            {name.removesuffix(mine): term for name, term in first.items()},
            {name.removesuffix(its): term for name, term in second.items()},
        )


def _terms(law: Law, bound: Mapping[str, Term]) -> dict[str, Term]:
    """What each variable of a law stands for."""
    return {name: bound.get(name, Term(name)) for name, _ in law.types}


def _types(
    laws: Sequence[Law], terms: Mapping[str, Term], bound: Mapping[str, Term]
) -> tuple[tuple[str, Type], ...]:
    """Types of all variables of the instances, so that both laws can be applied to their values.

    The disagreement alone does not tell them: ``xs = ys`` may be about lists or about anything.

    Raises:
        IllTyped: There is no common instance.
    """
    typing = Typing()
    for law in laws:
        fresh = {v: typing.unifier.fresh() for _, t in law.types for v in t.variables()}
        for name, t in law.types:
            typing.unifier.unify(typing.infer(terms[name]), t.substitute(fresh))
        for part in (p.substitute(bound) for p in law.parts()):
            typing.unifier.unify(typing.infer(part.lhs), typing.infer(part.rhs))
    names = dict.fromkeys(v for term in terms.values() for v in term.variables())
    types = [typing.unifier.resolve(typing.variables[name]) for name in names]
    free = dict.fromkeys(v for t in types for v in t.variables())
    greek = {old: type_variable(new) for old, new in zip(free, GREEK, strict=False)}
    return tuple((n, t.substitute(greek)) for n, t in zip(names, types, strict=True))


def values_at(
    terms: Mapping[str, Term], disagreement: Law, values: Mapping[str, str]
) -> dict[str, Term] | None:
    """Values of a law's variables where it meets the disagreement; ``None`` if one is missing.

    Args:
        terms: What its variables stand for there.
        disagreement: The law that follows.
        values: Lean text for the variables of the disagreement, at the test type.
    """
    types = {name: at_test_type(t) for name, t in disagreement.types}
    known = {name: value_term(values[name], t) for name, t in types.items() if name in values}
    found = {name: term.substitute(known) for name, term in terms.items()}
    return None if any(any(t.variables()) for t in found.values()) else found
