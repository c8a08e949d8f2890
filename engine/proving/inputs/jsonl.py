"""Statements from JSON lines.

``{"id": "1", "name": "add_zero", "statement": "(n : Nat) : n + 0 = n", "imports": ["Init"],
"context": "open Nat"}``; only ``statement`` is needed. It is a signature, a proposition, or a whole
theorem with ``sorry``; Lean says which. The context may define things as well as open scopes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.proving.problem import Document, Problem, problems_of
from engine.proving.result import Label, Result
from engine.proving.source import Reading, Unreadable, error_texts
from verifier.errors import InputError
from verifier.lean import Environment
from verifier.outline import Outline
from verifier.session import Session


class Entry(BaseModel):
    """A line of the input."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    statement: str
    id: str = ""
    name: str = ""
    imports: tuple[str, ...] = ("Init",)
    context: str = ""


@dataclass(frozen=True)
class JsonStatement:
    """A statement of a file of JSON lines."""

    path: Path
    line: int
    entry: Entry
    installed: Callable[[str], bool]

    @property
    def name(self) -> str:
        """The ``id`` that the line gives, or file and line."""
        return self.entry.id or f"{self.path}:{self.line}"

    @property
    def document(self) -> str:
        """The path of the file."""
        return str(self.path)

    def read(self, session: Session) -> Reading:
        """Finds out how the statement is written, and what it is.

        Raises:
            InputError: An import is unknown, or Lean cannot parse it in any way.
        """
        for module in self.entry.imports:
            if not self.installed(module):
                raise InputError(
                    f"unknown import {module}",
                    "The embedded Lean comes with Init, Std, Lean and Lake, and without Mathlib.",
                )
        environment = Environment(self.entry.imports or ("Init",))
        first: Outline | None = None
        for start, text, signature in self._forms():
            document = Document(str(self.path), text, environment)
            outline = session.outline(environment, text)
            problem = _only_theorem(document, outline, start, signature)
            if problem is not None:
                problem = replace(problem, id=self.name, line=self.line)
                return Reading(document, (problem,), error_texts(outline))
            first = first or outline
        words = first.errors[0].text if first is not None and first.errors else "no statement"
        raise InputError(f"Lean cannot parse the statement: {words}")

    def _forms(self) -> Iterator[tuple[int, str, str | None]]:
        """Texts that it may stand for: the theorem's place in each, and its signature."""
        said = self.entry.statement.replace("\r\n", "\n").strip()
        context = self.entry.context.replace("\r\n", "\n")
        head = f"{context}\n" if context.strip() else ""
        start = len(head.encode())
        name = self.entry.name or f"statement_{self.line}"
        for signature in (said, f": {said}"):
            yield start, f"{head}theorem {name} {signature} := sorry\n", signature
        yield start, f"{head}{said}\n", None
        yield start, f"{head}{said} := sorry\n", None


def _only_theorem(
    document: Document, outline: Outline, start: int, signature: str | None
) -> Problem | None:
    """The theorem, if it is all that stands behind the context and has the only holes."""
    problems = problems_of(document, outline)
    if len(problems) != 1 or problems[0].fault or problems[0].command[0] != start:
        return None
    if signature is not None and problems[0].signature != signature:
        return None
    rest = document.text.encode()[problems[0].command[1] :]
    return None if rest.strip() else problems[0]


def read_lines(
    path: Path, installed: Callable[[str], bool]
) -> Iterator[JsonStatement | Unreadable]:
    """The statements of a file, and a finding for each line that is none.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    seen: set[str] = set()
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            entry = Entry.model_validate_json(line)
        except ValidationError as error:
            yield _unreadable(place, str(path), number, _words(error))
            continue
        if entry.id in seen:
            yield _unreadable(place, str(path), number, f"the id {entry.id} was there before")
            continue
        if entry.id:
            seen.add(entry.id)
        yield JsonStatement(path, number, entry, installed)


def _words(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _unreadable(place: str, document: str, line: int, message: str) -> Unreadable:
    result = Result(
        id=place,
        document=document,
        line=line,
        name="",
        statement="",
        label=Label.ERROR,
        reason="bad_line",
        message=message,
    )
    return Unreadable(place, line, result)
