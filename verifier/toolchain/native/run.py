"""One run of ``audit.lean``: environments, their statements and proofs, facts as they come.

A request is a file of JSON; an answer is a line that begins with the request's nonce. The answers
have one order and each comes once, so a line that a candidate manages to print is either ignored,
for want of the nonce, or ends the run.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from verifier.audit import COMPILER_SYNTAX, PROGRAM_SYNTAX, SCOPE_SYNTAX
from verifier.errors import InputError
from verifier.lean import Environment, Facts, Message, ProofFacts, Statement, StatementFacts
from verifier.session import BUILD_SECONDS, QUIET, STATE_SECONDS, STRICT
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.toolchain.native.compiled import (
    LeanProgram,
    compiled,
    does_not_run,
    search_path,
)
from verifier.toolchain.native.confine import confined
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import LeanProcess

AUDIT = LeanProgram(
    Path(__file__).with_name("audit.lean"),
    "LemmataAudit",
    Path(__file__).with_name("main.lean"),
    "the audit",
)
START_SECONDS = 120.0
BEGIN_SECONDS = 10.0
KEPT_WORDS = 2_000
FORBIDDEN = sorted(PROGRAM_SYNTAX | COMPILER_SYNTAX)
"""Syntax that is not elaborated: there is no sandbox around a native Lean, and compiled code of a
candidate could do anything."""

F = TypeVar("F", bound=BaseModel)


@dataclass(frozen=True)
class Task:
    """A statement with proofs to try, each with its limit in seconds of wall-clock time."""

    statement: Statement
    proofs: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    replay: bool = True


@dataclass(frozen=True)
class Commands:
    """Commands to run behind a context, for their messages."""

    context: str
    text: str


@dataclass(frozen=True)
class Position:
    """What Lean is at work on: a link of an environment, a task upon it, or a proof of that.

    All are counted from 0; ``None`` for all of them is the start and the imports.
    """

    group: int | None = None
    link: int | None = None
    task: int | None = None
    proof: int | None = None


@dataclass(frozen=True)
class Answer:
    """Facts about what stands at a position, and how long Lean took for them."""

    at: Position
    facts: Any
    seconds: float


class CommandFacts(Facts):
    """What commands said, and whether the context before them was no context."""

    foreign: bool
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Group:
    """Tasks in one environment."""

    environment: Environment
    tasks: tuple[Task | Commands, ...] = ()

    @property
    def links(self) -> list[Environment]:
        """The bodies that are elaborated upon the imports, in order."""
        return self.environment.chain()[1:]


@dataclass
class AuditRun:
    """A process that works off groups of tasks upon the same imports.

    Attributes:
        toolchain: The Lean. imports: Modules below all of the groups.
        memory_limit: In bytes; see :class:`LeanProcess`.
        at: What it is at work on; after a loss, what it was lost on.
    """

    toolchain: NativeToolchain
    imports: tuple[str, ...]
    groups: Sequence[Group]
    memory_limit: int
    at: Position = field(default_factory=Position, init=False)
    _nonce: str = field(default_factory=lambda: secrets.token_hex(16), init=False)
    _heard: bytearray = field(default_factory=bytearray, init=False)
    _doubted: bool = field(default=False, init=False)

    def answers(self) -> Iterator[Answer]:
        """Answers as they come: one for each link of an environment, statement and proof.

        Each is held back until what follows it is what should follow: facts that come twice are
        no facts, whichever of the two was there first.

        Raises:
            SessionLost: Timeout, crash or memory; ``at`` says where.
            InputError: An import is not there, or the text cannot be encoded.
            ToolchainError: This Lean does not run the audit.
        """
        held: Answer | None = None
        try:
            for answer in self._answers():
                if held is not None:
                    yield held
                held = answer
        except SessionLost:
            if held is not None and not self._doubted:
                yield held
            raise
        if held is not None:
            yield held

    def _answers(self) -> Iterator[Answer]:
        request = {
            "imports": list(self.imports),
            "contextKinds": sorted(SCOPE_SYNTAX),
            "forbidden": FORBIDDEN,
            "groups": [_group_json(group) for group in self.groups],
        }
        with self._started(request) as (process, file):
            self._next(process, Position(), {"ready": True}, START_SECONDS)
            file.unlink(missing_ok=True)  # nothing that a candidate runs can read the nonce there
            for number, group in enumerate(self.groups):
                self._next(process, Position(number), {"group": number})
                yield from self._group(process, number, group)
            self._next(process, self.at, {"end": True})

    def header(self, text: str) -> Any:
        """What Lean reads in the header of a module; the environment is not built for it."""
        with self._started({"header": True, "text": text}) as (process, _):
            return self._facts(process, {}, "header", START_SECONDS)

    @contextlib.contextmanager
    def _started(self, request: dict[str, Any]) -> Iterator[tuple[LeanProcess, Path]]:
        variables = search_path(self.toolchain, compiled(AUDIT, self.toolchain))
        with tempfile.TemporaryDirectory(prefix="lemmata-") as name:
            folder = Path(name).resolve()
            file = folder / "request.json"
            file.write_bytes(_encoded({**request, "nonce": self._nonce}))
            shutil.copy(AUDIT.main, folder)
            lean = str(self.toolchain.lean)
            command = confined([lean, "--run", str(folder / AUDIT.main.name), str(file)])
            directory = self.toolchain.directory or folder
            with LeanProcess(command, directory, variables, self.memory_limit) as process:
                yield process, file

    def _group(self, process: LeanProcess, number: int, group: Group) -> Iterator[Answer]:
        for link in range(len(group.links)):
            yield self._link(process, Position(number, link=link))
        for place, task in enumerate(group.tasks):
            yield from self._task(process, Position(number, task=place), task)

    def _link(self, process: LeanProcess, at: Position) -> Answer:
        self._next(process, at, {"begin": at.link, "link": True})
        started = time.monotonic()
        facts = self._facts(process, {"link": at.link}, "facts", BUILD_SECONDS)
        return Answer(at, facts, time.monotonic() - started)

    def _task(self, process: LeanProcess, at: Position, task: Task | Commands) -> Iterator[Answer]:
        self._next(process, at, {"begin": at.task})
        started = time.monotonic()
        given = self._facts(process, {"task": at.task}, "facts", STATE_SECONDS)
        seconds = time.monotonic() - started
        if isinstance(task, Commands):
            yield Answer(at, self._read(process, CommandFacts, given), seconds)
            return
        stated = self._read(process, StatementFacts, given)
        yield Answer(at, stated, seconds)
        if stated.statement is None:
            return
        for number, limit in enumerate(task.seconds):
            yield self._proof(process, replace(at, proof=number), limit)

    def _proof(self, process: LeanProcess, at: Position, seconds: float) -> Answer:
        self._next(process, at, {"begin": at.task, "proof": at.proof})
        started = time.monotonic()
        given = self._facts(process, {"task": at.task, "proof": at.proof}, "facts", seconds)
        facts = self._read(process, ProofFacts, given)
        inner = {"axioms": tuple(sorted(facts.axioms)), "premises": tuple(sorted(facts.premises))}
        return Answer(at, facts.model_copy(update=inner), time.monotonic() - started)

    def _next(
        self,
        process: LeanProcess,
        at: Position,
        wanted: dict[str, Any],
        seconds: float = BEGIN_SECONDS,
    ) -> None:
        """Waits for the event with which the work at a position begins."""
        before, self.at = self.at, at
        event = self._event(process, seconds)
        if event != wanted:
            self.at, self._doubted = before, True
            raise _no_answer(process, event)

    def _facts(self, process: LeanProcess, wanted: dict[str, Any], key: str, seconds: float) -> Any:
        event = self._event(process, seconds)
        facts = event.pop(key, None)
        if event != wanted or not isinstance(facts, dict):
            raise _no_answer(process, event)
        return facts

    def _event(self, process: LeanProcess, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        nonce = self._nonce.encode()
        while (line := process.line(deadline)) is not None:
            if not line.startswith(nonce):
                self._heard += line + b"\n"
                del self._heard[:-KEPT_WORDS]
                continue
            event = _decoded(process, line[len(nonce) :])
            if "fatal" in event:
                self._end(process, str(event["fatal"]))
            return event
        self._end(process, "")

    def _end(self, process: LeanProcess, why: str) -> NoReturn:
        """The run has ended by itself: an error of the user's, of the toolchain, or a loss."""
        is_starting = self.at == Position()
        if why and is_starting:
            hint = "Run `lake build` in the project." if self.toolchain.directory else ""
            raise InputError(f"Lean refused the imports: {why}", hint)
        words = why or process.last_words()
        if is_starting:
            heard = self._heard.decode("utf-8", "replace").strip()
            raise does_not_run(AUDIT, self.toolchain, f"{words}; {heard}")
        raise process.lost(Loss.CRASH, words)

    def _read(self, process: LeanProcess, model: type[F], facts: Any) -> F:
        try:
            return model.model_validate(facts)
        except ValidationError as error:
            raise process.lost(Loss.CRASH, f"not an answer: {error}") from None


def unix(text: str) -> str:
    """The text with LF line ends."""
    return text.replace("\r\n", "\n")


def _group_json(group: Group) -> dict[str, Any]:
    return {
        "chain": [{"text": unix(link.text), "start": link.start} for link in group.links],
        "tasks": [_task_json(task) for task in group.tasks],
    }


def _task_json(task: Task | Commands) -> dict[str, Any]:
    if isinstance(task, Commands):
        return {"commands": True, "context": unix(task.context), "text": unix(task.text)}
    statement = task.statement
    return {
        "context": f"{STRICT}{QUIET}{unix(statement.context)}\n{STRICT}",
        "name": statement.name,
        "signature": unix(statement.signature).strip(),
        "proofs": [unix(proof) for proof in task.proofs],
        "replay": task.replay,
    }


def _encoded(request: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(request)
    except orjson.JSONEncodeError as error:
        raise InputError(f"the text cannot be encoded: {error}") from None


def _decoded(process: LeanProcess, text: bytes) -> dict[str, Any]:
    try:
        event = orjson.loads(text)
    except orjson.JSONDecodeError:
        event = None
    if not isinstance(event, dict):
        raise process.lost(Loss.CRASH, f"not an answer: {text[:200]!r}")
    return event


def _no_answer(process: LeanProcess, event: Any) -> SessionLost:
    return process.lost(Loss.CRASH, f"an answer to another question: {str(event)[:200]}")
