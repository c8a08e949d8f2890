"""Generalisation: say of more values, or under less, what a law says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from engine.language.printing import proposition_text, signature_text, term_text
from engine.language.term import Equation, Law, Symbol, Term
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents, word
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import comparable, operations

MAX_SPLIT = 6
"""Occurrences of one variable that are told apart in all ways."""

MAX_PAIRS = 300
"""Pairs of laws of which a common generalisation is sought."""


class Generalisation:
    """Makes proved laws and open conjectures more general.

    A constant or a closed term becomes a variable, and so does a larger term that occurs more than
    once; equal variables become different ones; a hypothesis is dropped; two laws become instances
    of one; the constant that an accumulator begins with becomes any value. A conjecture that no
    proof was found for is often proved in a more general form, as the hypothesis of its induction
    is stronger then.
    """

    name = "generalisation"
    description = "constants and repeated terms to variables, fewer hypotheses, one law for two"

    def applies(self, context: Context) -> bool:
        """There is a proved law or a conjecture."""
        return bool(context.proved or context.conjectures)

    def draft(self, context: Context) -> Iterator[Draft]:
        """Conjectures first, then proved laws, then pairs of laws."""
        screen = Screen(context)
        sources: list[tuple[Law, KnownLaw | None]] = [(law, None) for law in context.conjectures]
        sources += [(known.law, known) for known in context.proved]
        monoids = operations(context.symbols)
        for law, known in sources:
            for words, parts in (*generalised(law), *accumulated(law, monoids)):
                if context.stop():
                    return
                found = screen.guess(parts[0], parts[1:])
                if found is not None:
                    yield self._draft(found, law, words, [known] if known else [], context)
        laws = [k for k in context.laws if not k.law.hypotheses]
        for one, other in list(combinations(laws, 2))[:MAX_PAIRS]:
            if context.stop():
                return
            common = anti_unified(one.law, other.law)
            found = screen.guess(common) if common else None
            if found is not None:
                words = f"{other.name} is an instance as well"
                yield self._draft(found, one.law, words, [one, other], context)

    def _draft(
        self, law: Law, source: Law, words: str, known: Sequence[KnownLaw], context: Context
    ) -> Draft:
        of = known[0].name if known else f"the conjecture {signature_text(source)}"
        claims = [(k, f"It is {k.name} in a more general form: {words}.") for k in known]
        return Draft(
            law=law,
            operator=self.name,
            summary=f"More general than {of}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners, *claims),
            novelty=f"It says more than {of}: {words}.",
        )


def generalised(law: Law) -> Iterator[tuple[str, tuple[Equation, ...]]]:
    """More general forms of one law in words and as its parts, the least bold first."""
    parts = law.parts()
    for number in range(1, len(parts)):
        yield "a hypothesis is dropped", (*parts[:number], *parts[number + 1 :])
    fresh = Term(_fresh(law))
    for term in _replaceable(law):
        words = f"{term_text(term)} may be any value"
        yield words, tuple(_replaced(part, term, fresh) for part in parts)
    for name, _ in law.types:
        for split in _splits(parts, name, fresh):
            yield f"{name} need not be the same everywhere", split


def accumulated(law: Law, monoids: Sequence[Symbol]) -> Iterator[tuple[str, tuple[Equation, ...]]]:
    """``f x a = g x · a`` and ``f x a = a · g x`` for a law ``f x e = g x`` with a constant e.

    So is generalised what a function with an accumulator computes.
    """
    fresh = Term(_fresh(law))
    for side, other in ((law.lhs, law.rhs), (law.rhs, law.lhs)):
        for term in dict.fromkeys(side.subterms()):
            head = term.head
            if term.args or not isinstance(head, Symbol) or term in other.subterms():
                continue
            for operation in monoids:
                if term is side or not comparable(operation.result, head.result):
                    continue
                words = f"{term_text(term)} may be any value, joined by {word(operation)}"
                for args in ((other, fresh), (fresh, other)):
                    conclusion = Equation(_replace(side, term, fresh), Term(operation, args))
                    yield words, (conclusion, *law.hypotheses)


def _fresh(law: Law) -> str:
    names = {name for name, _ in law.types}
    return next(f"v{number}" for number in range(len(names) + 1) if f"v{number}" not in names)


def _replaceable(law: Law) -> list[Term]:
    """Closed terms, and larger terms that occur more than once, the largest first.

    A whole side is none: an equation of a variable with something that lacks it is false.
    """
    occurrences = [
        t
        for part in law.parts()
        for side in (part.lhs, part.rhs)
        for t in side.subterms()
        if t is not side and isinstance(t.head, Symbol)
    ]
    found = [
        t
        for t in dict.fromkeys(occurrences)
        if (t.args and occurrences.count(t) > 1) or not list(t.variables())
    ]
    return sorted((t for t in found if _is_value(t)), key=lambda t: -t.size)


def _is_value(term: Term) -> bool:
    """Whether it is applied to all its arguments and no proposition."""
    head = term.head
    return isinstance(head, Symbol) and len(term.args) == len(head.params) and not head.is_predicate


def _replaced(equation: Equation, old: Term, new: Term) -> Equation:
    return Equation(_replace(equation.lhs, old, new), _replace(equation.rhs, old, new))


def _replace(term: Term, old: Term, new: Term) -> Term:
    if term == old:
        return new
    return Term(term.head, tuple(_replace(a, old, new) for a in term.args))


def _splits(parts: Sequence[Equation], name: str, fresh: Term) -> Iterator[tuple[Equation, ...]]:
    """Ways to rename some occurrences of a variable, so that both names occur on both sides."""
    lhs, rhs = parts[0].lhs, parts[0].rhs
    count = list(parts[0].variables()).count(name)
    if len(parts) > 1 or count > MAX_SPLIT:
        return
    for marks in product((False, True), repeat=count):
        if not marks or marks[0]:  # the first one keeps its name: the others are told from it
            continue
        pending = iter(marks)
        one, other = (_marked(side, name, fresh, pending) for side in (lhs, rhs))
        names = {name, str(fresh.head)}
        if names <= set(one.variables()) and names <= set(other.variables()):
            yield (Equation(one, other),)


def _marked(term: Term, name: str, fresh: Term, marks: Iterator[bool]) -> Term:
    head = term.head
    if head == name and next(marks):
        head = fresh.head
    return Term(head, tuple(_marked(a, name, fresh, marks) for a in term.args))


def anti_unified(one: Law, other: Law) -> Equation | None:
    """The least general equation of which two laws are instances, one direction of the second.

    ``None`` when a side is a variable, or when nothing is left that the two do not have in common.
    """
    for law in (other, other.flipped()):
        table: dict[tuple[Term, Term], Term] = {}
        lhs = _common(one.lhs, law.lhs, table)
        rhs = _common(one.rhs, law.rhs, table)
        if not (lhs.is_variable or rhs.is_variable) and set(rhs.variables()) <= set(
            lhs.variables()
        ):
            return Equation(lhs, rhs)
    return None


def _common(one: Term, other: Term, table: dict[tuple[Term, Term], Term]) -> Term:
    alike = one.head == other.head and len(one.args) == len(other.args)
    if alike and isinstance(one.head, Symbol):
        pairs = zip(one.args, other.args, strict=True)
        return Term(one.head, tuple(_common(a, b, table) for a, b in pairs))
    return table.setdefault((one, other), Term(f"v{len(table)}"))
