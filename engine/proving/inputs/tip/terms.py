"""Terms and formulas of a TIP problem as Lean text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.proving.inputs.tip.names import lean_name
from engine.proving.inputs.tip.scope import Scope, lean_type
from engine.proving.inputs.tip.sexpr import Sexpr, pair, show, symbol_of, symbols, two
from verifier.errors import InputError

COMPARISONS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">"}
ARITHMETIC = {"+": "+", "-": "-", "*": "*", "div": "/", "mod": "%"}
PROPOSITIONS = frozenset({"=", "distinct", "not", "and", "or", "=>", *COMPARISONS})
QUANTIFIERS = {"forall": "∀", "exists": "∃"}


@dataclass(frozen=True)
class Guard:
    """How a function is called where Lean does not see that it ends: if a measure gets smaller.

    Attributes:
        name: Of the function. otherwise: Of the unknown function that stands for the other calls.
        arity: How many arguments it has.
        factor, rank: The measure of a call is the factor times the size of the arguments, plus the
            rank of the function among those that are defined with it.
        caller: The measure of the call in which this one stands.
    """

    name: str
    otherwise: str
    arity: int
    factor: int
    rank: int
    caller: str

    def call(self, arguments: Sequence[str]) -> str:
        """A call with its guard.

        Raises:
            InputError: It has too few arguments.
        """
        if len(arguments) != self.arity:
            raise InputError(f"{self.name} calls itself with arguments missing")
        said = " ".join(arguments)
        smaller = f"{measure(arguments, self.factor, self.rank)} < {self.caller}"
        return f"(if smaller : {smaller} then {self.name} {said} else {self.otherwise} {said})"


def measure(arguments: Sequence[str], factor: int, rank: int) -> str:
    """The measure of a call, as Lean text."""
    sizes = " + ".join(f"sizeOf {a}" for a in arguments)
    return f"{factor} * ({sizes}) + {rank}" if factor > 1 else sizes


class Terms:
    """Terms and formulas in a scope.

    Args:
        scope: Types, constructors and functions.
        variables: What variables of terms are called.
        guards: Functions whose calls are guarded.
    """

    def __init__(
        self, scope: Scope, variables: Mapping[str, str], guards: Mapping[str, Guard] | None = None
    ) -> None:
        self._scope = scope
        self._variables = variables
        self._guards = guards or {}

    def _bound(self, names: Iterable[str]) -> dict[str, str]:
        """Names for new variables, none of which hides what an older one stands for."""
        new = tuple(names)
        older = (text for name, text in self._variables.items() if name not in new)
        taken = {
            part for text in older for part in text.replace("(", " ").replace(")", " ").split()
        }
        found: dict[str, str] = {}
        for name in new:
            wanted = name
            while lean_name(wanted) in taken:
                wanted += "'"
            found[name] = lean_name(wanted)
            taken.add(found[name])
        return found

    def _with(self, more: Mapping[str, str]) -> Terms:
        return Terms(self._scope, {**self._variables, **more}, self._guards)

    def proposition(self, formula: Sexpr, depth: int) -> str:
        """A formula as a proposition."""
        p = self.proposition
        match formula:
            case "true":
                return "True"
            case "false":
                return "False"
            case ("not", inner):
                return f"(¬ {p(inner, depth)})"
            case ("and", *parts):
                return f"({' ∧ '.join(p(x, depth) for x in parts)})"
            case ("or", *parts):
                return f"({' ∨ '.join(p(x, depth) for x in parts)})"
            case ("=>", *parts):
                return f"({' → '.join(p(x, depth) for x in parts)})"
            case ("=" | "distinct" as symbol, *parts):
                return self._compared(symbol, parts, depth)
            case (str(symbol), left, right) if symbol in COMPARISONS:
                return f"({self.term(left, depth)} {COMPARISONS[symbol]} {self.term(right, depth)})"
            case ("forall" | "exists" as symbol, tuple(parameters), body):
                return self._quantified(symbol, parameters, body, depth)
            case ("match", scrutinee, tuple(branches)) if has_quantifier(formula):
                return self._match(scrutinee, branches, depth, propositions=True)
            case ("ite", condition, yes, no) if has_quantifier(formula):
                c = p(condition, depth)
                return f"(({c} → {p(yes, depth)}) ∧ (¬ {c} → {p(no, depth)}))"
        return f"({self.term(formula, depth)} = true)"

    def _compared(self, symbol: str, parts: Sequence[Sexpr], depth: int) -> str:
        if any(has_quantifier(x) for x in parts):
            left, right = (self.proposition(x, depth) for x in parts)
            return f"({left} ↔ {right})" if symbol == "=" else f"(¬ ({left} ↔ {right}))"
        terms = [self.term(x, depth) for x in parts]
        if symbol == "=":
            pairs = [f"{a} = {b}" for a, b in pairwise(terms)]
        else:
            pairs = [f"{a} ≠ {b}" for i, a in enumerate(terms) for b in terms[i + 1 :]]
        return f"({' ∧ '.join(pairs)})"

    def _quantified(
        self, symbol: str, parameters: tuple[Sexpr, ...], body: Sexpr, depth: int
    ) -> str:
        pairs = [pair(parameter) for parameter in parameters]
        bound = self._bound(name for name, _ in pairs)
        text = self._with(bound).proposition(body, depth)
        for name, type_ in reversed(pairs):
            said = f"{bound[name]} : {lean_type(self._scope, type_)}"
            text = f"{QUANTIFIERS[symbol]} {said}, {text}"
        return f"({text})"

    def term(self, expression: Sexpr, depth: int) -> str:
        """A term; a formula becomes one of type ``Bool``."""
        t = self.term
        match expression:
            case str():
                return self._symbol(expression)
            case ("ite", condition, yes, no):
                c = self.proposition(condition, depth)
                return f"(if {c} then {t(yes, depth)} else {t(no, depth)})"
            case ("match", scrutinee, tuple(branches)):
                return self._match(scrutinee, branches, depth)
            case ("let", tuple(bindings), body):
                return self._let(bindings, body, depth)
            case ("lambda", tuple(parameters), body):
                return self._lambda(parameters, body, depth)
            case ("not", inner):
                return f"(!{t(inner, depth)})"
            case ("and", *parts):
                return f"({' && '.join(t(x, depth) for x in parts)})"
            case ("or", *parts):
                return f"({' || '.join(t(x, depth) for x in parts)})"
            case ("=>", *conditions, conclusion):
                negated = [f"!{t(x, depth)}" for x in conditions]
                return f"({' || '.join((*negated, t(conclusion, depth)))})"
            case (str(symbol), *_) if symbol in PROPOSITIONS:
                return f"(decide {self.proposition(expression, depth)})"
            case ("-", only):
                return f"(-{t(only, depth)})"
            case (str(symbol), *parts) if symbol in ARITHMETIC and len(parts) > 1:
                return f"({f' {ARITHMETIC[symbol]} '.join(t(x, depth) for x in parts)})"
            case ("_" | "as", *_):
                return self._instantiated(expression)
            case ("@", *parts) | parts if parts:
                return self._application(tuple(parts), depth)
        raise InputError(f"no translation of {show(expression)}")

    def _symbol(self, symbol: str) -> str:
        if symbol in self._variables:
            return self._variables[symbol]
        if symbol in ("true", "false"):
            return symbol
        if symbol.isdigit():
            return f"({symbol} : Int)"
        if symbol in self._scope.constructors:
            return self._scope.constructors[symbol].name
        if symbol in self._scope.functions:
            return self._scope.functions[symbol].name
        raise InputError(f"nothing is called {symbol}")

    def _instantiated(self, expression: tuple[Sexpr, ...]) -> str:
        """``(_ f T)`` and ``(as f T)``: a polymorphic symbol at some types."""
        _, head, *types = expression
        if expression[0] == "as":
            return f"({self.term(head, 0)} : {lean_type(self._scope, types[0])})"
        symbol = symbol_of(head)
        constructor = self._scope.constructors.get(symbol)
        if constructor is not None:
            said = " ".join(lean_type(self._scope, x, atom=True) for x in types)
            return f"(@{constructor.name} {said})"
        function = self._scope.functions.get(symbol)
        if function is None or len(types) != len(function.type_variables):
            raise InputError(f"no translation of {show(expression)}")
        named = " ".join(
            f"({v} := {lean_type(self._scope, x)})"
            for v, x in zip(function.type_variables, types, strict=True)
        )
        return f"({function.name} {named})"

    def _application(self, parts: tuple[Sexpr, ...], depth: int) -> str:
        head, *arguments = parts
        said = " ".join(self.term(x, depth) for x in arguments)
        if isinstance(head, tuple) and len(head) == 3 and head[:2] == ("_", "is"):
            return self._test(symbol_of(head[2]), said)
        if isinstance(head, str) and head not in self._variables:
            if head.startswith("is-") and head[3:] in self._scope.constructors:
                return self._test(head[3:], said)
            if head in self._scope.selectors and head not in self._scope.functions:
                return self._selected(head, said)
            if head in self._guards:
                return self._guards[head].call([self.term(x, depth) for x in arguments])
        return f"({self.term(head, depth)} {said})" if arguments else self.term(head, depth)

    def _test(self, symbol: str, scrutinee: str) -> str:
        constructor = self._scope.constructors[symbol]
        blanks = " _" * len(constructor.selectors)
        return f"(match {scrutinee} with | {constructor.name}{blanks} => true | _ => false)"

    def _selected(self, selector: str, scrutinee: str) -> str:
        constructor = self._scope.selectors[selector]
        if len(self._scope.families[constructor.owner]) > 1:
            raise InputError(f"{selector} has no value on other constructors")
        names = ["v" if s == selector else "_" for s in constructor.selectors]
        return f"(match {scrutinee} with | {constructor.name} {' '.join(names)} => v)"

    def _let(self, bindings: tuple[Sexpr, ...], body: Sexpr, depth: int) -> str:
        pairs = [pair(binding) for binding in bindings]
        later = {s for _, value in pairs[1:] for s in symbols(value)}
        if any(name in later for name, _ in pairs):
            raise InputError("a `let` whose names occur in its other values")
        bound = self._bound(name for name, _ in pairs)
        said = "".join(f"let {bound[n]} := {self.term(v, depth)}; " for n, v in pairs)
        return f"({said}{self._with(bound).term(body, depth)})"

    def _lambda(self, parameters: tuple[Sexpr, ...], body: Sexpr, depth: int) -> str:
        pairs = [pair(parameter) for parameter in parameters]
        bound = self._bound(name for name, _ in pairs)
        binders = " ".join(f"({bound[n]} : {lean_type(self._scope, t)})" for n, t in pairs)
        return f"(fun {binders} => {self._with(bound).term(body, depth)})"

    def _match(
        self,
        scrutinee: Sexpr,
        branches: tuple[Sexpr, ...],
        depth: int,
        propositions: bool = False,
    ) -> str:
        said = self.term(scrutinee, depth)
        indent = "  " * (depth + 1)
        equation = "shape : " if self._guards else ""  # a guard speaks of the value as a whole
        lines = [f"(match {equation}{said} with"]
        for branch in branches:
            pattern, body = two(branch)
            text, bound = self._pattern(pattern)
            inner = self._with(bound)
            value = inner.proposition if propositions else inner.term
            lines.append(f"{indent}| {text} => {value(body, depth + 1)}")
        return "\n".join(lines) + ")"

    def _pattern(self, pattern: Sexpr) -> tuple[str, dict[str, str]]:
        """A pattern, and what its variables are called."""
        if isinstance(pattern, tuple):
            head, *names = pattern
            constructor = self._scope.constructors.get(symbol_of(head))
            if constructor is None:
                raise InputError(f"{show(head)} is no constructor")
            bound = self._bound(symbol_of(n) for n in names if n != "_")
            shown = " ".join("_" if n == "_" else bound[symbol_of(n)] for n in names)
            return f"{constructor.name} {shown}", bound
        if pattern in ("_", "default"):
            return "_", {}
        if pattern in ("true", "false") or pattern.isdigit():
            return pattern, {}
        if pattern in self._scope.constructors:
            return self._scope.constructors[pattern].name, {}
        bound = self._bound([pattern])
        return bound[pattern], bound


def has_quantifier(formula: Sexpr) -> bool:
    """Whether a formula can be a proposition only."""
    return any(symbol in QUANTIFIERS for symbol in symbols(formula))
