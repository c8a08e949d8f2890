"""Lemmas of core's own modules, carried over to copies of the definitions that they speak of.

A theorem's type is rewritten, expression by expression: the constants that the copy has
counterparts of become those, with notations such as ``++`` taken for the function behind them.
A statement belongs to the benchmark when nothing remains in it but the copy's constants, logic,
and the background that the copy itself rests on. All others are counted by the first constant that
is foreign. Whether Lemmata's own language can express a statement plays no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.evaluation.core_copies import CoreCopy
from engine.evaluation.lean_text import NotText, explicit_text
from engine.evaluation.premises import is_derived
from engine.trees.statement import statement_key
from verifier.errors import InputError
from verifier.lean import Environment, Statement
from verifier.progress import Progress
from verifier.prover.expression import Expression, constants, spine
from verifier.reading.facts import LibraryDeclaration
from verifier.reading.libraries import embedded_toolchain, toolchain_library
from verifier.reading.reader import read_modules
from verifier.verifier import Verifier

LOGIC = frozenset(
    {"Eq", "Ne", "Not", "And", "Or", "Iff", "Exists", "True", "False", "HEq", "ExistsUnique"}
)
"""Propositional vocabulary, always part of a statement."""


@dataclass(frozen=True)
class GoldLemma:
    """A lemma of core about a copy.

    Attributes:
        names: Of the theorems in core that say it.
        statement: Lean signature about the copy.
        type: As Lean has elaborated it. key: Canonical statement.
    """

    names: tuple[str, ...]
    statement: str
    type: Expression
    key: str


@dataclass(frozen=True)
class Gold:
    """The lemmas of a copy.

    Attributes:
        lemmas: Each statement once.
        foreign: Number of core's theorems that are out of scope, by the constant that is why.
    """

    lemmas: tuple[GoldLemma, ...]
    foreign: dict[str, int]


def read_core(modules: Iterable[str], progress: Progress) -> dict[str, list[LibraryDeclaration]]:
    """Public theorems of core's modules, by module, as the embedded Lean reads them.

    Raises:
        InputError: There is no such module.
        ToolchainError: The embedded Lean is not there and cannot be installed.
    """
    wanted = sorted(set(modules))
    library = toolchain_library(embedded_toolchain(progress), ("Init",))
    files = [file for file in library.files if file.name in wanted]
    if missing := set(wanted) - {file.name for file in files}:
        raise InputError(f"core has no module {', '.join(sorted(missing))}")
    progress.stage("reading core's lemmas", len(files))
    found: dict[str, list[LibraryDeclaration]] = {}
    for contents in read_modules(library.toolchain, ("Init",), files):
        found[contents.module] = [d for d in contents.declarations if is_public_theorem(d)]
        progress.advance(1)
    progress.done()
    return found


def is_public_theorem(declaration: LibraryDeclaration) -> bool:
    """Whether somebody wrote a theorem for others: no alias that is on its way out, no instance."""
    return (
        declaration.kind == "theorem"
        and not declaration.private
        and declaration.deprecated is None
        and "instance" not in declaration.attributes
        and not is_derived(declaration.name)
        and not any(part.startswith("_") for part in declaration.name.split("."))
    )


def gold_of(
    copy: CoreCopy,
    theorems: Sequence[LibraryDeclaration],
    environment: Environment,
    verifier: Verifier,
) -> Gold:
    """The lemmas of core that are about a copy's constants.

    Args:
        copy: The copy.
        theorems: Of its modules.
        environment: The theory, elaborated.
        verifier: Reads the statements.

    Raises:
        InputError: A statement about the copy alone does not elaborate to what it should be.
    """
    foreign: dict[str, int] = {}
    by_key: dict[str, GoldLemma] = {}
    for theorem in theorems:
        translated = Translation(copy).of(theorem.type) if theorem.type is not None else None
        why = (
            "an expression that is too large" if translated is None else _foreign(translated, copy)
        )
        if translated is None or why:
            foreign[why] = foreign.get(why, 0) + 1
            continue
        try:
            lemma = _stated(theorem.name, translated, environment, verifier)
        except NotText as error:
            foreign[str(error)] = foreign.get(str(error), 0) + 1
            continue
        known = by_key.get(lemma.key)
        names = (*(known.names if known else ()), theorem.name)
        by_key[lemma.key] = GoldLemma(names, lemma.statement, lemma.type, lemma.key)
    ordered = dict(sorted(foreign.items(), key=lambda item: (-item[1], item[0])))
    return Gold(tuple(by_key.values()), ordered)


def _stated(
    name: str, translated: Expression, environment: Environment, verifier: Verifier
) -> GoldLemma:
    text = f": {explicit_text(translated)}"
    finding, facts = verifier.check_statement(Statement(environment, "gold", text))
    if finding is not None or facts is None:
        said = finding.message if finding else ""
        raise InputError(f"{name} cannot be stated about the copy as {text}: {said}")
    if statement_key(_level_free(facts.type)) != statement_key(_level_free(translated)):
        raise InputError(f"{name} becomes another statement when it is written as {text}")
    return GoldLemma((name,), text, facts.type, statement_key(facts.type))


def _level_free(expression: Expression) -> Expression:
    """An expression with all types on one level: Lean chooses levels as general as it can."""
    match expression:
        case ["s", level]:
            return ["s", level if level == ["0"] else ["u", "u"]]
        case ["a", function, argument]:
            return ["a", _level_free(function), _level_free(argument)]
        case ["p" | "l" as kind, name, type_, body, *rest]:
            return [kind, name, _level_free(type_), _level_free(body), *rest]
    return expression


def _foreign(expression: Expression, copy: CoreCopy) -> str:
    """The first constant that is neither of the copy nor of its vocabulary; empty for none."""
    ours = {*copy.constants.values(), *(name for _, name in copy.notations.values())}
    allowed = ours | LOGIC | copy.background
    return next((c for c in constants(expression) if c not in allowed), "")


class Translation:
    """Core's constants become those of a copy."""

    def __init__(self, copy: CoreCopy) -> None:
        self._copy = copy

    def of(self, expression: Expression) -> Expression:
        """An expression about the copy, as far as it is about what was copied."""
        head, arguments = spine(expression)
        if arguments and head[0] == "c":
            if (numeral := self._numeral(head[1], arguments)) is not None:
                return numeral
            if (applied := self._notation(head[1], arguments)) is not None:
                return applied
        if head[0] == "c":
            name = self._copy.constants.get(head[1])
            head = ["c", name] if name is not None else head
        elif not arguments:
            return self._parts(expression)
        else:
            head = self.of(head)
        return _applied(head, map(self.of, arguments))

    def _parts(self, expression: Expression) -> Expression:
        match expression:
            case ["p" | "l" as kind, name, type_, body, *rest]:
                return [kind, name, self.of(type_), self.of(body), *rest]
            case ["let", name, type_, value, body]:
                return ["let", name, self.of(type_), self.of(value), self.of(body)]
            case ["proj", structure, at, body]:
                return ["proj", structure, at, self.of(body)]
            case ["n", digits] if self._copy.numerals:
                return self._successors(int(digits))
        return expression

    def _numeral(self, head: str, arguments: Sequence[Expression]) -> Expression | None:
        """``OfNat.ofNat Nat 2 _`` is ``succ (succ zero)``."""
        is_numeral = head == "OfNat.ofNat" and len(arguments) == 3 and arguments[1][0] == "n"
        if not (is_numeral and self._copy.numerals and arguments[0][:2] == ["c", "Nat"]):
            return None
        return self._successors(int(arguments[1][1]))

    def _successors(self, number: int) -> Expression:
        assert self._copy.numerals is not None
        zero, succ = self._copy.numerals
        term: Expression = ["c", zero]
        for _ in range(number):
            term = ["a", ["c", succ], term]
        return term

    def _notation(self, head: str, arguments: Sequence[Expression]) -> Expression | None:
        known = self._copy.notations.get(head)
        if known is None:
            return None
        notation, name = known
        if len(arguments) < notation.arity + 2:
            return None
        type_head, type_arguments = spine(arguments[notation.at])
        if type_head[:2] != ["c", notation.type]:
            return None
        operands = [arguments[notation.arity + at] for at in notation.operands]
        rest = arguments[notation.arity + 2 :]
        return _applied(["c", name], map(self.of, (*type_arguments, *operands, *rest)))


def _applied(head: Expression, arguments: Iterable[Expression]) -> Expression:
    for argument in arguments:
        head = ["a", head, argument]
    return head
