"""Provers in the background: one thread and one Lean session each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from verifier.answers import Answers
from verifier.kernel.second import SecondKernel
from verifier.lean import Statement
from verifier.pool import Pool
from verifier.prover.hints import Hints
from verifier.prover.prover import ProofResult, Prover
from verifier.session import Session
from verifier.verifier import Verifier

SessionFactory = Callable[[], Session]
T = TypeVar("T")
WARM_UP_SECONDS = 0.0
"""A warm-up comes before everything else."""


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

    def close(self) -> None:
        """Ends the session."""
        self.session.close()


class ProverPool:
    """Proves statements in parallel, those with less time first.

    Args:
        start: Makes a session; each thread calls it once.
        count: Number of threads.
        second: The second kernel of their verdicts, which they share.
        answers: Verdicts that were given before.
    """

    def __init__(
        self,
        start: SessionFactory,
        count: int,
        second: SecondKernel | None = None,
        answers: Answers | None = None,
    ) -> None:
        self._start = start
        self._answers = answers
        self._stopping = threading.Event()
        self._pool = Pool(self._worker, count)
        self.second = second
        self.count = count

    def warm_up(self, imports: tuple[str, ...]) -> list[Future[None]]:
        """Starts every session and runs the big tactics once, in the background."""
        return self._pool.on_each(lambda w: w.session.warm_up(imports), WARM_UP_SECONDS)

    def prove(self, statement: Statement, hints: Hints, seconds: float) -> Future[ProofResult]:
        """Starts a proof search."""
        return self.submit(lambda w: w.prover.prove(statement, hints, seconds, w.stopping), seconds)

    def submit(self, task: Callable[[Worker], T], seconds: float = 0.0) -> Future[T]:
        """Starts any work that needs a session.

        Args:
            task: What to do.
            seconds: How long it may take; what takes less goes first.
        """
        return self._pool.submit(task, seconds)

    def stop(self) -> None:
        """Asks searches to end at their next attempt, and goes on to take work."""
        self._stopping.set()

    def resume(self) -> None:
        """Takes a :meth:`stop` back."""
        self._stopping.clear()

    def close(self) -> None:
        """Ends the searches at their next attempt, and the sessions with them."""
        self._stopping.set()
        self._pool.close()

    def _worker(self) -> Worker:
        session = self._start()
        verifier = Verifier(session, self.second, self._answers)
        return Worker(session, verifier, Prover(verifier), self._stopping.is_set)
