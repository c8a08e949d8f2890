"""The user's Lean, asked in batches: many candidates to a process, none of which harms another.

Starting Lean and loading its imports takes seconds, a candidate takes milliseconds. So the
candidates of one environment go to one process; when it is lost, the answers that came before
stand, the candidate that it was lost on is undetermined, and the rest goes to the next process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from verifier.batch import Candidate, Examination
from verifier.errors import InputError, ToolchainError
from verifier.lean import (
    Declaration,
    DeclaredAt,
    Environment,
    Extension,
    Header,
    Message,
    ProofFacts,
    Statement,
    StatementFacts,
    ToolchainInfo,
)
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import MEMORY_LIMIT
from verifier.toolchain.native.run import (
    Answer,
    AuditRun,
    CommandFacts,
    Commands,
    Group,
    Position,
    Task,
)

BATCH = 400
"""Proofs to a process: enough for its start not to count, few enough for its memory."""

F = TypeVar("F", bound=BaseModel)


class NativeLean:
    """A native toolchain behind the interface of :class:`verifier.lean.Lean`.

    Each call is a process of its own, which costs seconds; :meth:`examine` shares one among many
    candidates. It keeps no process between calls and is safe for concurrent ones.

    Args:
        toolchain: From :func:`verifier.toolchain.native.discovery.discover`.
        memory_limit: Bytes above which a process is killed, mapped files aside.
        batch: Largest number of proofs to a process.
        shared: Whether theories upon the same imports share a process, which saves its start. A
            theory can run programs inside Lean, so one from a stranger could spoil the facts
            about another; without it each theory has a process of its own.
    """

    def __init__(
        self,
        toolchain: NativeToolchain,
        memory_limit: int = MEMORY_LIMIT,
        batch: int = BATCH,
        shared: bool = False,
    ) -> None:
        self._toolchain = toolchain
        self._memory_limit = memory_limit
        self._batch = batch
        self._shared = shared

    @property
    def toolchain(self) -> ToolchainInfo:
        """Which Lean answers."""
        return self._toolchain.info

    def header(self, text: str) -> Header:
        """Reads the imports of a module."""
        return _read(Header, AuditRun(self._toolchain, (), (), self._memory_limit).header(text))

    def extend(self, environment: Environment, text: str, start: int = 0) -> Extension:
        """Elaborates a module body on an environment (the text from byte ``start`` on)."""
        extended = environment.extended(text, start)
        facts = self._last(Group(extended))
        return Extension(
            extended,
            tuple(_read(Message, m) for m in facts["messages"]),
            tuple(_read(DeclaredAt, d) for d in facts["declarations"]),
            tuple(facts["refused"]),
        )

    def declarations(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[Declaration | None, ...]:
        """Not offered: the knowledge base is read by the embedded Lean."""
        raise ToolchainError(
            "a native Lean describes no declarations here", "Use the embedded Lean for that."
        )

    def state(self, statement: Statement) -> StatementFacts:
        """Elaborates a statement alone."""
        facts = self._last(Group(statement.environment, (Task(statement),)))
        assert isinstance(facts, StatementFacts)
        return facts

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        """Elaborates a proof of a statement.

        Raises:
            SessionLost: Timeout, crash or memory.
            InputError: The statement itself does not elaborate; see :meth:`state`.
        """
        task = Task(statement, (proof,), (seconds,), replay)
        facts = self._last(Group(statement.environment, (task,)))
        if not isinstance(facts, ProofFacts):
            raise InputError(f"the statement of {statement.name} does not elaborate")
        return facts

    def messages(self, environment: Environment, context: str, text: str) -> tuple[Message, ...]:
        """Runs commands for their messages; what they add is dropped."""
        facts = self._last(Group(environment, (Commands(context, text),)))
        assert isinstance(facts, CommandFacts)
        if facts.foreign:
            raise InputError("the context holds a command that opens no scope")
        return facts.messages

    def delta(self, environment: Environment) -> str | None:
        """Not offered: a native Lean writes no export, so its verdicts rest on its own kernel."""
        return None

    def close(self) -> None:
        """Nothing is left running between calls."""

    def examine(self, candidates: Sequence[Candidate]) -> list[Examination]:
        """Elaborates candidates, those of one environment in one process, and reports facts.

        Returns:
            For each candidate what was seen of it, in their order. A loss is that of the one
            candidate; a theory that Lean is lost on, or an import that is not there, is that of
            all candidates upon it.

        Raises:
            ToolchainError: This Lean cannot be started, or does not run the audit.
        """
        found: list[Examination | None] = [None] * len(candidates)
        for jobs in self._apart(_jobs(candidates)):
            _Worker(self, found).work_off(jobs, self._batch)
        return [e if e is not None else _lost(Loss.CRASH, "no answer") for e in found]

    def run(self, groups: Sequence[Group]) -> AuditRun:
        """A run over groups of tasks upon the same imports."""
        imports = groups[0].environment.imports
        return AuditRun(self._toolchain, imports, groups, self._memory_limit)

    def _last(self, group: Group) -> Any:
        """The facts that come last from a group."""
        return list(self.run([group]).answers())[-1].facts

    def _apart(self, jobs: list[_Job]) -> list[list[_Job]]:
        """The jobs that may share a process."""
        groups: dict[object, list[_Job]] = {}
        for job in jobs:
            environment = job.statement.environment
            key = environment.imports if self._shared else environment
            groups.setdefault(key, []).append(job)
        return list(groups.values())


@dataclass
class _Job:
    """A statement, the candidates that state it and are still open, and the facts about it.

    Attributes:
        retried: It was lost once, behind others in a process, and goes alone now.
    """

    statement: Statement
    open: list[tuple[int, Candidate]] = field(default_factory=list)
    facts: StatementFacts | None = None
    retried: bool = False

    @property
    def task(self) -> Task:
        proofs = tuple(c.proof for _, c in self.open)
        return Task(self.statement, proofs, tuple(c.seconds for _, c in self.open))


@dataclass
class _Round:
    """The jobs of one process: by group and number, with the proofs that each was sent with."""

    groups: list[list[_Job]]
    sent: list[list[list[tuple[int, Candidate]]]]

    @classmethod
    def of(cls, jobs: list[_Job]) -> _Round:
        groups: dict[Environment, list[_Job]] = {}
        for job in jobs:
            groups.setdefault(job.statement.environment, []).append(job)
        parts = list(groups.values())
        return cls(parts, [[list(job.open) for job in part] for part in parts])

    @property
    def requests(self) -> list[Group]:
        """The groups as a run takes them."""
        return [
            Group(part[0].statement.environment, tuple(job.task for job in part))
            for part in self.groups
        ]

    def jobs_of(self, at: Position) -> list[_Job]:
        """The jobs at a position: one, those of a group, or all."""
        if at.group is None:
            return [job for part in self.groups for job in part]
        part = self.groups[at.group]
        return part if at.task is None else [part[at.task]]

    def candidate(self, at: Position) -> tuple[int, Candidate]:
        """The candidate at the position of a proof."""
        assert at.group is not None and at.task is not None and at.proof is not None
        return self.sent[at.group][at.task][at.proof]


@dataclass
class _Worker:
    """Works off jobs upon the same imports, with as many processes as it takes."""

    lean: NativeLean
    found: list[Examination | None]

    def work_off(self, jobs: list[_Job], batch: int) -> None:
        """Fills in what was found for each candidate."""
        pending = jobs
        while pending:
            now, later = _split(pending, batch)
            self._run(_Round.of(now))
            pending = [job for job in (*now, *later) if job.open]
            pending.sort(key=lambda job: not job.retried)

    def _run(self, round_: _Round) -> None:
        run = self.lean.run(round_.requests)
        works = 0
        try:
            for answer in run.answers():
                works += answer.at.task is not None
                self._take(answer, round_)
        except SessionLost as lost:
            fresh = works <= (run.at.proof is not None)  # nothing but this statement went before
            self._blame(lost, run.at, round_, fresh)
        except InputError as error:
            self._close(round_.jobs_of(Position()), SessionLost(Loss.CRASH, error.message))

    def _take(self, answer: Answer, round_: _Round) -> None:
        at = answer.at
        if at.task is None:
            return
        (job,) = round_.jobs_of(at)
        if at.proof is None:
            job.facts = answer.facts
            if answer.facts.statement is None:
                self._fill(job, Examination(answer.facts, seconds=answer.seconds))
            return
        self._settle(job, round_.candidate(at), answer.facts, None, answer.seconds)

    def _blame(self, lost: SessionLost, at: Position, round_: _Round, fresh: bool) -> None:
        jobs = round_.jobs_of(at)
        if at.task is None:
            self._close(jobs, lost)
            return
        (job,) = jobs
        if lost.loss is not Loss.TIMEOUT and not fresh and not job.retried:
            job.retried = True  # what went before in the process may have been the cause
        elif at.proof is None:
            self._close(jobs, lost)
        else:
            job.retried = False
            self._settle(job, round_.candidate(at), None, lost, 0.0)

    def _settle(
        self,
        job: _Job,
        item: tuple[int, Candidate],
        proof: ProofFacts | None,
        lost: SessionLost | None,
        seconds: float,
    ) -> None:
        job.open.remove(item)
        self.found[item[0]] = Examination(job.facts, proof, lost, seconds)

    def _close(self, jobs: Iterable[_Job], lost: SessionLost) -> None:
        for job in jobs:
            self._fill(job, Examination(lost=lost))

    def _fill(self, job: _Job, examination: Examination) -> None:
        for index, _ in job.open:
            self.found[index] = examination
        job.open.clear()


def _jobs(candidates: Sequence[Candidate]) -> list[_Job]:
    """The candidates by statement; equal contexts stand together."""
    jobs: dict[Statement, _Job] = {}
    for index, candidate in enumerate(candidates):
        statement = candidate.statement
        jobs.setdefault(statement, _Job(statement)).open.append((index, candidate))
    return sorted(jobs.values(), key=lambda job: job.statement.context)


def _split(jobs: list[_Job], batch: int) -> tuple[list[_Job], list[_Job]]:
    """Jobs for one process, at least one, and the rest. A job that is tried again goes alone."""
    if jobs[0].retried:
        return jobs[:1], jobs[1:]
    proofs = 0
    for number, job in enumerate(jobs):
        proofs += len(job.open)
        if proofs > batch and number:
            return jobs[:number], jobs[number:]
    return jobs, []


def _lost(loss: Loss, message: str) -> Examination:
    return Examination(lost=SessionLost(loss, message))


def _read(model: type[F], facts: Any) -> F:
    try:
        return model.model_validate(facts)
    except ValidationError as error:
        raise SessionLost(Loss.CRASH, f"not an answer: {error}") from None
