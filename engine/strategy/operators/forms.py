"""Forms in which equations and laws are compared, written and put aside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice, product

from engine.language.core import EQ, LOGIC
from engine.language.rewriting import MAX_ORDERS, Rewriter, frozen, orders
from engine.language.term import Equation, Law, Symbol, Term
from engine.strategy.operators.sections import Section


def substituted(conclusion: Equation, hypotheses: Iterable[Equation]) -> list[Equation]:
    """Conclusion and hypotheses without those that say what a variable is, with it put in."""
    parts = [conclusion, *hypotheses]
    for number, part in enumerate(parts[1:], start=1):
        for side, other in ((part.lhs, part.rhs), (part.rhs, part.lhs)):
            if side.is_variable and side.head not in list(other.variables()):
                rest = [p.substitute({str(side.head): other}) for p in parts]
                return substituted(rest[0], [*rest[1:number], *rest[number + 1 :]])
    return parts


def simplifies(law: Law, known: Rewriter) -> bool:
    """Whether the hypotheses make a part of the conclusion simpler by known laws.

    Then what the conclusion says under them is said by another one without that part.
    """
    said, *given = frozen(law)
    under = known.assuming(given)
    return any(
        under.normal(t) != known.normal(t) for side in (said.lhs, said.rhs) for t in side.subterms()
    )


def constant_last(equation: Equation) -> Equation:
    """The equation with a constant on its right where it has one.

    An equality inside has its larger side on the left, as symmetry is not known to calculation.
    """
    lhs, rhs = (_sides_in_order(side) for side in (equation.lhs, equation.rhs))
    turned = _is_constant(lhs) and not _is_constant(rhs)
    return Equation(rhs, lhs) if turned else Equation(lhs, rhs)


def _sides_in_order(term: Term) -> Term:
    if term.head != EQ or len(term.args) != 2:
        return term
    one, other = term.args
    turned = one.size < other.size or (_is_constant(one) and not _is_constant(other))
    return Term(EQ, (other, one)) if turned else term


def injective(law: Law) -> Section | None:
    """The section ``f`` where a law says ``f x = f y → x = y``."""
    if len(law.hypotheses) != 1 or not (law.lhs.is_variable and law.rhs.is_variable):
        return None
    one, other = law.hypotheses[0].lhs, law.hypotheses[0].rhs
    if not isinstance(one.head, Symbol) or one.head != other.head:
        return None
    pairs = list(zip(one.args, other.args, strict=True))
    differing = [i for i, (a, b) in enumerate(pairs) if a != b]
    if len(differing) != 1 or {*pairs[differing[0]]} != {law.lhs, law.rhs}:
        return None
    return Section(one.head, differing[0])


def says_reflexive(equation: Equation) -> bool:
    """Whether it is about a relation of a compound term to itself, an instance of ``x ≤ x``."""
    lhs = equation.lhs
    return (
        len(lhs.args) == 2
        and lhs.args[0] == lhs.args[1]
        and bool(lhs.args[0].args)
        and (isinstance(equation.rhs.head, Symbol) and equation.rhs.head.name in VALUES)
    )


def _is_constant(term: Term) -> bool:
    return isinstance(term.head, Symbol) and not term.args


def clash(one: Term, other: Term) -> bool:
    """Whether two terms can never be equal because they begin with different constructors."""
    return one.head != other.head and all(
        isinstance(side.head, Symbol)
        and (side.head.is_constructor or side.head.name in VALUES)
        and len(side.args) == len(side.head.params)
        for side in (one, other)
    )


VALUES = frozenset({"Bool.true", "Bool.false", "True", "False"})
"""Constants of core that are different values, as those of a theory's constructors are."""


def speaks_of_theory(law: Law) -> bool:
    """Whether a function of the theory occurs, beside constructors and what core has."""
    return any(
        not s.is_background and not s.is_constructor and s.name not in LOGIC for s in law.symbols()
    )


def reordered(law: Law, commutative: Collection[str]) -> Iterator[Law]:
    """A law with the arguments of commutative functions of its conclusion in other orders."""
    sides = [list(islice(orders(s, commutative), MAX_ORDERS)) for s in (law.lhs, law.rhs)]
    for lhs, rhs in product(*sides):
        yield Law(lhs, rhs, law.types, law.hypotheses)
