"""What terms mean on values: the functions of a theory, run by Lean's kernel at test types."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from engine.language.machine.machine import Machine
from engine.language.machine.running import LeanSource, Runner
from engine.language.printing import closed_text, type_text, value_text
from engine.language.signature import TEST_TYPE, read_symbol, spine
from engine.language.term import Symbol, Term, Type
from verifier.evaluation import Call, Evaluator
from verifier.lean import Environment, Statement
from verifier.session import Session

Columns = Mapping[str, tuple[Type, Sequence[int]]]
"""For each variable its type, and its value in each of several cases."""

NATURALS = (0, 1, 2, 3, 5)
SMALL_POOL = 14
FUNCTIONS_PER_TYPE = 4


class Interpretation:
    """Evaluates terms over the symbols of a theory.

    Type variables stand for core's ``Nat``. Function variables range over a few functions each.

    Args:
        session: The Lean that computes.
        environment: Where the symbols are defined.
        context: Commands that open their scope.
        symbols: The symbols by Lean name; more are looked up as values need them.
        seed: Of the random choice of values.
    """

    def __init__(
        self,
        session: Session,
        environment: Environment,
        context: str,
        symbols: Mapping[str, Symbol],
        seed: int = 0,
    ) -> None:
        self._session = session
        self._environment = environment
        self._context = context
        self._symbols = dict(symbols)
        self._random = random.Random(seed)
        self._indices: dict[str, int] = {}
        self._constructors: dict[str, list[Symbol]] = {}
        self._pools: dict[tuple[Type, int], list[int]] = {}
        self._function_texts: dict[int, str] = {}
        self.evaluator = Evaluator(session, environment, [])
        self._runner = Runner(LeanSource(session, environment))
        self._values_of_symbols: dict[str, int | None] = {}

    @property
    def machine(self) -> Machine:
        """Runs the same functions fast, on values of its own."""
        return self._runner.machine

    def function(self, symbol: Symbol) -> int | None:
        """A symbol's function as a value of the machine; ``None`` if Lean does not compile it.

        Type variables stand for ``Nat``; as types do not matter to a computation, the same value
        serves all types. Equality of values decides equations of any type.
        """
        if symbol.name not in self._values_of_symbols:
            self._values_of_symbols[symbol.name] = self._function(symbol)
        return self._values_of_symbols[symbol.name]

    def _function(self, symbol: Symbol) -> int | None:
        expression = self._elaborate(closed_text(symbol, _test_assignment(symbol)))
        if expression is None:
            return None
        value = self._runner.value(expression)
        if value is not None:
            return value
        return self._runner.by_kernel(len(symbol.params), lambda args: self._kernel(symbol, args))

    def _kernel(self, symbol: Symbol, args: Sequence[Any]) -> Any:
        """The structure of a result, by the kernel."""
        index = self.symbol_index(symbol)
        numbers = [self._number(a) for a in args]
        if index is None or None in numbers:
            return None
        (result,) = self.evaluator.apply([(index, *(n for n in numbers if n is not None))])
        return self.evaluator.structure(result) if result >= 0 else None

    def _number(self, structure: Any) -> int | None:
        """The evaluator's number of the value with a structure."""
        if not isinstance(structure, list):
            index = self.index(f"literal {structure}", f"({structure} : Nat)")
            fields: list[int | None] = []
        else:
            name, *parts = structure
            symbol = self._constructor(name)
            index = None if symbol is None else self.symbol_index(symbol)
            fields = [self._number(p) for p in parts]
        if index is None or None in fields:
            return None
        (number,) = self.evaluator.apply([(index, *(f for f in fields if f is not None))])
        return number if number >= 0 else None

    def constructors(self, type_: Type) -> list[tuple[Symbol, tuple[Type, ...]]]:
        """Constructors of an inductive type, with the types of their fields at this instance.

        Those are left out whose fields do not fit into the language.
        """
        if type_.head not in self._constructors:
            known = [
                s
                for s in self._symbols.values()
                if s.is_constructor and s.result.head == type_.head
            ]
            self._constructors[type_.head] = known or self._look_up(type_.head)
        found = []
        for symbol in self._constructors[type_.head]:
            names = [a.head for a in symbol.result.args]
            at = dict(zip(names, type_.args, strict=False))
            found.append((symbol, tuple(p.substitute(at) for p in symbol.params)))
        return found

    def _constructor(self, name: str) -> Symbol | None:
        if name not in self._symbols:
            (declaration,) = self._session.declarations(self._environment, [name])
            symbol = read_symbol(declaration, name) if declaration else None
            if symbol is not None:
                self._symbols[name] = symbol
        return self._symbols.get(name)

    def index(self, key: str, closed: str) -> int | None:
        """Number of a closed function, compiled by Lean at first use; ``None`` if it does not."""
        if key not in self._indices:
            expression = self._elaborate(closed)
            if expression is None:
                return None
            self._indices[key] = self.evaluator.add_function(expression)
        return self._indices[key]

    def symbol_index(self, symbol: Symbol) -> int | None:
        """Number of a symbol's function, its type variables at the test type."""
        return self.index(symbol.name, closed_text(symbol, _test_assignment(symbol)))

    def application_index(self, function: Type) -> int | None:
        """Number of the function that applies a function of a type to an argument."""
        domain, codomain = (type_text(at_test_type(t)) for t in function.args)
        closed = f"fun (f : ({domain}) → ({codomain})) (x : {domain}) => f x"
        return self.index(closed, closed)

    def values(self, type_: Type, size: int = SMALL_POOL) -> list[int]:
        """Values of a type, small ones first, at most about ``size`` of them; seeded.

        Types without values that can be made (or functions into them) give an empty list.
        """
        type_ = at_test_type(type_)
        key = (type_, size)
        if key not in self._pools:
            self._pools[key] = []  # guards against a type that needs itself first
            self._pools[key] = self._make_values(type_, size)
        return self._pools[key]

    def describe(self, value: int) -> str:
        """A value as Lean text in the theory's scope."""
        names = {s.name: s.text for s in self._symbols.values() if s.is_constructor}
        structure = self.evaluator.structure(value)
        if isinstance(structure, list) and structure[0] == "?":
            return self._function_texts.get(value, "a function")
        return value_text(structure, names)

    def evaluate(self, term: Term, columns: Columns) -> list[int]:
        """Values of a term in several cases at once.

        Args:
            term: A term over the symbols.
            columns: For each variable its type and its value in every case.

        Returns:
            One value number a case; a negative code where there is none.
        """
        args = [self.evaluate(a, columns) for a in term.args]
        if isinstance(term.head, Symbol):
            index = self.symbol_index(term.head)
            if index is None:
                raise KeyError(term.head.name)
            cases = len(next(iter(columns.values()))[1]) if columns else 1
            rows = zip(*args, strict=True) if args else [()] * cases
            return self.evaluator.apply([(index, *row) for row in rows])
        type_, values = columns[term.head]
        return self.apply_values(type_, values, args)

    def apply_values(
        self, type_: Type, functions: Sequence[int], args: Sequence[Sequence[int]]
    ) -> list[int]:
        """Applies functions of a type, case by case, to one argument after the other."""
        values = list(functions)
        for arg in args:
            index = self.application_index(type_)
            if index is None:
                raise KeyError(type_text(type_))
            values = self.evaluator.apply([(index, *row) for row in zip(values, arg, strict=True)])
            type_ = type_.args[1]
        return values

    def _elaborate(self, closed: str) -> Any:
        """The kernel expression of a closed term, or ``None`` when Lean does not accept it."""
        statement = Statement(
            self._environment, "closed_term", f": ({closed}) = ({closed})", self._context
        )
        facts = self._session.state(statement)
        if facts.type is None or any(m.is_error for m in facts.messages):
            return None
        return spine(facts.type)[1][1]

    def _make_values(self, type_: Type, size: int) -> list[int]:
        if type_.is_function:
            return self._functions(type_)
        if type_.head == TEST_TYPE:
            literals = [self.index(f"literal {n}", f"({n} : Nat)") for n in NATURALS]
            return self._apply([(i,) for i in literals if i is not None])
        return self._inductive_values(type_, size)

    def _apply(self, calls: Sequence[Call]) -> list[int]:
        found = [v for v in self.evaluator.apply(calls) if v >= 0]
        return list(dict.fromkeys(found))

    def _inductive_values(self, type_: Type, size: int) -> list[int]:
        """Values by constructors: all of the first generation, then random ones of later ones."""
        pool: list[int] = []
        constructors = [
            (s, tuple(map(at_test_type, fields))) for s, fields in self.constructors(type_)
        ]
        for _ in range(size):  # a type with one value a generation needs as many
            calls: list[Call] = []
            for constructor, params in constructors:
                index = self.symbol_index(constructor)
                if index is None:
                    continue
                fields = [pool if p == type_ else self.values(p, size) for p in params]
                choices = list(_some_products(fields, size, self._random))
                calls += [(index, *choice) for choice in choices]
            grown = list(dict.fromkeys([*pool, *self._apply(calls)]))
            if grown == pool:
                break
            pool = (
                grown if len(grown) <= size else [*grown[: size // 2], *self._sample(grown, size)]
            )
            if len(grown) >= 3 * size:
                break
        return pool[:size]

    def _sample(self, grown: list[int], size: int) -> list[int]:
        rest = grown[size // 2 :]
        return sorted(self._random.sample(rest, min(len(rest), size - size // 2)))

    def _look_up(self, head: str) -> list[Symbol]:
        """Constructors of a type that the theory did not declare itself, from Lean."""
        (inductive,) = self._session.declarations(self._environment, [head])
        if inductive is None:
            return []
        declarations = self._session.declarations(self._environment, inductive.constructors)
        symbols = [read_symbol(d, d.name) for d in declarations if d is not None]
        found = [s for s in symbols if s is not None]
        self._symbols.update({s.name: s for s in found})
        return found

    def _functions(self, type_: Type) -> list[int]:
        """A few functions of a type: projections, constructors, arithmetic, constants."""
        found: list[int] = []
        for text in self._function_candidates(type_):
            index = self.index(f"function {text}", text)
            if index is None:
                continue
            for value in self._apply([(index,)]):
                if value not in found:
                    found.append(value)
                    self._function_texts[value] = text
            if len(found) >= FUNCTIONS_PER_TYPE:
                break
        return found

    def _function_candidates(self, type_: Type) -> Iterator[str]:
        domains, codomain = [], type_
        while codomain.is_function:
            domains.append(codomain.args[0])
            codomain = codomain.args[1]
        names = [f"x{i}" for i in range(len(domains))]
        binders = " ".join(f"({n} : {type_text(t)})" for n, t in zip(names, domains, strict=True))
        for body in self._bodies(names, domains, codomain):
            yield f"fun {binders} => {body}"

    def _bodies(self, names: list[str], domains: list[Type], codomain: Type) -> Iterator[str]:
        numbers = [n for n, t in zip(names, domains, strict=True) if t.head == TEST_TYPE]
        if codomain.head == TEST_TYPE and numbers:
            yield " + ".join(f"{k} * {n}" for k, n in enumerate(numbers, start=2)) + " + 1"
        if codomain.head == "Bool" and numbers:
            yield f"{numbers[0]} % 2 == 0"
            yield f"Nat.ble {numbers[-1]} 2"
        yield from (n for n, t in zip(names, domains, strict=True) if t == codomain)
        for symbol in self._symbols.values():
            if symbol.is_constructor and symbol.params and symbol.result.head == codomain.head:
                yield f"{symbol.text} {' '.join(names)}"
        if codomain.head == TEST_TYPE:
            yield "3"
        elif not codomain.is_function:
            yield from (self.describe(v) for v in self.values(codomain)[:2])


def at_test_type(t: Type) -> Type:
    """A type with the test type in place of its variables."""
    return t.substitute({v: Type(TEST_TYPE) for v in t.variables()})


def _test_assignment(symbol: Symbol) -> dict[str, Type]:
    """The test type for each type variable of a symbol."""
    types = (*symbol.params, symbol.result)
    return {v: Type(TEST_TYPE) for t in types for v in t.variables()}


def _some_products(
    fields: Sequence[Sequence[int]], limit: int, random_: random.Random
) -> Iterable[tuple[int, ...]]:
    """All combinations where they are few, else the first ones and random others."""
    total = 1
    for field in fields:
        total *= len(field)
    if total <= 3 * limit:
        return product(*fields)
    return [tuple(random_.choice(field) for field in fields) for _ in range(2 * limit)]
