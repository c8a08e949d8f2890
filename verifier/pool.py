"""Warm sessions side by side: whoever is free takes the request that is due first.

A request is due after its own time limit has passed, counted from its arrival. So short ones go
before long ones, none waits for ever, and equal ones keep their order. Candidates with a long limit
never occupy the last session that could take short ones.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from verifier.answers import Answers
from verifier.batch import Candidate
from verifier.closing import Closing
from verifier.kernel.second import SecondKernel
from verifier.lean import Lean
from verifier.verdict import Verdict
from verifier.verifier import Verifier

START_SECONDS = 20.0
LONG_SECONDS = 15.0
"""A request with a limit beyond this one is a long one."""

QUIET_SECONDS = 30.0
"""So long after the last short request, long ones may have all sessions."""

LOOK_SECONDS = 1.0

T = TypeVar("T")


class Closable(Protocol):
    """What a worker holds, such as a session."""

    def close(self) -> None:
        """Ends its processes; a call that is under way fails."""


Held = TypeVar("Held", bound=Closable)


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(order=True)
class _Job(Generic[Held]):
    due: float
    number: int
    limit: float = field(compare=False)
    task: Callable[[Held], Any] = field(compare=False)
    future: Future[Any] = field(compare=False)

    @property
    def is_long(self) -> bool:
        return self.limit > LONG_SECONDS


class Pool(Closing, Generic[Held]):
    """Threads with one holder each, such as a session, that take jobs in the order they are due.

    Args:
        start: Makes a holder; each thread calls it once, when it has its first job.
        count: Number of threads.
        clock: Seconds.
    """

    def __init__(
        self,
        start: Callable[[], Held],
        count: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._start, self._clock = start, clock
        self.count = count
        self._jobs: list[_Job[Held]] = []
        self._numbers = itertools.count()
        self._ready = threading.Condition()
        self._held: list[Held] = []
        self._long = 0
        self._last_short = -math.inf
        self._closing = False
        self._threads = [
            threading.Thread(target=self._work, name=f"lean-{i}", daemon=True) for i in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Callable[[Held], T], limit: float) -> Future[T]:
        """Queues a job.

        Args:
            task: Runs in a thread of the pool with that thread's holder.
            limit: Seconds that it may take, by which it is ordered; the task keeps to it itself.

        Returns:
            Its future; cancelling that takes a job that has not begun out of the queue.
        """
        future: Future[T] = Future()
        with self._ready:
            if self._closing:
                raise RuntimeError("the pool is closed")
            now = self._clock()
            job = _Job(now + limit, next(self._numbers), limit, task, future)
            if not job.is_long:
                self._last_short = now
            heapq.heappush(self._jobs, job)
            self._ready.notify()
        return future

    def on_each(self, task: Callable[[Held], T], limit: float) -> list[Future[T]]:
        """Queues a job for every holder, such as a warm-up."""
        barrier = threading.Barrier(self.count)

        def once(holder: Held) -> T:
            with contextlib.suppress(threading.BrokenBarrierError):
                barrier.wait(START_SECONDS)  # so that each thread takes exactly one of these jobs
            return task(holder)

        return [self.submit(once, limit) for _ in range(self.count)]

    def close(self) -> None:
        """Cancels what waits, ends what runs, and closes the holders."""
        with self._ready:
            self._closing = True
            for job in self._jobs:
                job.future.cancel()
            self._jobs.clear()
            self._ready.notify_all()
            held = list(self._held)
        for holder in held:
            holder.close()
        for thread in self._threads:
            thread.join()
        for holder in self._held:
            holder.close()

    def _work(self) -> None:
        holder: Held | None = None
        while (job := self._next()) is not None:
            try:
                if not job.future.set_running_or_notify_cancel():
                    continue
                if holder is None:
                    holder = self._start()
                    with self._ready:
                        self._held.append(holder)
                job.future.set_result(job.task(holder))
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the job
                job.future.set_exception(error)
            finally:
                self._done(job)

    def _next(self) -> _Job[Held] | None:
        """The job that is due first among those that may run now; ``None`` at the end."""
        with self._ready:
            while not self._closing:
                if job := self._take():
                    self._long += job.is_long
                    return job
                self._ready.wait(LOOK_SECONDS if self._jobs else None)
        return None

    def _take(self) -> _Job[Held] | None:
        quiet = self._clock() - self._last_short > QUIET_SECONDS
        may_be_long = quiet or self._long < max(1, self.count - 1)
        allowed = [job for job in self._jobs if may_be_long or not job.is_long]
        if not allowed:
            return None
        first = allowed[0] if allowed[0] is self._jobs[0] else min(allowed)
        if first is self._jobs[0]:
            return heapq.heappop(self._jobs)
        self._jobs.remove(first)
        heapq.heapify(self._jobs)
        return first

    def _done(self, job: _Job[Held]) -> None:
        with self._ready:
            self._long -= job.is_long
            self._ready.notify()


class _Checker:
    """A verifier with a Lean of its own."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    def check(self, c: Candidate) -> Verdict:
        return self._verifier.check(c.statement, c.proof, c.seconds)

    def close(self) -> None:
        self._verifier.lean.close()


class VerifierPool(Closing):
    """Verdicts on many candidates: in parallel, and from the store where they were given before.

    Args:
        start: Starts a Lean; each worker has one.
        second: The second kernel, which they share.
        count: Number of workers, by default one a core.
        answers: The store of earlier verdicts.
    """

    def __init__(
        self,
        start: Callable[[], Lean],
        second: SecondKernel | None,
        count: int | None = None,
        answers: Answers | None = None,
    ) -> None:
        self._pool = Pool(lambda: _Checker(Verifier(start(), second, answers)), count or cores())
        self._running: dict[Candidate, Future[Verdict]] = {}
        self._lock = threading.Lock()

    def check(self, candidate: Candidate) -> Future[Verdict]:
        """Asks for a verdict. Equal candidates that are under way share one."""
        with self._lock:
            known = self._running.get(candidate)
            if known is not None and not known.cancelled():
                return known
            future = self._pool.submit(lambda held: held.check(candidate), candidate.seconds)
            self._running[candidate] = future
        future.add_done_callback(lambda _: self._forget(candidate, future))
        return future

    def check_many(self, candidates: Iterable[Candidate]) -> Iterator[Verdict]:
        """Verdicts in the order of the candidates, each as soon as those before it are there."""
        futures = [self.check(candidate) for candidate in candidates]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """Cancels what waits and kills what runs."""
        self._pool.close()

    def _forget(self, candidate: Candidate, future: Future[Verdict]) -> None:
        with self._lock:
            if self._running.get(candidate) is future:
                del self._running[candidate]
