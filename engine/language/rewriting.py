"""Rewriting with known laws: what follows from them by calculation need not be drafted again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from engine.language.core import EQ, TRUE
from engine.language.term import Equation, Law, Symbol, Term, Type, match

MAX_STEPS = 400
MAX_DEPTH = 60
"""Bounds on a computation that rules in a circle, or a growing term, would never end."""

MAX_ORDERS = 8
"""Orders of the arguments of commutative functions in which a rule is tried."""

MAX_CONDITION_STEPS = 60
MAX_NESTING = 2
"""Bounds on the calculation of a rule's condition, and on conditions of rules used there."""


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
    """Whether the function at the root of the left side occurs more often, inside, on the right.

    It is applied to another function on the left, and the right side has no further variables.
    """
    root = law.lhs.head
    if not isinstance(root, Symbol) or root.is_constructor or law.rhs.head == root:
        return False
    if not any(a.args for a in law.lhs.args):
        return False
    if not set(law.rhs.variables()) <= set(law.lhs.variables()):
        return False
    return list(law.rhs.symbols()).count(root) > list(law.lhs.symbols()).count(root)


class Rule(NamedTuple):
    """A way to rewrite an instance of ``lhs``.

    Attributes:
        ordered: Only where the result is smaller.
        conditions: What must hold of the instance; their variables are among those of ``lhs``.
        source: The law that it comes from; ``None`` for a definition or a hypothesis.
    """

    lhs: Term
    rhs: Term
    ordered: bool = False
    conditions: tuple[Equation, ...] = ()
    source: Law | None = None


class Rewriter:
    """Normal forms under a growing set of laws.

    A distribution and a law whose sides are ordered are rules. Another one, such as commutativity,
    rewrites an instance when that makes it smaller (ordered rewriting). A law with hypotheses
    rewrites where they hold by calculation. Rules of all kinds could go round in circles together;
    ``MAX_STEPS`` ends that.
    """

    def __init__(self, laws: Iterable[Law] = ()) -> None:
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        self._stated: list[Rule] = []
        self._commutative: set[str] = set()
        self._memo: dict[tuple[int, Term], Term] = {}  # by nesting: inside, fewer rules are used
        self._nesting = 0
        self._inside: dict[str, set[str]] = defaultdict(set)
        self._left_out: frozenset[int] = frozenset()
        for law in laws:
            self.add(law)

    def assuming(self, hypotheses: Iterable[Equation]) -> Rewriter:
        """A copy that takes equations between terms without variables for true."""
        other = Rewriter()
        other._rules = defaultdict(list, {name: list(rules) for name, rules in self._rules.items()})
        other._stated = list(self._stated)
        other._commutative = set(self._commutative)
        other._left_out = self._left_out
        given = list(hypotheses)
        for hypothesis in (*given, *given):  # a later one may simplify an earlier one
            other._assume(other.normal(hypothesis.lhs), other.normal(hypothesis.rhs))
        return other

    def _assume(self, one: Term, other: Term) -> None:
        greater_side, smaller = (one, other) if ground_greater(one, other) else (other, one)
        if one == other:
            return
        self._memo.clear()
        self._put(Rule(greater_side, smaller))
        if greater_side.head == EQ and smaller.head == TRUE and len(greater_side.args) == 2:
            self._assume(*greater_side.args)

    def add(self, law: Law) -> None:
        """Adds a law."""
        self._memo.clear()
        self._note_commutativity(law)
        source, law = law, presented(law)
        if greater(law.lhs, law.rhs) or (is_distribution(law) and self._may_spread(law.lhs)):
            self._put(Rule(law.lhs, law.rhs, False, law.hypotheses, source))
            return
        for side in (law, law.flipped()):
            if set(side.rhs.variables()) <= set(side.lhs.variables()):
                self._put(Rule(side.lhs, side.rhs, True, law.hypotheses, source))

    def _may_spread(self, lhs: Term) -> bool:
        """Whether a distribution can be a rule: none before it pushes its function outwards.

        Where each of two functions distributes over the other, as minimum and maximum do, rules for
        both would make terms grow without end; then the later law is used as one without order.
        """
        assert isinstance(lhs.head, Symbol)
        root = lhs.head.name
        below = {a.head.name for a in lhs.args if isinstance(a.head, Symbol) and a.args} - {root}
        reached = set(below)
        pending = list(below)
        while pending:
            further = self._inside[pending.pop()] - reached
            reached |= further
            pending += further
        if root in reached:
            return False
        self._inside[root] |= below
        return True

    def add_definition(self, law: Law) -> None:
        """Adds an equation of a definition as a rule from left to right, whatever the order says.

        Such rules compute; that they end is what Lean checked when it accepted the definition.
        """
        self._memo.clear()
        self._put(Rule(law.lhs, law.rhs, conditions=law.hypotheses))

    def _note_commutativity(self, law: Law) -> None:
        """From now on each rule for a commutative function holds for both orders."""
        if not is_commutativity(law):
            return
        assert isinstance(law.lhs.head, Symbol)
        name = law.lhs.head.name
        if name not in self._commutative:
            self._commutative.add(name)
            self._rules.clear()
            for rule in self._stated:
                self._index(rule)

    def _put(self, rule: Rule) -> None:
        lhs = rule.lhs
        if not isinstance(lhs.head, Symbol):
            return
        free = {v for c in rule.conditions for v in c.variables()}
        if not free <= set(lhs.variables()):
            return  # nothing says which values the conditions speak of
        self._stated.append(rule)
        self._index(rule)

    def _index(self, rule: Rule) -> None:
        """Files a rule under its function, with the arguments of commutative ones in all orders."""
        assert isinstance(rule.lhs.head, Symbol)
        known = self._rules[rule.lhs.head.name]
        known += [rule] + [
            _with_lhs(rule, lhs)
            for lhs in islice(orders(rule.lhs, self._commutative), 1, MAX_ORDERS)
        ]

    def step(self, term: Term) -> Term | None:
        """One rewriting at the root, or ``None``.

        A law between functions rewrites their applications, too.
        """
        if not isinstance(term.head, Symbol):
            return None
        if term.head == EQ and len(term.args) == 2 and term.args[0] == term.args[1]:
            return Term(TRUE)
        for rule in self._rules.get(term.head.name, ()):
            if self._left_out and id(rule.source) in self._left_out:
                continue
            surplus = term.args[len(rule.lhs.args) :]
            applied = Term(term.head, term.args[: -len(surplus)]) if surplus else term
            bound = match(rule.lhs, applied)
            if bound is None:
                continue
            result = rule.rhs.substitute(bound)
            if surplus:
                result = Term(result.head, result.args + surplus)
            if rule.ordered and not ground_greater(term, result):
                continue
            if not rule.conditions or self._hold(rule.conditions, bound):
                return result
        return None

    def _hold(self, conditions: Iterable[Equation], bound: Mapping[str, Term]) -> bool:
        """Whether conditions follow by calculation, with few rules for conditions in turn."""
        if self._nesting >= MAX_NESTING:
            return False
        self._nesting += 1
        try:
            instances = [c.substitute(bound) for c in conditions]
            fuel = [MAX_CONDITION_STEPS]
            return all(
                self._normal(i.lhs, fuel, MAX_DEPTH) == self._normal(i.rhs, fuel, MAX_DEPTH)
                for i in instances
            )
        finally:
            self._nesting -= 1

    def normal(self, term: Term) -> Term:
        """The normal form, innermost first, within ``MAX_STEPS`` rewritings and ``MAX_DEPTH``."""
        return self._normal(term, [MAX_STEPS], MAX_DEPTH)

    def _normal(self, term: Term, fuel: list[int], depth: int) -> Term:
        if depth == 0:
            return term
        key = (self._nesting, term)
        if key in self._memo:
            return self._memo[key]
        current = self._with_normal_arguments(term, fuel, depth)
        while fuel[0] > 0 and (next_ := self.step(current)) is not None:
            fuel[0] -= 1
            current = self._with_normal_arguments(next_, fuel, depth)
        if fuel[0] > 0:
            self._memo[key] = current
        return current

    def _with_normal_arguments(self, term: Term, fuel: list[int], depth: int) -> Term:
        if not term.args:
            return term
        return Term(term.head, tuple(self._normal(a, fuel, depth - 1) for a in term.args))

    def agree(self, one: Term, other: Term) -> bool:
        """Whether two terms have one normal form; functions also where their values have one."""
        if self.normal(one) == self.normal(other):
            return True
        missing = missing_arguments(one, other)
        if not missing:
            return False
        values = tuple(Term(Symbol(f"?{at}", (), Type("?"), f"?{at}")) for at in range(missing))
        return self.normal(one.applied(values)) == self.normal(other.applied(values))

    def joins(self, law: Law) -> bool:
        """Whether both sides agree under the hypotheses.

        The law then follows by calculation.
        """
        if not law.hypotheses:
            return self.agree(law.lhs, law.rhs)
        conclusion, *hypotheses = frozen(law)
        return self.assuming(hypotheses).joins(Law(conclusion.lhs, conclusion.rhs, ()))

    def joins_without(self, law: Law, left_out: Iterable[Law]) -> bool:
        """Whether a law follows by calculation when some of the added ones are left out.

        A commutativity cannot be left out: rules were made for both orders with it.

        Args:
            law: The law.
            left_out: The very objects that were added.
        """
        memo, self._memo = self._memo, {}
        self._left_out = frozenset(map(id, left_out))
        try:
            return self.joins(law)
        finally:
            self._memo, self._left_out = memo, frozenset()


def missing_arguments(*terms: Term) -> int:
    """How many arguments the partial applications among some terms lack, at most."""
    return max(len(t.head.params) - len(t.args) if isinstance(t.head, Symbol) else 0 for t in terms)


def frozen(law: Law) -> list[Equation]:
    """Conclusion and hypotheses with constants in place of the variables."""
    constants = {name: Term(Symbol(f"?{name}", (), t, name)) for name, t in law.types}
    return [part.substitute(constants) for part in law.parts()]


def thawed(term: Term) -> Term:
    """A term with the variables back in place of the constants of :func:`frozen`."""
    if isinstance(term.head, Symbol) and term.head.name.startswith("?"):
        return Term(term.head.text, term.args)
    return Term(term.head, tuple(thawed(a) for a in term.args))


def is_commutativity(law: Law) -> bool:
    """Whether a law is ``f x y = f y x`` for a symbol and two variables, without hypotheses."""
    lhs, rhs = law.lhs, law.rhs
    return (
        not law.hypotheses
        and isinstance(lhs.head, Symbol)
        and lhs.head == rhs.head
        and len(lhs.args) == 2
        and all(a.is_variable for a in lhs.args)
        and lhs.args[0] != lhs.args[1]
        and lhs.args == rhs.args[::-1]
    )


def orders(term: Term, commutative: Collection[str]) -> Iterator[Term]:
    """The ways to write a term with the arguments of commutative functions exchanged.

    The term itself comes first.
    """
    for args in product(*(orders(a, commutative) for a in term.args)):
        yield Term(term.head, args)
        head = term.head
        if isinstance(head, Symbol) and head.name in commutative and len(args) == 2:
            yield Term(head, args[::-1])


def _with_lhs(rule: Rule, lhs: Term) -> Rule:
    """A rule for another order of arguments; unless it loses weight it must make smaller."""
    ordered = rule.ordered or weight(lhs) <= weight(rule.rhs)
    return rule._replace(lhs=lhs, ordered=ordered)


def is_instance(law: Law, known: Law) -> bool:
    """Whether a law is a known one for particular values of its variables, either way round.

    It may have hypotheses that the known one lacks, and those of the known one must be among its
    own or be trivial.
    """
    for side in (known.conclusion, known.conclusion.flipped()):
        bound = match(side.lhs, law.lhs)
        if bound is None or match(side.rhs, law.rhs, bound) is None:
            continue
        if _are_given(known.hypotheses, law.hypotheses, bound):
            return True
    return False


def _are_given(
    wanted: Sequence[Equation], given: Sequence[Equation], bound: dict[str, Term]
) -> bool:
    """Whether some values of the variables that are not bound yet make all hypotheses known."""
    if not wanted:
        return True
    first, *rest = wanted
    instance = first.substitute(bound)
    if instance.lhs == instance.rhs:
        return _are_given(rest, given, bound)
    for hypothesis in given:
        for side in (first, first.flipped()):
            extended = match(side.lhs, hypothesis.lhs, dict(bound))
            if extended is None or match(side.rhs, hypothesis.rhs, extended) is None:
                continue
            if _are_given(rest, given, extended):
                return True
    return False
