"""Provers in the background: one thread and one Lean session each."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from verifier.errors import LemmataError
from verifier.lean import Statement
from verifier.prover.hints import Hints
from verifier.prover.prover import ProofResult, Prover
from verifier.session import Session
from verifier.verifier import Verifier

SessionFactory = Callable[[], Session]


@dataclass
class _Worker:
    session: Session
    prover: Prover


class ProverPool:
    """Proves statements in parallel.

    Args:
        start: Makes a session; each thread calls it once.
        count: Number of threads.
    """

    def __init__(self, start: SessionFactory, count: int) -> None:
        self._start = start
        self._local = threading.local()
        self._workers: list[_Worker] = []
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

        def search() -> ProofResult:
            prover = self._worker().prover
            return prover.prove(statement, hints, seconds, self._stopping.is_set)

        return self._executor.submit(search)

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

    def _worker(self) -> _Worker:
        if not hasattr(self._local, "worker"):
            session = self._start()
            worker = _Worker(session, Prover(Verifier(session)))
            self._local.worker = worker
            with self._lock:
                self._workers.append(worker)
        found: _Worker = self._local.worker
        return found


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
