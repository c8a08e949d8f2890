"""The run: sources are read, statements searched, documents closed, by all workers at once.

A document goes in file order as far as one worker is concerned: what was proved before is there
for what comes later. With several workers a statement may be searched before an earlier one is
proved; if it stays open then, it is searched again.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from engine.proving.closing import Closed, close, closed_before, state_of, unchecked
from engine.proving.problem import Problem
from engine.proving.result import Attempted, Label, Result, result_of
from engine.proving.resume import Journal, key_of, key_of_document
from engine.proving.search import Order, not_a_proof, search, unreadable
from engine.proving.source import Reading, Source, Unreadable
from engine.workers import ProverPool
from verifier.errors import InputError
from verifier.toolchain.embedded.process import SessionLost

WAIT_SECONDS = 0.2
BUDGET = "budget"
INTERRUPTED = "interrupted"
CLOSING_TRIES = 2


class What(StrEnum):
    """What an event tells."""

    READ = "read"
    SETTLED = "settled"
    CLOSED = "closed"


@dataclass(frozen=True)
class Event:
    """Something that a watcher may show: a source was read, a statement settled.

    Attributes:
        count: How many statements a source has, for ``READ``.
    """

    what: What
    source: str
    count: int = 0
    result: Result | None = None


@dataclass(frozen=True)
class Budget:
    """Seconds for each search of a statement, and for the whole run."""

    each: float
    total: float


@dataclass(frozen=True)
class Outcome:
    """What became of a source: its results, and its text when it could be read."""

    source: Source | Unreadable
    results: tuple[Result, ...]
    closed: Closed | None = None


@dataclass(frozen=True)
class BatchReport:
    """What a run did, in the order of the input."""

    outcomes: tuple[Outcome, ...]
    seconds: float
    interrupted: bool

    @property
    def results(self) -> tuple[Result, ...]:
        """All results."""
        return tuple(r for outcome in self.outcomes for r in outcome.results)

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """How many results have a label and a reason."""
        return Counter((str(r.label), r.reason) for r in self.results)


@dataclass(eq=False)
class _Open:
    """A source under work.

    Attributes:
        proved_then: For each problem that was searched, what was proved when that began.
        losses: How often the last look at it was lost.
    """

    source: Source
    reading: Reading | None = None
    waiting: deque[Problem] = field(default_factory=deque)
    running: int = 0
    found: dict[str, Attempted] = field(default_factory=dict)
    proved_then: dict[str, frozenset[str]] = field(default_factory=dict)
    failure: Result | None = None
    closing: bool = False
    losses: int = 0
    closed: Closed | None = None


class Batch:
    """One run over sources.

    Args:
        pool: The workers.
        sources: In the order of the report.
        budget: Time limits.
        journal: What was settled before, and where to put what is settled now.
        toolchain: Which Lean it is, for the journal.
        notify: Told of each event.
    """

    def __init__(
        self,
        pool: ProverPool,
        sources: Sequence[Source | Unreadable],
        budget: Budget,
        journal: Journal,
        toolchain: str,
        notify: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self._pool = pool
        self._sources = sources
        self._budget = budget
        self._journal = journal
        self._toolchain = toolchain
        self._notify = notify
        self._open = [_Open(s) for s in sources if not isinstance(s, Unreadable)]
        self._running: dict[Future[Any], Callable[[Future[Any]], None]] = {}
        self._unread = deque(self._open)
        self._active: list[_Open] = []
        self._left = len(self._open)
        self._warm = False

    def run(self) -> BatchReport:
        """Works until everything is settled or time is up; Ctrl-C ends it early.

        Raises:
            ToolchainError: There is no Lean.
            StorageError: The journal cannot be written.
        """
        started = time.monotonic()
        self._deadline = started + self._budget.total
        interrupted = False
        for source in self._sources:
            if isinstance(source, Unreadable):
                self._notify(Event(What.SETTLED, source.name, result=source.result))
        try:
            while self._left:
                self._dispatch()
                self._collect()
        except KeyboardInterrupt:
            interrupted = True
            self._pool.stop()
            self._take_in([f for f in self._running if f.done()])
        outcomes = tuple(self._outcomes())
        return BatchReport(outcomes, time.monotonic() - started, interrupted)

    # -- giving out work ---------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Gives out work while a worker is free."""
        while len(self._running) < self._pool.count:
            if not (self._close_one() or self._search_one() or self._read_one()):
                return

    def _close_one(self) -> bool:
        for entry in self._active:
            reading = entry.reading
            if reading is None or entry.closing:
                continue
            if entry.waiting or entry.running or self._again(entry):
                continue
            self._close(entry, reading)
            return True
        return False

    def _close(self, entry: _Open, reading: Reading) -> None:
        found = {p.id: entry.found[p.id] for p in reading.problems}
        key = key_of_document(reading.document, tuple(found.values()), self._toolchain)
        known = self._journal.closed(key)
        if known is not None:
            placed = tuple(map(_placed, known, reading.problems))
            entry.closed = closed_before(reading.document, placed)
            self._finish(entry)
            return
        entry.closing = True
        future = self._pool.submit(lambda w: close(w, reading, found))
        self._running[future] = lambda done: self._was_closed(entry, key, done)

    def _search_one(self) -> bool:
        for entry in self._active:
            while entry.waiting:
                if self._start(entry, entry.waiting.popleft()):
                    return True
        return False

    def _start(self, entry: _Open, problem: Problem) -> bool:
        """Starts a search, unless the answer is there without one."""
        assert entry.reading is not None
        seconds = min(self._budget.each, self._deadline - time.monotonic())
        if problem.fault:
            self._settle(entry, problem, Attempted(result=not_a_proof(problem)))
            return False
        key = key_of(problem, self._toolchain)
        known = self._journal.settled(key, min(seconds, self._budget.each))
        if known is not None and problem.id not in entry.proved_then:
            self._settle(entry, problem, _placed(known, problem))
            return False
        if seconds <= 0:
            if problem.id not in entry.found:
                self._settle(entry, problem, _not_tried(problem, BUDGET))
            return False
        if not self._warm:
            self._warm = True
            self._pool.warm_up(("Init",))
        state = state_of(entry.reading, entry.found)
        entry.proved_then[problem.id] = state.proved
        entry.running += 1
        order = Order(problem, state, seconds, entry.reading.known)
        future = self._pool.submit(lambda w: search(w, order))

        def take_in(done: Future[Any]) -> None:
            entry.running -= 1
            attempted: Attempted = done.result()
            self._journal.add(key, seconds, attempted)
            self._settle(entry, problem, attempted)

        self._running[future] = take_in
        return True

    def _again(self, entry: _Open) -> bool:
        """Puts open statements back for which something was proved since they were searched."""
        assert entry.reading is not None
        if time.monotonic() >= self._deadline:
            return False
        proved = state_of(entry.reading, entry.found).proved
        earlier: set[str] = set()
        for problem in entry.reading.problems:
            then = entry.proved_then.get(problem.id)
            is_open = entry.found[problem.id].result.label is Label.OPEN
            if then is not None and is_open and (proved & earlier) - then:
                entry.waiting.append(problem)
            earlier.add(problem.id)
        return bool(entry.waiting)

    def _read_one(self) -> bool:
        if not self._unread:
            return False
        entry = self._unread.popleft()
        source = entry.source
        future = self._pool.submit(lambda w: source.read(w.session))
        self._running[future] = lambda done: self._was_read(entry, done)
        return True

    # -- taking in results -------------------------------------------------------------------

    def _collect(self) -> None:
        done, _ = wait(self._running, WAIT_SECONDS, return_when=FIRST_COMPLETED)
        self._take_in(done)

    def _take_in(self, done: Iterable[Future[Any]]) -> None:
        for future in done:
            self._running.pop(future)(future)

    def _was_read(self, entry: _Open, done: Future[Reading]) -> None:
        source = entry.source
        try:
            entry.reading = done.result()
        except (InputError, SessionLost) as error:
            entry.failure = unreadable(source, error)
            self._left -= 1
            self._notify(Event(What.SETTLED, source.name, result=entry.failure))
            return
        self._active.append(entry)
        entry.waiting.extend(entry.reading.problems)
        self._notify(Event(What.READ, source.name, len(entry.reading.problems)))

    def _settle(self, entry: _Open, problem: Problem, attempted: Attempted) -> None:
        before = entry.found.get(problem.id)
        if before is not None:  # searched again: the better answer counts
            attempted = max(before, attempted, key=lambda a: (_rank(a), len(a.fills)))
        entry.found[problem.id] = attempted
        self._notify(Event(What.SETTLED, entry.source.name, result=attempted.result))

    def _was_closed(self, entry: _Open, key: str, done: Future[Closed]) -> None:
        try:
            entry.closed = done.result()
            self._journal.add(key, 0.0, *entry.closed.attempted)
        except (InputError, SessionLost) as lost:
            entry.closing = False
            entry.losses += 1
            if entry.losses < CLOSING_TRIES:
                return
            assert entry.reading is not None
            entry.closed = unchecked(entry.reading, entry.found, lost)
        self._finish(entry)

    def _finish(self, entry: _Open) -> None:
        self._active.remove(entry)
        self._left -= 1
        self._notify(Event(What.CLOSED, entry.source.name))

    def _outcomes(self) -> Iterator[Outcome]:
        entries = iter(self._open)
        for source in self._sources:
            if isinstance(source, Unreadable):
                yield Outcome(source, (source.result,))
                continue
            entry = next(entries)
            if entry.closed is not None:
                yield Outcome(source, entry.closed.results, entry.closed)
            elif entry.failure is not None:
                yield Outcome(source, (entry.failure,))
            elif entry.reading is not None:
                yield Outcome(source, tuple(_unfinished(entry.reading, entry.found)))


def _unfinished(reading: Reading, found: dict[str, Attempted]) -> Iterator[Result]:
    for problem in reading.problems:
        attempted = found.get(problem.id) or _not_tried(problem, INTERRUPTED)
        yield attempted.result


def _not_tried(problem: Problem, reason: str) -> Attempted:
    return Attempted(result=result_of(problem, Label.OPEN, reason, "not tried"))


def _placed(attempted: Attempted, problem: Problem) -> Attempted:
    """A result of the journal where its statement stands now: it may have been moved since."""
    place = {"id": problem.id, "document": problem.document.name, "line": problem.line}
    return attempted.model_copy(update={"result": attempted.result.model_copy(update=place)})


def _rank(attempted: Attempted) -> int:
    return int(attempted.result.label is Label.VERIFIED)
