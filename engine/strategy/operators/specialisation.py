"""Specialisation: particular values at which a law says something of its own, or becomes true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.language.printing import proposition_text, signature_text, term_text
from engine.language.rewriting import Rewriter, frozen, thawed
from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.language.typing import IllTyped, most_general
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import comparable, constants

CASE_GAIN = 4
"""By how much larger than the conjecture one of its cases may be."""
GAIN = 1
"""By how much more than this an instance of a proved law must be smaller than the law."""


class Specialisation:
    """Puts constants, other variables, and functions of these in the place of a variable.

    An instance of a proved equation follows from it and is worth nothing; so it looks at laws with
    hypotheses, which may hold at a particular value, at conjectures, and at false laws, which are
    often true in a boundary case or on a diagonal.
    """

    name = "specialisation"
    description = "boundary cases and diagonals of conditional, open and false laws"

    def applies(self, context: Context) -> bool:
        """There is a law with hypotheses, a conjecture or a law that was seen to fail."""
        return bool(
            context.conjectures
            or context.refuted
            or context.near_misses
            or any(known.law.hypotheses for known in context.proved)
        )

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each instance that is news, the smallest sources first."""
        screen = Screen(context)
        for law, known, kind in _sources(context):
            for name, value in substitutions(law, context.symbols):
                if context.stop():
                    return
                parts = [p.substitute({name: value}) for p in law.parts()]
                simple = [
                    Equation(screen.known.normal(p.lhs), screen.known.normal(p.rhs)) for p in parts
                ]
                conclusion = _least_simplified(parts[0], simple[0])
                if known and sum(p.size for p in (conclusion, *simple[1:])) >= law.size - GAIN:
                    continue
                found = screen.guess(conclusion, simple[1:])
                if found is not None:
                    words = f"{kind} at {name} := {term_text(value)}"
                    yield self._draft(found, words, known, context)

    def help(self, context: Context) -> Iterator[Draft]:
        """The cases of a failed induction, calculated with definitions and proved laws."""
        while context.stuck:
            law = context.stuck.pop(0)
            certain = context.certain()
            screen = Screen(replace(context, rewriter=certain, drafted=[]))
            for name, value in cases(law, context.symbols):
                if context.stop():
                    return
                for case in remaining_goals(law, name, value, certain):
                    if sum(part.size for part in case) > law.size + CASE_GAIN:
                        continue
                    found = screen.guess(case[0], case[1:])
                    if found is not None:
                        at = f"{name} := {term_text(value)}"
                        words = f"the conjecture {signature_text(law)} at {at}"
                        yield replace(self._draft(found, words, None, context), helps=True)

    def _draft(self, law: Law, words: str, known: KnownLaw | None, context: Context) -> Draft:
        claims = [(known, f"It is {words}.")] if known else []
        return Draft(
            law=law,
            operator=self.name,
            summary=f"{words[0].upper()}{words[1:]}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners, *claims),
            novelty="Its hypotheses hold by calculation there."
            if known
            else "The general law is false or open; this case is not.",
        )


Source = tuple[Law, KnownLaw | None, str]


def _sources(context: Context) -> Iterator[Source]:
    """Laws to look at, with the proved one that each is, and how a summary speaks of it."""
    for known in context.proved:
        if known.law.hypotheses:
            yield known.law, known, known.name
    for law in sorted(context.conjectures, key=lambda law: law.size):
        yield law, None, f"the conjecture {signature_text(law)}"
    false = [*context.refuted, *context.near_misses.values()]
    for law in sorted(false, key=lambda law: law.size):
        yield law, None, f"the false law {signature_text(law)}"


def _least_simplified(instance: Equation, simple: Equation) -> Equation:
    """The calculated instance, unless both sides came out the same and only their form says it."""
    return instance if simple.lhs == simple.rhs else simple


def remaining_goals(
    law: Law, name: str, value: Term, certain: Rewriter
) -> Iterator[list[Equation]]:
    """What is left of a case of an induction when it was calculated; nothing where it closes.

    An induction hypothesis is used in either direction. An equation between values of one
    constructor becomes one between their arguments.

    Args:
        law: To be proved by induction.
        name: The variable.
        value: A constructor, applied to new variables.
        certain: Calculates with what is known.
    """
    parts = [part.substitute({name: value}) for part in law.parts()]
    try:
        instance = most_general(parts[0].lhs, parts[0].rhs, parts[1:])
    except IllTyped:
        return
    plain = certain.assuming(())
    untouched = _calculated(instance, plain)
    used = []
    for hypothesis in _hypotheses(law, name, value, instance):
        for side in (hypothesis, hypothesis.flipped()):
            if side.lhs in side.rhs.subterms():
                continue  # it would go on for ever
            calculator = certain.assuming(())
            calculator.add_definition(Law(side.lhs, side.rhs, ()))
            used.append(_calculated(instance, calculator))
    for goal in [goal for goal in used if goal != untouched] or [untouched]:
        if goal != parts and goal[0].lhs != goal[0].rhs:
            yield goal


def _calculated(instance: Law, calculator: Rewriter) -> list[Equation]:
    conclusion, *hypotheses = (
        Equation(thawed(calculator.normal(p.lhs)), thawed(calculator.normal(p.rhs)))
        for p in frozen(instance)
    )
    return [_stripped(conclusion), *hypotheses]


def _hypotheses(law: Law, name: str, value: Term, instance: Law) -> list[Equation]:
    """The law for the parts of the value that are of its own type, if it has no hypotheses."""
    assert isinstance(value.head, Symbol)
    if law.hypotheses:
        return []
    own = [
        argument
        for argument, type_ in zip(value.args, value.head.params, strict=True)
        if type_.head == value.head.result.head
    ]
    constants_ = {n: Term(Symbol(f"?{n}", (), t, n)) for n, t in instance.types}
    conclusions = [law.conclusion.substitute({name: argument}) for argument in own]
    return [conclusion.substitute(constants_) for conclusion in conclusions]


def _stripped(equation: Equation) -> Equation:
    """Without a constructor of one argument that both sides begin with."""
    left, right = equation.lhs, equation.rhs
    if not isinstance(left.head, Symbol) or left.head != right.head or len(left.args) != 1:
        return equation
    if not left.head.is_constructor:
        return equation
    return _stripped(Equation(left.args[0], right.args[0]))


def cases(law: Law, symbols: Sequence[Symbol]) -> Iterator[tuple[str, Term]]:
    """A variable and a constructor of its type, applied to new variables."""
    for name, type_ in law.types:
        for constructor in (s for s in symbols if s.is_constructor):
            if _fits(constructor.result, type_):
                args = (Term(f"{name}_{at}") for at, _ in enumerate(constructor.params))
                yield name, Term(constructor, tuple(args))


def substitutions(law: Law, symbols: Sequence[Symbol]) -> Iterator[tuple[str, Term]]:
    """A variable and what to put in its place.

    Constants first, then another variable, then a function of the theory at another variable.
    """
    for name, type_ in law.types:
        for constant in constants(symbols):
            assert isinstance(constant.head, Symbol)
            if _fits(constant.head.result, type_):
                yield name, constant
    for name, type_ in law.types:
        for other, other_type in law.types:
            if other != name and type_ == other_type and name > other:
                yield name, Term(other)
    for name, type_ in law.types:
        for symbol in symbols:
            if len(symbol.params) != 1 or symbol.is_constructor or not _fits(symbol.result, type_):
                continue
            for other, other_type in law.types:
                if other != name and comparable(symbol.params[0], other_type):
                    yield name, Term(symbol, (Term(other),))


def _fits(result: Type, wanted: Type) -> bool:
    """Whether a value of a type may stand for a variable of another, without making it special."""
    return not wanted.is_variable and not wanted.is_function and comparable(result, wanted)
