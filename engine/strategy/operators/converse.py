"""Converse: what the conclusion of a law says about its hypothesis, and where both say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.language.core import EQ, LOGIC
from engine.language.printing import equation_text, is_proposition, proposition_text
from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents, word
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import Section, comparable, constants, sections

X, Y = Term("x"), Term("y")


class Converse:
    """Turns implications round.

    Of a proved law ``h → c`` it drafts ``c → h``, and ``h ↔ c`` once both are proved. Two
    implications hold of every function without a proof, and their converses are laws of note:
    from ``x = y`` follows ``f x = f y`` (converse: injectivity, cancellation), and from ``x = e``
    follows ``f x = c`` where ``f e`` has the value ``c`` (converse: only there).
    """

    name = "converse"
    description = "turn an implication round: injectivity, cancellation, and equivalences"

    def applies(self, context: Context) -> bool:
        """There is a function with an argument."""
        return any(s.params for s in context.functions)

    def draft(self, context: Context) -> Iterator[Draft]:
        """Equivalences first, as they are true; then converses that hold at all values tried."""
        screen = Screen(context)
        for known in context.proved:
            if known.law.hypotheses:
                yield from self._equivalences(known, screen, context)
        for known in context.proved:
            if known.law.hypotheses:
                yield from self._converses(known, screen, context)
        for words, conclusion, hypothesis in _of_functions(context, screen):
            if context.stop():
                return
            law = screen.guess(conclusion, (hypothesis,))
            if law is not None:
                yield self._draft(law, words, context)

    def _equivalences(self, known: KnownLaw, screen: Screen, context: Context) -> Iterator[Draft]:
        """``h ↔ c`` where ``h → c`` is proved and ``c → h`` is proved or holds by calculation."""
        if len(known.law.hypotheses) != 1 or context.stop():
            return
        (hypothesis,) = known.law.hypotheses
        back = Law(hypothesis.lhs, hypothesis.rhs, known.law.types, (known.law.conclusion,))
        if not screen.follows(back):
            return
        law = screen.news(_equivalence(hypothesis, known.law.conclusion))
        if law is not None:
            words = f"{known.name} holds in both directions"
            yield self._draft(law, words, context, known)

    def _converses(self, known: KnownLaw, screen: Screen, context: Context) -> Iterator[Draft]:
        """Each hypothesis in turn exchanged with the conclusion; the others stay."""
        hypotheses = known.law.hypotheses
        for number, hypothesis in enumerate(hypotheses):
            if context.stop():
                return
            others = (*hypotheses[:number], *hypotheses[number + 1 :])
            law = screen.guess(hypothesis, (known.law.conclusion, *others))
            if law is not None:
                words = f"The converse of {known.name}"
                yield self._draft(law, words, context, known)

    def _draft(self, law: Law, words: str, context: Context, *sources: KnownLaw) -> Draft:
        claims = [(s, f"{s.name} is the implication the other way.") for s in sources]
        said = equation_text(law.conclusion)
        return Draft(
            law=law,
            operator=self.name,
            summary=f"{words}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners, *claims),
            novelty=f"The known laws lead to {said} from no such hypothesis."
            if law.hypotheses
            else "It puts two implications into one law that rewrites.",
        )


def _equivalence(one: Equation, other: Equation) -> Equation:
    """``one ↔ other`` as an equation between propositions."""
    return Equation(as_proposition(one), as_proposition(other))


def as_proposition(equation: Equation) -> Term:
    """An equation as a term; one with ``True`` is the proposition on its other side."""
    lhs, rhs = equation.lhs, equation.rhs
    for side, other in ((lhs, rhs), (rhs, lhs)):
        if other.head == LOGIC["True"] and is_proposition(side):
            return side
    return Term(EQ, (lhs, rhs))


def _of_functions(context: Context, screen: Screen) -> Iterator[tuple[str, Equation, Equation]]:
    """Converses of what holds of any function: words, conclusion and hypothesis."""
    every = sections(context.functions)
    for f in every:
        verb = "can be cancelled" if f.places else "is injective"
        equal = Equation(f.at(X), f.at(Y))
        yield f"{word(f.symbol)} {verb}", Equation(X, Y), equal
    units = constants(context.symbols)
    known = screen.known
    for f in every:
        for unit in (u for u in units if comparable(_type(u), f.domain)):
            value = known.normal(f.at(unit))
            yield from _only_there(f, unit, value, units)


def _only_there(
    f: Section, unit: Term, value: Term, units: Sequence[Term]
) -> Iterator[tuple[str, Equation, Equation]]:
    """``f x = c → x = e`` where ``f e`` has the value ``c``.

    Where it is another argument, ``f p e = p``, the value may be that or any constant.
    """
    if value.args:
        return
    choices = [value]
    if value.is_variable:
        choices += [u for u in units if comparable(_type(u), f.codomain)]
    for choice in choices:
        words = f"{word(f.symbol)} is {_name(choice)} only at {_name(unit)}"
        yield words, Equation(X, unit), Equation(f.at(X), choice)


def _type(constant: Term) -> Type:
    assert isinstance(constant.head, Symbol)
    return constant.head.result


def _name(term: Term) -> str:
    if isinstance(term.head, Symbol):
        return word(term.head)
    return "its other argument"
