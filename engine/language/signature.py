"""From Lean's elaborated types to symbols and laws, where they fit into the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.language.core import EQ, FALSE, LOGIC, NOTATIONS, TRUE, YES_NO
from engine.language.printing import is_proposition, type_text
from engine.language.term import (
    PROPOSITION,
    Constraint,
    Equation,
    Law,
    Symbol,
    Term,
    Type,
    function_type,
    type_variable,
)
from verifier.lean import Declaration

TEST_TYPE = "Nat"
"""Type variables are tested at this type: it has many values and decidable equality."""

CONNECTIVES = frozenset({"Not", "And", "Or", "Iff", "Ne", "Exists"})
PREDICATE_NOTATIONS = frozenset({"LE.le", "LT.lt"})
INSTANCE_IMPLICIT = 3
EXPLICIT = 0


Typed = tuple[tuple[str, Type], ...]
"""Variables with their types."""


class OutOfFragment(Exception):
    """An expression has no counterpart in the language."""


@dataclass(frozen=True)
class _Binder:
    """A bound variable of a type: what role it plays, and its name in the language."""

    role: str  # "type", "instance", "value", "hypothesis"
    name: str


def spine(expression: Any) -> tuple[Any, list[Any]]:
    """Head and arguments of an application."""
    args = []
    while expression[0] == "a":
        args.append(expression[2])
        expression = expression[1]
    return expression, args[::-1]


def read_symbol(declaration: Declaration, text: str) -> Symbol | None:
    """The symbol for a definition or constructor, or ``None`` when its type does not fit.

    Args:
        declaration: From Lean.
        text: How the constant is written in the scope of the theory.
    """
    try:
        return _Reader({}).symbol(declaration, text)
    except OutOfFragment:
        return None


def read_law(type_: Any, symbols: Mapping[str, Symbol]) -> Law | None:
    """The law that a theorem states, or ``None`` when it does not fit into the language.

    Hypotheses and conclusion are equations, equivalences, predicates or negations of these.

    Args:
        type_: The theorem's type as JSON.
        symbols: Known symbols by Lean name.
    """
    try:
        return _Reader(symbols).law(type_)
    except OutOfFragment:
        return None


def read_cases(type_: Any, symbols: Mapping[str, Symbol]) -> list[Law]:
    """The laws that an equation of a definition states: one for each way through ``if``.

    ``f x = if c then s else t`` is ``c → f x = s`` and ``¬ c → f x = t``.

    Args:
        type_: The equation as JSON.
        symbols: Known symbols by Lean name.

    Returns:
        Nothing when it does not fit into the language.
    """
    try:
        return _Reader(symbols).cases(type_)
    except OutOfFragment:
        return []


class _Reader:
    def __init__(self, symbols: Mapping[str, Symbol]) -> None:
        self._symbols = symbols
        self._binders: list[_Binder] = []
        self._used: set[str] = set()

    def symbol(self, declaration: Declaration, text: str) -> Symbol:
        constraints: list[Constraint] = []
        params: list[Type] = []
        implicit = [f"@{declaration.name}"]
        body = declaration.type
        while body is not None and body[0] == "p":
            _, name, domain, rest, info = body
            if domain == ["s", ["0"]]:
                raise OutOfFragment("a proposition as an argument")
            if domain[0] == "s":
                self._bind("type", name)
                implicit.append(f"{{{self._binders[-1].name}}}")
            elif info == INSTANCE_IMPLICIT:
                constraints.append(self._constraint(domain))
                self._bind("instance", name)
                implicit.append("_")
            elif info == EXPLICIT:
                params.append(self.type(domain))
                self._bind("value", name)
            else:
                raise OutOfFragment("implicit values")
            body = rest
        if body is None:
            raise OutOfFragment("too large")
        result = self.result(body)
        closed = " ".join(implicit)
        return Symbol(
            name=declaration.name,
            params=tuple(params),
            result=result,
            text=text,
            closed=_decided(closed, params) if result.head == PROPOSITION else closed,
            implicit=len(implicit) - 1,
            constraints=tuple(constraints),
            is_constructor=declaration.kind == "constructor",
        )

    def result(self, expression: Any) -> Type:
        """The type of a saturated application; ``Prop`` for a predicate."""
        if expression[:2] == ["s", ["0"]]:
            return Type(PROPOSITION)
        return self.type(expression)

    def law(self, body: Any) -> Law:
        types, hypotheses, body = self._telescope(body)
        conclusion = self.equation(body)
        return Law(conclusion.lhs, conclusion.rhs, types, hypotheses)

    def cases(self, body: Any) -> list[Law]:
        types, hypotheses, body = self._telescope(body)
        head, args = spine(body)
        if head[:2] != ["c", "Eq"] or len(args) != 3:
            conclusion = self.equation(body)
            return [Law(conclusion.lhs, conclusion.rhs, types, hypotheses)]
        lhs = self.term(args[1])
        return [
            Law(lhs, value, types, (*hypotheses, *conditions))
            for conditions, value in self._branches(args[2])
        ]

    def _branches(self, expression: Any) -> Iterator[tuple[tuple[Equation, ...], Term]]:
        """The values of an expression, each with the conditions of the ``if`` around it."""
        head, args = spine(expression)
        if head[:2] != ["c", "ite"] or len(args) != 5:
            yield (), self.term(expression)
            return
        condition = self.equation(args[1])
        for holds, branch in ((condition, args[3]), (_negated(condition), args[4])):
            for conditions, value in self._branches(branch):
                yield (holds, *conditions), value

    def _telescope(
        self, body: Any
    ) -> tuple[tuple[tuple[str, Type], ...], tuple[Equation, ...], Any]:
        """Binders: variables with their types, and hypotheses; then what is said of them."""
        types: list[tuple[str, Type]] = []
        hypotheses: list[Equation] = []
        while body is not None and body[0] == "p":
            _, name, domain, rest, info = body
            if domain[0] == "s" and domain[1] != ["0"]:
                self._bind("type", name)
            elif info == INSTANCE_IMPLICIT:
                self._bind("instance", name)
            elif (hypothesis := self._hypothesis(domain)) is not None:
                hypotheses.append(hypothesis)
                self._bind("hypothesis", name)
            else:
                type_ = self.type(domain)
                self._bind("value", name)
                types.append((self._binders[-1].name, type_))
            body = rest
        if body is None:
            raise OutOfFragment("too large")
        return tuple(types), tuple(hypotheses), body

    def _hypothesis(self, domain: Any) -> Equation | None:
        """A binder's domain as a hypothesis; ``None`` when it is the type of a variable."""
        head, _ = spine(domain)
        if head[0] == "p":
            if self._is_proposition(head[3]):
                raise OutOfFragment("a hypothesis with binders of its own")
            return None
        return self.equation(domain) if self._is_proposition(domain) else None

    def _is_proposition(self, expression: Any) -> bool:
        while expression[0] == "p":
            expression = expression[3]
        head, _ = spine(expression)
        if head[0] != "c":
            return False
        known = self._symbols.get(head[1])
        return (
            head[1] in CONNECTIVES
            or head[1] in LOGIC
            or head[1] in PREDICATE_NOTATIONS
            or (known is not None and known.is_predicate)
        )

    def equation(self, expression: Any) -> Equation:
        """A proposition as an equation."""
        head, args = spine(expression)
        if head[0] != "c":
            raise OutOfFragment("not an equation")
        if (head[1] == "Eq" and len(args) == 3) or (head[1] == "Iff" and len(args) == 2):
            return Equation(*(self.term(a) for a in args[-2:]))
        if head[1] == "Ne" and len(args) == 3:
            return Equation(self._known("Eq", args), Term(FALSE))
        if head[1] == "Not" and len(args) == 1:
            return Equation(self.term(args[0]), Term(FALSE))
        term = self.term(expression)
        if not is_proposition(term):
            raise OutOfFragment("not an equation")
        return Equation(term, Term(TRUE))

    def _bind(self, role: str, name: str) -> None:
        """Adds a binder under a name that is new; Lean's hygienic names are shortened."""
        base = name.split(".")[0].strip("«»_@") or "x"
        fresh, number = base, 1
        while fresh in self._used:
            number += 1
            fresh = f"{base}{number}"
        self._used.add(fresh)
        self._binders.append(_Binder(role, fresh))

    def _bound(self, index: int) -> _Binder:
        if index >= len(self._binders):
            raise OutOfFragment("a bound variable of an inner binder")
        return self._binders[-1 - index]

    def _constraint(self, domain: Any) -> Constraint:
        head, args = spine(domain)
        if head[0] != "c" or len(args) != 1:
            raise OutOfFragment("a class with other than one argument")
        return Constraint(head[1], self.type(args[0]))

    def type(self, expression: Any) -> Type:
        if expression[0] == "p":
            domain = self.type(expression[2])
            self._binders.append(_Binder("value", ""))
            codomain = self.type(expression[3])
            self._binders.pop()
            return function_type(domain, codomain)
        head, args = spine(expression)
        if head[0] == "v":
            binder = self._bound(head[1])
            if binder.role != "type" or args:
                raise OutOfFragment("a type that depends on a value")
            return type_variable(binder.name)
        if head[0] != "c":
            raise OutOfFragment("not a simple type")
        return Type(head[1], tuple(self.type(a) for a in args))

    def term(self, expression: Any) -> Term:
        head, args = spine(expression)
        if head[0] == "v":
            binder = self._bound(head[1])
            if binder.role != "value":
                raise OutOfFragment("a type as a term")
            return Term(binder.name, tuple(self.term(a) for a in args))
        if head[0] == "n":
            return self._numeral(TEST_TYPE, head[1])
        if head[0] != "c":
            raise OutOfFragment("not a simple term")
        if numeral := _numeral(head[1], args):
            return self._numeral(*numeral)
        if notation := _notation(head[1], args):
            name, operands = notation
            return self._known(name, operands)
        return self._known(head[1], args)

    def _numeral(self, type_: str, digits: str) -> Term:
        return Term(
            Symbol(
                name=f"{type_} {digits}",
                params=(),
                result=Type(type_),
                text=digits,
                closed=f"({digits} : {type_})",
                is_background=True,
            )
        )

    def _known(self, name: str, args: Sequence[Any]) -> Term:
        symbol = LOGIC.get(name) or self._symbols.get(name)
        if symbol is None:
            raise OutOfFragment(f"the constant {name}")
        return Term(symbol, tuple(self.term(a) for a in args[symbol.implicit :]))


def _numeral(head: str, args: Sequence[Any]) -> tuple[str, str] | None:
    """Type and digits of ``OfNat.ofNat Nat 3 inst``."""
    if head != "OfNat.ofNat" or len(args) != 3 or args[1][0] != "n" or args[0][0] != "c":
        return None
    return args[0][1], args[1][1]


def _notation(head: str, args: Sequence[Any]) -> tuple[str, Sequence[Any]] | None:
    """A class method at a core type, ``HAdd.hAdd Nat Nat Nat inst a b``, as symbol and operands."""
    if NOTATIONS.get(head) != len(args):
        return None
    type_, _ = spine(args[0])
    return (f"{head} {type_[1]}", args[-2:]) if type_[0] == "c" else None


def _negated(equation: Equation) -> Equation:
    """The negation of what :meth:`_Reader.equation` makes, of a Boolean as the other value."""
    if equation.rhs.head == TRUE:
        return Equation(equation.lhs, Term(FALSE))
    if equation.rhs.head == FALSE:
        return Equation(equation.lhs, Term(TRUE))
    for value, other in (YES_NO, YES_NO[::-1]):
        if equation.rhs.head == value:
            return Equation(equation.lhs, Term(other))
    return Equation(Term(EQ, (equation.lhs, equation.rhs)), Term(FALSE))


def _decided(applied: str, params: Sequence[Type]) -> str:
    """A predicate as a function into ``Bool``, where Lean finds out how to decide it."""
    names = [f"x{i}" for i in range(len(params))]
    binders = " ".join(f"({n} : {_template(t)})" for n, t in zip(names, params, strict=True))
    body = f"decide ({' '.join((applied, *names))})"
    return f"fun {binders} => {body}" if names else body


def _template(t: Type) -> str:
    """A type as Lean text with ``{α}`` for its variables."""
    return type_text(t.substitute({v: Type(f"{{{v}}}") for v in t.variables()}))
