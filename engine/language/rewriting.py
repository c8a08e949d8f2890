"""Rewriting with known laws: what follows from them by calculation need not be drafted again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from engine.language.term import Law, Symbol, Term, match

MAX_STEPS = 400
MAX_DEPTH = 60
"""Bounds on a computation that rules in a circle, or a growing term, would never end."""


def weight(term: Term) -> int:
    """Number of symbols and variables, where functions of core types weigh nothing.

    So ``length (append xs ys)`` and ``length xs + length ys`` weigh the same, and the second one,
    which a reader takes for simpler, is the smaller in the order below.
    """
    free = isinstance(term.head, Symbol) and term.head.is_background and bool(term.args)
    return (0 if free else 1) + sum(weight(a) for a in term.args)


def greater(one: Term, other: Term) -> bool:
    """A Knuth-Bendix order by :func:`weight`.

    No variable may occur more often in the smaller term. Heavier terms are greater; equally heavy
    ones are compared by head symbol, then by the first arguments that differ. It holds for all
    values of the variables, so two different variables are never compared.
    """
    if one == other:
        return False
    have, need = Counter(one.variables()), Counter(other.variables())
    if any(have[v] < n for v, n in need.items()):
        return False
    mine, its = weight(one), weight(other)
    return mine > its or (mine == its and _lexically_greater(one, other))


def _lexically_greater(one: Term, other: Term) -> bool:
    if not (isinstance(one.head, Symbol) and isinstance(other.head, Symbol)):
        return False
    if one.head != other.head:
        return _rank(one) > _rank(other)
    differing = ((a, b) for a, b in zip(one.args, other.args, strict=True) if a != b)
    return greater(*next(differing))


def ground_greater(one: Term, other: Term) -> bool:
    """The same order with variables taken as constants; total, for ordered rewriting."""
    mine, its = weight(one), weight(other)
    return mine > its if mine != its else _precedes(other, one)


def _rank(term: Term) -> tuple[int, int, str]:
    if isinstance(term.head, Symbol):
        return (0 if term.head.is_background else 1, 1 if term.args else 0, term.head.name)
    return (2 if term.args else -1, 0, term.head)


def _precedes(one: Term, other: Term) -> bool:
    if _rank(one) != _rank(other):
        return _rank(one) < _rank(other)
    for a, b in zip(one.args, other.args, strict=True):
        if a != b:
            return ground_greater(b, a)
    return False


def oriented(law: Law) -> Law:
    """The law with its greater side on the left; unchanged when neither is greater."""
    return law.flipped() if greater(law.rhs, law.lhs) else law


def presented(law: Law) -> Law:
    """The law in the direction in which it is read: a distribution pushes its function inwards.

    ``f (g x y) = g (f x) (f y)`` is read from left to right although its right side is the
    heavier one; every other law has its greater side on the left.
    """
    for candidate in (law, law.flipped()):
        if is_distribution(candidate):
            return candidate
    return oriented(law)


def is_distribution(law: Law) -> bool:
    """Whether the function at the root of the left side occurs more often, inside, on the right."""
    root = law.lhs.head
    if not isinstance(root, Symbol) or root.is_constructor or law.rhs.head == root:
        return False
    return list(law.rhs.symbols()).count(root) > list(law.lhs.symbols()).count(root)


class Rewriter:
    """Normal forms under a growing set of laws.

    A distribution and a law whose sides are ordered are rules. Another one, such as commutativity,
    rewrites an instance when that makes it smaller (ordered rewriting). Rules of both kinds could
    go round in circles together; ``MAX_STEPS`` ends that.
    """

    def __init__(self, laws: Iterable[Law] = ()) -> None:
        self._rules: dict[str, list[tuple[Term, Term, bool]]] = defaultdict(list)
        self._commutative: set[str] = set()
        self._memo: dict[Term, Term] = {}
        for law in laws:
            self.add(law)

    def add(self, law: Law) -> None:
        """Adds a law."""
        self._memo.clear()
        self._note_commutativity(law)
        law = presented(law)
        if greater(law.lhs, law.rhs) or is_distribution(law):
            self._put(law.lhs, law.rhs, ordered=False)
            return
        for side, other in ((law.lhs, law.rhs), (law.rhs, law.lhs)):
            if set(other.variables()) <= set(side.variables()):
                self._put(side, other, ordered=True)

    def add_definition(self, law: Law) -> None:
        """Adds an equation of a definition as a rule from left to right, whatever the order says.

        Such rules compute; that they end is what Lean checked when it accepted the definition.
        """
        self._memo.clear()
        self._put(law.lhs, law.rhs, ordered=False)

    def _note_commutativity(self, law: Law) -> None:
        """From now on each rule for a commutative function holds for both orders."""
        if not is_commutativity(law):
            return
        assert isinstance(law.lhs.head, Symbol)
        name = law.lhs.head.name
        if name not in self._commutative:
            self._commutative.add(name)
            known = self._rules[name]
            known += [_swapped(*rule) for rule in known]

    def _put(self, lhs: Term, rhs: Term, ordered: bool) -> None:
        if not isinstance(lhs.head, Symbol):
            return
        rules = self._rules[lhs.head.name]
        rules.append((lhs, rhs, ordered))
        if lhs.head.name in self._commutative:
            rules.append(_swapped(lhs, rhs, ordered))

    def step(self, term: Term) -> Term | None:
        """One rewriting at the root, or ``None``."""
        if not isinstance(term.head, Symbol):
            return None
        for lhs, rhs, ordered in self._rules.get(term.head.name, ()):
            bound = match(lhs, term)
            if bound is None:
                continue
            result = rhs.substitute(bound)
            if not ordered or ground_greater(term, result):
                return result
        return None

    def normal(self, term: Term) -> Term:
        """The normal form, innermost first, within ``MAX_STEPS`` rewritings and ``MAX_DEPTH``."""
        return self._normal(term, [MAX_STEPS], MAX_DEPTH)

    def _normal(self, term: Term, fuel: list[int], depth: int) -> Term:
        if depth == 0:
            return term
        if term in self._memo:
            return self._memo[term]
        current = self._with_normal_arguments(term, fuel, depth)
        while fuel[0] > 0 and (next_ := self.step(current)) is not None:
            fuel[0] -= 1
            current = self._with_normal_arguments(next_, fuel, depth)
        self._memo[term] = current
        return current

    def _with_normal_arguments(self, term: Term, fuel: list[int], depth: int) -> Term:
        return Term(term.head, tuple(self._normal(a, fuel, depth - 1) for a in term.args))

    def joins(self, law: Law) -> bool:
        """Whether both sides have the same normal form: the law follows by calculation."""
        return self.normal(law.lhs) == self.normal(law.rhs)


def is_commutativity(law: Law) -> bool:
    """Whether a law is ``f x y = f y x`` for a symbol and two variables."""
    lhs, rhs = law.lhs, law.rhs
    return (
        isinstance(lhs.head, Symbol)
        and lhs.head == rhs.head
        and len(lhs.args) == 2
        and all(a.is_variable for a in lhs.args)
        and lhs.args[0] != lhs.args[1]
        and lhs.args == rhs.args[::-1]
    )


def _swapped(lhs: Term, rhs: Term, ordered: bool) -> tuple[Term, Term, bool]:
    """A rule for the arguments in the other order; unless it loses weight it must make smaller."""
    return Term(lhs.head, lhs.args[::-1]), rhs, ordered or weight(lhs) <= weight(rhs)


def is_instance(law: Law, known: Law) -> bool:
    """Whether a law is a known one for particular values of its variables, either way round."""
    for side in (known, known.flipped()):
        bound = match(side.lhs, law.lhs)
        if bound is not None and match(side.rhs, law.rhs, bound) is not None:
            return True
    return False
