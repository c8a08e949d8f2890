"""Provers in the background: one thread and one Lean session each."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from verifier.errors import LemmataError
from verifier.kernel.second import SecondKernel
from verifier.lean import Statement
from verifier.prover.hints import Hints
from verifier.prover.prover import ProofResult, Prover
from verifier.session import Session
from verifier.verifier import Verifier

SessionFactory = Callable[[], Session]
T = TypeVar("T")


@dataclass(frozen=True)
class Worker:
    """What a thread of the pool works with; only that thread may use it.

    Attributes:
        stopping: Whether the pool is about to end; long work asks now and then.
    """

    session: Session
    verifier: Verifier
    prover: Prover
    stopping: Callable[[], bool]


class ProverPool:
    """Proves statements in parallel.

    Args:
        start: Makes a session; each thread calls it once.
        count: Number of threads.
        second: The second kernel of their verdicts, which they share.
    """

    def __init__(
        self, start: SessionFactory, count: int, second: SecondKernel | None = None
    ) -> None:
        self._start = start
        self.second = second
        self._local = threading.local()
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._executor = ThreadPoolExecutor(count, thread_name_prefix="prover")
        self.count = count

    def warm_up(self, imports: tuple[str, ...]) -> list[Future[None]]:
        """Starts every session and runs the big tactics once, in the background."""
        barrier = threading.Barrier(self.count)

        def warm() -> None:
            try:
                worker = self._worker()
            except LemmataError:
                barrier.abort()
                raise
            with contextlib.suppress(threading.BrokenBarrierError):
                barrier.wait()  # so that each thread takes exactly one of these jobs
            worker.session.warm_up(imports)

        return [self._executor.submit(warm) for _ in range(self.count)]

    def prove(self, statement: Statement, hints: Hints, seconds: float) -> Future[ProofResult]:
        """Starts a proof search."""
        return self.submit(lambda w: w.prover.prove(statement, hints, seconds, w.stopping))

    def submit(self, task: Callable[[Worker], T]) -> Future[T]:
        """Starts any work that needs a session, in the order of the calls."""
        return self._executor.submit(lambda: task(self._worker()))

    def stop(self) -> None:
        """Asks searches to end at their next attempt, and goes on to take work."""
        self._stopping.set()

    def close(self) -> None:
        """Ends the searches at their next attempt, and the sessions with them."""
        self._stopping.set()
        with self._lock:
            workers = list(self._workers)
        for worker in workers:
            worker.session.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        for worker in workers:
            worker.session.close()

    def _worker(self) -> Worker:
        if not hasattr(self._local, "worker"):
            session = self._start()
            verifier = Verifier(session, self.second)
            worker = Worker(session, verifier, Prover(verifier), self._stopping.is_set)
            self._local.worker = worker
            with self._lock:
                self._workers.append(worker)
        found: Worker = self._local.worker
        return found


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
