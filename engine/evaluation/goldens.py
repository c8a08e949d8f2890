"""QuickSpec's published laws about five small theories, stated in Lean about fresh datatypes.

The laws lie in the benchmark folder ``quickspec`` (see :mod:`engine.evaluation.benchmarks`), the
theories in :mod:`engine.evaluation.theories`. Each function of a golden must have the very type of
its counterpart, up to the names of types; the variables of a law get their most general types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.evaluation.haskell import Expression, Output, SourceLaw, read_output
from engine.language.core import LOGIC
from engine.language.printing import equation_text, signature_text, type_text
from engine.language.term import ARROW, Equation, Symbol, Term, Type, curried, function_type
from engine.language.term import type_variable as variable
from engine.language.typing import IllTyped, most_general
from engine.sources.lean_module import Theory
from verifier.errors import InputError

BENCHMARK = "quickspec"


@dataclass(frozen=True)
class Dictionary:
    """What a golden's functions and types are called in our theory.

    Attributes:
        functions: By Haskell's name the full Lean name.
        types: By Haskell's name the Lean type; ``[]`` is the type of lists.
        truth: The symbol that a law without ``=`` says its term is equal to.
    """

    functions: Mapping[str, str]
    types: Mapping[str, str]
    truth: str = ""


DICTIONARIES: dict[str, Dictionary] = {
    "Arith": Dictionary(
        {"0": "Arith.N.zero", "1": "Arith.one", "+": "Arith.add", "*": "Arith.mul"},
        {"Int": "Arith.N"},
    ),
    "Bools": Dictionary(
        {
            "not": "Bools.not",
            "True": "Bools.B.tt",
            "False": "Bools.B.ff",
            "||": "Bools.or",
            "&&": "Bools.and",
        },
        {"Bool": "Bools.B"},
        truth="Bools.B.tt",
    ),
    "Lists": Dictionary(
        {
            "0": "Nat 0",
            "1": "Nat 1",
            "+": "HAdd.hAdd Nat",
            "reverse": "Lists.reverse",
            "++": "Lists.append",
            "[]": "Lists.Seq.nil",
            "map": "Lists.map",
            "length": "Lists.length",
            "concat": "Lists.concat",
        },
        {"Int": "Nat", "[]": "Lists.Seq"},
    ),
    "ListHOF": Dictionary(
        {
            "map": "ListHOF.map",
            "fold": "ListHOF.fold",
            ".": "ListHOF.comp",
            "[]": "ListHOF.Seq.nil",
            ":": "ListHOF.Seq.cons",
        },
        {"[]": "ListHOF.Seq"},
    ),
    "Sorted": Dictionary(
        {
            "[]": "Sorted.Seq.nil",
            ":": "Sorted.Seq.cons",
            "sort": "Sorted.sort",
            "insert": "Sorted.insert",
            "sorted": "Sorted.sorted",
        },
        {"Int": "Sorted.N", "[]": "Sorted.Seq", "Bool": "Bool"},
        truth="Bool.true",
    ),
}
"""The theories of the benchmark, in the order in which they are run."""


@dataclass(frozen=True)
class Golden:
    """A law of a golden.

    Attributes:
        number: In the golden. text: As QuickSpec prints it.
        statement: Lean signature over the theory.
    """

    number: int
    text: str
    statement: str


def read_goldens(folder: Path, name: str, theory: Theory) -> tuple[Golden, ...]:
    """The laws of a golden as Lean signatures.

    Args:
        folder: Of the benchmark.
        name: Of the golden, a key of :data:`DICTIONARIES`.
        theory: Our counterpart, read from its file.

    Raises:
        InputError: The golden is not there, or is not about this theory.
    """
    path = folder / f"{name}.output"
    try:
        output = read_output(path.read_text())
    except FileNotFoundError:
        raise InputError(f"there is no file {path}", "Get the whole benchmark.") from None
    translator = Translator(DICTIONARIES[name], theory.symbols)
    translator.require_types(output)
    return tuple(translator.golden(law) for law in output.laws)


class Translator:
    """From Haskell's terms to laws over a theory.

    Args:
        dictionary: The names.
        symbols: Those of the theory, by Lean name.
    """

    def __init__(self, dictionary: Dictionary, symbols: Mapping[str, Symbol]) -> None:
        self._dictionary = dictionary
        self._symbols = symbols

    def require_types(self, output: Output) -> None:
        """Checks that each function has the type of its counterpart.

        Raises:
            InputError: One has not, or has no counterpart.
        """
        used = {name for law in output.laws for name in _names(law)}
        for name, expression in output.functions.items():
            if name not in self._dictionary.functions:
                raise InputError(f"the golden's function {name} has no counterpart")
            if name not in used:
                continue  # background that no law speaks of
            symbol = self._symbol(name)
            ours = _renamed(curried(symbol.params, symbol.result))
            theirs = _renamed(self._type(expression))
            if ours != theirs:
                raise InputError(f"{symbol.name} has another type than the golden's {name}")

    def golden(self, law: SourceLaw) -> Golden:
        """A law as a Lean signature.

        Raises:
            InputError: It cannot be stated.
        """
        conclusion = self._equation(law.sides)
        hypotheses = [self._equation(sides) for sides in law.conditions]
        try:
            stated = most_general(conclusion.lhs, conclusion.rhs, hypotheses)
        except IllTyped as error:
            raise InputError(f"law {law.number}, {law.text}, is ill-typed: {error}") from None
        text = signature_text(stated) if stated.types else _closed_text(conclusion)
        return Golden(law.number, law.text, text)

    def _equation(self, sides: tuple[Expression, ...]) -> Equation:
        left, *right = map(self._term, sides)
        if right:
            return Equation(left, right[0])
        if not self._dictionary.truth:
            raise InputError("a law without `=` in a theory without truth values")
        return Equation(left, Term(self._symbols[self._dictionary.truth]))

    def _term(self, expression: Expression) -> Term:
        if isinstance(expression, str):
            known = expression in self._dictionary.functions
            return Term(self._symbol(expression) if known else expression)
        head, *arguments = expression
        function = self._term(head)
        return Term(function.head, (*function.args, *map(self._term, arguments)))

    def _symbol(self, name: str) -> Symbol:
        full = self._dictionary.functions[name]
        symbol = self._symbols.get(full) or LOGIC.get(full)
        if symbol is None:
            raise InputError(f"the theory has no symbol {full} for {name}")
        return symbol

    def _type(self, expression: Expression) -> Type:
        if isinstance(expression, str):
            ours = self._dictionary.types.get(expression)
            return Type(ours) if ours else variable(expression)
        head, *arguments = expression
        parts = [self._type(a) for a in arguments]
        if head == "->":
            return function_type(*parts)
        assert isinstance(head, str)
        return Type(self._dictionary.types[head], tuple(parts))


def _closed_text(equation: Equation) -> str:
    """An equation without variables, with the type of each constant, so that Lean can tell it."""
    constants: dict[str, Symbol] = {}

    def opened(term: Term) -> Term:
        head = term.head
        if isinstance(head, Symbol) and not term.args and any(head.result.variables()):
            name = f"c{len(constants)}"
            constants[name] = head
            return Term(name)
        return Term(head, tuple(map(opened, term.args)))

    law = most_general(opened(equation.lhs), opened(equation.rhs))
    typed = {
        name: Term(Symbol(name, (), t, text=f"({constants[name].text} : {type_text(t)})"))
        for name, t in law.types
    }
    names = dict.fromkeys(v for _, t in law.types for v in t.variables())
    binder = f"{{{' '.join(names)} : Type _}} " if names else ""
    return f"{binder}: {equation_text(law.conclusion.substitute(typed))}"


def _names(law: SourceLaw) -> set[str]:
    def below(expression: Expression) -> set[str]:
        if isinstance(expression, str):
            return {expression}
        return {name for part in expression for name in below(part)}

    sides = (*law.sides, *(side for condition in law.conditions for side in condition))
    return {name for side in sides for name in below(side)}


def _renamed(type_: Type) -> Type:
    """A type with its variables numbered from the left."""
    names = dict.fromkeys(type_.variables())
    return type_.substitute({n: Type(f"{ARROW}{i}") for i, n in enumerate(names)})
