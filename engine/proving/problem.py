"""A statement to prove, in its place in a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.audit import SCOPE_SYNTAX
from verifier.lean import Environment, Statement
from verifier.outline import Command, DeclarationParts, Hole, Outline, Scoping, Span

THEOREMS = frozenset({"Lean.Parser.Command.theorem", "Lean.Parser.Command.example"})
NOT_SCOPE = "Lean.Parser.Command.moduleDoc"


@dataclass(frozen=True)
class Document:
    """A text whose holes are to be filled.

    Attributes:
        name: How the user knows it.
        text: With LF line ends, the header included.
        environment: What its imports give.
        start: The byte at which its commands begin.
    """

    name: str
    text: str
    environment: Environment
    start: int = 0

    def before(self, byte: int) -> str:
        """The text before a byte."""
        return self.text.encode()[:byte].decode()

    def slice(self, span: Span) -> str:
        """The text of a span of bytes."""
        return self.text.encode()[span[0] : span[1]].decode()

    def line(self, byte: int) -> int:
        """The line of a byte, from 1."""
        return self.text.encode()[:byte].count(b"\n") + 1

    def column(self, byte: int) -> int:
        """The column of a byte in characters, from 0."""
        before = self.before(byte)
        return len(before) - (before.rfind("\n") + 1)


@dataclass(frozen=True)
class Problem:
    """A theorem with holes, or a hole that is none of ours.

    Attributes:
        id: Unlike every other one of its run.
        name: Of the theorem inside its scope. signature: Binders and type.
        context: The commands that open its scope.
        command: The bytes of its command. term: The bytes of its proof.
        holes: In the order of the text. bare: Its proof is one hole and nothing else.
        fault: Why it cannot be proved here, a code; empty when it can.
    """

    id: str
    document: Document
    line: int
    name: str
    signature: str
    context: str
    command: Span
    term: Span
    holes: tuple[Hole, ...]
    bare: bool
    fault: str = ""

    def statement(self, environment: Environment) -> Statement:
        """The statement on an environment that holds what stands before it."""
        return Statement(environment, self.name, self.signature, self.context)

    @property
    def proof(self) -> str:
        """The text behind ``:=``, holes and all."""
        return self.document.slice(self.term)


def problems_of(document: Document, outline: Outline) -> tuple[Problem, ...]:
    """Every command with a hole, in order, with the scope in which it stands."""
    scope = Scope(document)
    found = []
    for command in outline.commands:
        if command.holes:
            found.append(_problem(document, command, scope.commands))
        scope.enter(command)
    return tuple(found)


class Scope:
    """The commands that make the scope at some place; those of closed sections are left out.

    Args:
        document: Where the commands are.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._frames: list[list[str]] = [[]]
        self._open: list[int] = [0]

    @property
    def commands(self) -> tuple[str, ...]:
        """Their texts, in order."""
        return tuple(text for frame in self._frames for text in frame)

    def enter(self, command: Scoping) -> None:
        """Goes past a command."""
        if command.kind not in SCOPE_SYNTAX or command.kind == NOT_SCOPE:
            return
        text = self._document.slice(command.span)
        if command.closes:
            self._close(command.closes, text)
        elif command.opens:
            self._frames.append([text])
            self._open.append(command.opens)
        else:
            self._frames[-1].append(text)

    def _close(self, count: int, text: str) -> None:
        while count and len(self._frames) > 1:
            if self._open[-1] > count:  # `namespace A.B … end B`
                self._open[-1] -= count
                self._frames[-1].append(text)
                return
            count -= self._open.pop()
            self._frames.pop()


def _problem(document: Document, command: Command, scope: Sequence[str]) -> Problem:
    parts = command.declaration
    line = document.line((command.span if parts is None else parts.span)[0])
    place = f"{document.name}:{line}:{document.column(command.span[0]) + 1}"
    usable = parts is not None and not (fault := _fault(command, parts))
    if parts is None or not usable:
        name = (parts and parts.name) or ""
        fault = "not_a_proof" if parts is None else fault
        span = command.holes[0].span
        return Problem(
            place, document, line, name, "", "", command.span, span, command.holes, False, fault
        )
    assert parts.signature is not None and parts.term is not None
    prefixes = [document.slice(p.span) for p in command.prefixes]
    name = document.slice(parts.name_span) if parts.name_span else f"example_{line}"
    return Problem(
        id=place,
        document=document,
        line=line,
        name=name,
        signature=document.slice(parts.signature),
        context="\n".join((*scope, *prefixes)),
        command=command.span,
        term=parts.term,
        holes=command.holes,
        bare=parts.bare,
    )


def _fault(command: Command, parts: DeclarationParts) -> str:
    """Why the holes of a declaration are none that a proof can fill, or nothing."""
    if parts.kind not in THEOREMS:
        return "not_a_proof"
    if parts.form != "simple" or parts.term is None or parts.signature is None:
        return "unsupported"
    first, last = parts.term
    inside = all(first <= hole.span[0] and hole.span[1] <= last for hole in command.holes)
    return "" if inside else "unsupported"
