"""What a prover in the background does with a candidate, and how candidates queue for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from engine.discovery.records import Pending
from engine.judgement.novelty import Following, ask_whether_it_follows, read_off_search
from engine.workers import ProverPool, Worker
from verifier.lean import Statement
from verifier.prover.hints import Hints, Lemma
from verifier.prover.prover import ProofResult


@dataclass(frozen=True)
class Attempted:
    """The outcome of a search.

    Attributes:
        following: Whether what was proved follows at once from the lemmas; ``None`` if not asked.
    """

    result: ProofResult
    following: Following | None


def attempt(
    worker: Worker,
    statement: Statement,
    lemmas: Sequence[str],
    seconds: float,
    corollary_seconds: float,
    wide: bool,
) -> Attempted:
    """Looks for a proof, and asks of a proved law whether it is a corollary.

    Args:
        worker: Of the pool.
        statement: In an environment that has the lemmas.
        lemmas: Their full names.
        seconds: Wall-clock limit of the search.
        corollary_seconds: Wall-clock limit of the question; 0 asks nothing.
        wide: Whether the search may go on to what takes long to fail.
    """
    hints = Hints(lemmas=tuple(Lemma(name) for name in lemmas))
    result = worker.prover.prove(statement, hints, seconds, worker.stopping, wide)
    if not (result.verdict.verified and corollary_seconds):
        return Attempted(result, None)
    following = read_off_search(result, lemmas)
    if following is None and not worker.stopping():
        following = ask_whether_it_follows(worker, statement, lemmas, corollary_seconds)
    return Attempted(result, following)


RETRY_EVERY = 3


class Queue:
    """Candidates that wait, that are being searched, and that have failed so far.

    Args:
        pool: The provers.
    """

    def __init__(self, pool: ProverPool) -> None:
        self._pool = pool
        self._waiting: list[Pending] = []
        self._running: dict[Future[Attempted], Pending] = {}
        self.failed: list[Pending] = []
        self._taken = 0

    def __bool__(self) -> bool:
        return bool(self._waiting or self._running)

    @property
    def fresh(self) -> int:
        """How many candidates that were never tried wait or are being searched."""
        return sum(p.tries == 0 for p in (*self._waiting, *self._running.values()))

    @property
    def idle(self) -> bool:
        """Whether a prover has nothing to do."""
        return len(self._running) < self._pool.count

    def open(self) -> list[Pending]:
        """All candidates without a proof."""
        return [*self._waiting, *self._running.values(), *self.failed]

    def put(self, pending: Pending) -> None:
        """Lets a candidate wait for a prover."""
        heapq.heappush(self._waiting, pending)

    def take(self, due: Callable[[Pending], bool]) -> Pending | None:
        """The candidate that a prover should look at next.

        A failed one that is due has its turn when no other waits, and at every third time: so it
        profits from several lemmas at once, and what it may help is not kept waiting.

        Args:
            due: Whether there is reason to try a failed candidate again.
        """
        self._taken += 1
        if not self._waiting or self._taken % RETRY_EVERY == 0:
            chosen = min((p for p in self.failed if due(p)), default=None)
            if chosen is not None:
                self.failed.remove(chosen)
                return chosen
        return heapq.heappop(self._waiting) if self._waiting else None

    def start(
        self,
        pending: Pending,
        statement: Statement,
        seconds: float,
        corollary_seconds: float,
    ) -> None:
        """Starts a search with the lemmas that the candidate is offered; see :func:`attempt`."""
        lemmas, wide = list(pending.offered), pending.tries > 0
        task = self._pool.submit(
            lambda w: attempt(w, statement, lemmas, seconds, corollary_seconds, wide), seconds
        )
        self._running[task] = pending

    def finished(self, seconds: float) -> list[tuple[Pending, Attempted]]:
        """The searches that have ended; waits so long for the first one."""
        if not self._running:
            return []
        done, _ = wait(self._running, seconds, return_when=FIRST_COMPLETED)
        return [(self._running.pop(task), task.result()) for task in done]
