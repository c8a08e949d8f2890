"""From Lean's expressions to code of the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from engine.language.machine.expressions import (
    Unreadable,
    decides_equality,
    equation_of,
    is_equality,
    is_nat,
    is_type,
    literal,
    spine_of,
    successor_pattern,
)
from engine.language.machine.machine import Code, Equations, Machine, Pattern
from engine.language.machine.primitives import (
    ARITHMETIC,
    CLASS_METHODS,
    COMPARISONS,
    ORDERS,
    arithmetic,
    comparison,
    natural,
)
from engine.language.machine.values import ERASED, NUMBER
from verifier.lean import Declaration
from verifier.prover.expression import spine

DATA = frozenset({"definition", "constructor", "opaque"})


class Source(Protocol):
    """Where the reader looks constants up."""

    def declaration(self, name: str) -> Declaration | None:
        """What Lean says of a constant."""

    def equations(self, name: str) -> list[Any]:
        """Types of the theorems ``f.eq_1``, ``f.eq_2``, … of a function, as JSON."""


class Reader:
    """Compiles closed expressions, and the functions that they mention.

    Types, proofs and the instances that no computation looks at become ``ERASED``. The equations
    of a function are tried in order, which is what the conditions say that Lean gives to
    overlapping ones.

    Args:
        machine: Runs the code.
        source: Where constants are looked up.
    """

    def __init__(self, machine: Machine, source: Source) -> None:
        self._machine = machine
        self._values = machine.values
        self._source = source
        self._functions: dict[str, int] = {}
        self._unreadable: set[str] = set()

    def compile(self, expression: Any) -> Code:
        """Code for a closed expression.

        Raises:
            Unreadable: It, or a function that it mentions, is beyond the machine.
        """
        known = set(self._functions)
        try:
            return self._code(expression, 0)
        except Unreadable:
            for name in set(self._functions) - known:  # they may lead to what is unreadable
                del self._functions[name]
            raise

    # -- expressions -------------------------------------------------------------------------

    def _code(self, e: Any, depth: int) -> Code:
        """Code for an expression below so many binders."""
        kind = e[0]
        if kind == "v":
            level = depth - 1 - e[1]
            return lambda env: env[level]
        if kind in ("s", "p"):
            return _constant(ERASED)
        if kind == "n":
            return _constant(self._values.natural(int(e[1])))
        if kind == "l":
            return self._abstraction(self._code(e[3], depth + 1))
        if kind == "let":
            value, body = self._code(e[3], depth), self._code(e[4], depth + 1)
            return lambda env: body((*env, value(env)))
        if kind == "proj":
            return self._projection(e[2], self._code(e[3], depth))
        head, args = spine(e)
        if head[0] == "c":
            return self._application(head[1], args, depth)
        if kind == "a":
            return self._applied(self._code(head, depth), args, depth)
        raise Unreadable(kind)

    def _abstraction(self, body: Code) -> Code:
        number = self._machine.closure(body)
        return lambda env: self._machine.abstraction(number, env)

    def _projection(self, index: int, structure: Code) -> Code:
        nodes = self._values.nodes
        return lambda env: nodes[structure(env)][1 + index]

    def _applied(self, function: Code, args: Sequence[Any], depth: int) -> Code:
        apply = self._machine.apply
        for arg in args:
            function = _apply_code(apply, function, self._code(arg, depth))
        return function

    def _application(self, name: str, args: list[Any], depth: int) -> Code:
        special = self._special(name, args, depth)
        if special is not None:
            used, code = special
            return self._applied(code, args[used:], depth)
        declaration = self._declaration(name)
        if declaration.kind not in DATA:
            return _constant(ERASED)
        if declaration.kind == "constructor":
            return self._construction(declaration, args, depth)
        if is_type(declaration.type):
            return _constant(ERASED)
        number, arity = self._function(declaration)
        codes = [self._code(a, depth) for a in args]
        called = _call(self._machine, number, arity, codes[:arity])
        return self._applied_codes(called, codes[arity:])

    def _applied_codes(self, function: Code, codes: Sequence[Code]) -> Code:
        for code in codes:
            function = _apply_code(self._machine.apply, function, code)
        return function

    def _declaration(self, name: str) -> Declaration:
        declaration = self._source.declaration(name)
        if declaration is None:
            raise Unreadable(name)
        return declaration

    def _construction(self, declaration: Declaration, args: list[Any], depth: int) -> Code:
        parameters, fields = declaration.parameters or 0, declaration.fields or 0
        number = self._constructor(declaration.name, fields)
        codes = [self._code(a, depth) for a in args[parameters:]]
        return _call(self._machine, number, fields, codes)

    def _constructor(self, name: str, fields: int) -> int:
        if name not in self._functions:
            make = self._values.make
            if name == "Nat.succ":
                run: Callable[[Sequence[int]], int] = self._successor
            elif name == "Nat.zero":
                run = lambda args: self._values.natural(0)  # noqa: E731
            else:
                run = lambda args: make((name, *args))  # noqa: E731
            self._functions[name] = self._machine.add(fields, run)
        return self._functions[name]

    def _successor(self, args: Sequence[int]) -> int:
        return self._values.natural(natural(self._values, args[0]) + 1)

    # -- functions ---------------------------------------------------------------------------

    def _function(self, declaration: Declaration) -> tuple[int, int]:
        """Number of a function that has equations, and how many arguments they take."""
        name = declaration.name
        if name in self._unreadable:
            raise Unreadable(name)
        if name not in self._functions:
            stated = [equation_of(t) for t in self._source.equations(name)]
            if not stated:
                self._unreadable.add(name)
                raise Unreadable(name)
            (arity,) = {len(args) for _, args, _ in stated}
            equations = Equations(self._values.nodes)
            self._functions[name] = self._machine.add(arity, equations)
            for depth, args, right in stated:
                patterns = [self._pattern(a, depth) for a in args]
                equations.add(patterns, depth, self._code(right, depth))
        number = self._functions[name]
        return number, self._machine.arity(number)

    def _pattern(self, e: Any, depth: int) -> Pattern:
        """What a value must look like to fit an argument of the left side of an equation."""
        head, args = spine(e)
        if head[0] == "v" and not args:
            return Pattern(level=depth - 1 - head[1])
        if (number := literal(e)) is not None:
            wanted = self._values.natural(number)
            return Pattern(fits=lambda value, found: value == wanted)
        if head[0] != "c":
            return Pattern()  # a type or an instance
        if (less := successor_pattern(head[1], args)) is not None:
            return self._at_least(less[1], self._pattern(less[0], depth))
        declaration = self._declaration(head[1])
        if declaration.kind != "constructor":
            return Pattern()
        parts = [self._pattern(a, depth) for a in args[declaration.parameters or 0 :]]
        return self._constructed(head[1], parts)

    def _constructed(self, name: str, parts: Sequence[Pattern]) -> Pattern:
        nodes = self._values.nodes
        binds = [(i, p.level) for i, p in enumerate(parts, start=1) if p.level is not None]
        tests = [(i, p.fits) for i, p in enumerate(parts, start=1) if p.level is None]

        def fits(value: int, found: list[int]) -> bool:
            node = nodes[value]
            if node[0] != name:
                return False
            for at, level in binds:
                found[level] = node[at]
            return all(test(node[at], found) for at, test in tests) if tests else True

        return Pattern(tag=name, fits=fits)

    def _at_least(self, number: int, rest: Pattern) -> Pattern:
        values = self._values

        def fits(value: int, found: list[int]) -> bool:
            node = values.nodes[value]
            if node[0] != NUMBER or node[1] < number:
                return False
            smaller = values.natural(node[1] - number)
            if rest.level is None:
                return rest.fits(smaller, found)
            found[rest.level] = smaller
            return True

        return Pattern(tag=NUMBER, fits=fits)

    # -- what the machine computes itself ----------------------------------------------------

    def _special(self, name: str, args: list[Any], depth: int) -> tuple[int, Code] | None:
        """Code for a primitive on its first arguments, and how many these are."""
        if (number := literal(spine_of(args, 3, name))) is not None:
            return 3, _constant(self._values.natural(number))
        if name in ("ite", "dite") and len(args) >= 5:
            return 5, self._conditional(name, args, depth)
        if name == "cond" and len(args) >= 4:
            codes = [self._code(a, depth) for a in args[1:4]]
            return 4, self._choice(*codes)
        if name == "Decidable.decide" and len(args) >= 2:
            truth = self._truth(args[0], args[1], depth)
            return 2, self._boolean(truth)
        if name in ("BEq.beq", "bne") and len(args) >= 4 and is_equality(args[1]):
            one, other = self._code(args[2], depth), self._code(args[3], depth)
            return 4, self._compared(one, other, name == "BEq.beq")
        if (method := CLASS_METHODS.get(name)) and len(args) >= 1 and is_nat(args[0]):
            return self._binary(arithmetic(self._values, method[0]), args, method[1], depth)
        if name.startswith("Nat."):
            return self._of_naturals(name[4:], args, depth)
        if (decided := self._decided_equality(name, args, depth)) is not None:
            return decided
        return None

    def _of_naturals(self, name: str, args: list[Any], depth: int) -> tuple[int, Code] | None:
        if name in ARITHMETIC:
            return self._binary(arithmetic(self._values, name), args, 2, depth)
        if name in COMPARISONS:
            return self._binary(comparison(self._values, COMPARISONS[name]), args, 2, depth)
        return None

    def _binary(
        self, operation: Callable[[int, int], int], args: list[Any], count: int, depth: int
    ) -> tuple[int, Code]:
        """A primitive whose last two of ``count`` arguments are numbers; it may have fewer."""
        number = self._machine.add(2, lambda pair: operation(pair[0], pair[1]))
        codes = [self._code(a, depth) for a in args[count - 2 : count]]
        return count, _call(self._machine, number, 2, codes)

    def _conditional(self, name: str, args: list[Any], depth: int) -> Code:
        truth = self._truth(args[1], args[2], depth)
        branches = [self._code(a, depth) for a in args[3:5]]
        if name == "dite":  # each branch is given a proof
            branches = [_apply_code(self._machine.apply, b, _constant(ERASED)) for b in branches]
        return self._choice(truth, *branches)

    def _choice(self, truth: Code, then: Code, otherwise: Code) -> Code:
        is_true = self._values.is_true
        return lambda env: then(env) if is_true(truth(env)) else otherwise(env)

    def _boolean(self, truth: Code) -> Code:
        values = self._values
        return lambda env: values.boolean(values.is_true(truth(env)))

    def _compared(self, one: Code, other: Code, wanted: bool) -> Code:
        boolean = self._values.boolean
        return lambda env: boolean((one(env) == other(env)) == wanted)

    def _truth(self, proposition: Any, instance: Any, depth: int) -> Code:
        """Code that decides a proposition: by its form where that says how, or by its instance."""
        head, args = spine(proposition)
        name = head[1] if head[0] == "c" else ""
        if name in ("True", "False"):
            return _constant(self._values.boolean(name == "True"))
        if name in ("Eq", "Ne") and len(args) == 3:
            one, other = (self._code(a, depth) for a in args[1:])
            return self._compared(one, other, name == "Eq")
        if name in ORDERS and len(args) == 4 and is_nat(args[0]):
            return self._binary(comparison(self._values, ORDERS[name]), args, 4, depth)[1]
        return self._code(instance, depth)

    def _decided_equality(self, name: str, args: list[Any], depth: int) -> tuple[int, Code] | None:
        """A constant that decides whether two values are equal, whatever its definition."""
        declaration = self._source.declaration(name)
        if declaration is None or declaration.kind != "definition":
            return None
        count = decides_equality(declaration.type)
        if count is None:
            return None
        number = self._machine.add(2, lambda pair: self._values.boolean(pair[0] == pair[1]))
        codes = [self._code(a, depth) for a in args[count - 2 : count]]
        return count, _call(self._machine, number, 2, codes)


def _constant(value: int) -> Code:
    return lambda env: value


def _apply_code(apply: Callable[[int, int], int], function: Code, arg: Code) -> Code:
    return lambda env: apply(function(env), arg(env))


def _call(machine: Machine, number: int, arity: int, codes: Sequence[Code]) -> Code:
    """A call with all arguments, or the function applied to fewer."""
    if len(codes) < arity:
        return lambda env: machine.function(number, [c(env) for c in codes])
    if arity == 1:
        (one,) = codes
        return lambda env: machine.call(number, (one(env),))
    if arity == 2:
        one, other = codes
        return lambda env: machine.call(number, (one(env), other(env)))
    return lambda env: machine.call(number, tuple([c(env) for c in codes]))
