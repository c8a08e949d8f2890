"""What a prover in the background does with a candidate, and how candidates queue for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
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
    first: bool,
) -> Attempted:
    """Looks for a proof, and asks of a proved law whether it is a corollary.

    Args:
        worker: Of the pool.
        statement: In an environment that has the lemmas.
        lemmas: Their full names.
        seconds: Wall-clock limit of the search.
        corollary_seconds: Wall-clock limit of the question; 0 asks nothing.
        wide: Whether the search may go on to what takes long to fail.
        first: Whether it is the first one for the statement.
    """
    hints = Hints(lemmas=tuple(Lemma(name) for name in lemmas))
    result = worker.prover.prove(statement, hints, seconds, worker.stopping, wide, first)
    if not (result.verdict.verified and corollary_seconds):
        return Attempted(result, None)
    following = read_off_search(result, lemmas)
    if following is None and not worker.stopping():
        following = ask_whether_it_follows(worker, statement, lemmas, corollary_seconds)
    return Attempted(result, following)


AGAIN_EVERY, WIDE_EVERY = 3, 7
"""Turns at which a failed candidate comes before a fresh one, and a wide search before both."""
FATIGUE = 0.25
"""What each search without a proof adds to a candidate's size, as a share of it."""

News = Callable[[Pending, Collection[str]], bool]


class Queue:
    """Candidates that wait, that are being searched, and that have failed so far.

    A candidate is searched for a short time when it is fresh. One that failed is searched again
    when there is news for it: a lemma about its functions that the last search did not have. A
    wide search is made now and then, and when nothing else is to do. Small statements come first
    then: they are what others need, so that they must not wait until large ones have failed as
    often.

    Args:
        pool: The provers.
        news: Whether a candidate could now use a lemma that is not among the given ones.
    """

    def __init__(self, pool: ProverPool, news: News) -> None:
        self._pool = pool
        self._news = news
        self._waiting: list[tuple[float, int, Pending]] = []
        self._running: dict[Future[Attempted], Pending] = {}
        self.failed: list[Pending] = []
        self._taken = 0

    def __bool__(self) -> bool:
        return bool(self._waiting or self._running)

    @property
    def fresh(self) -> int:
        """How many candidates that were never tried wait or are being searched."""
        return len(self._waiting) + sum(p.tries == 0 for p in self._running.values())

    @property
    def idle(self) -> bool:
        """Whether a prover has nothing to do."""
        return len(self._running) < self._pool.count

    def open(self) -> list[Pending]:
        """All candidates without a proof."""
        return [*(p for _, _, p in self._waiting), *self._running.values(), *self.failed]

    def put(self, pending: Pending) -> None:
        """Lets a fresh candidate wait for a prover."""
        heapq.heappush(self._waiting, (pending.cost, pending.number, pending))

    def take(self) -> Pending | None:
        """The candidate that a prover should look at next, with the kind of search set."""
        self._taken += 1
        kinds = [self._fresh, self._again, self._wide]
        if self._taken % WIDE_EVERY == 0:
            kinds = [self._wide, self._fresh, self._again]
        elif self._taken % AGAIN_EVERY == 0:
            kinds = [self._again, self._fresh, self._wide]
        return next((p for kind in kinds if (p := kind()) is not None), None)

    def _fresh(self) -> Pending | None:
        return heapq.heappop(self._waiting)[2] if self._waiting else None

    def _again(self) -> Pending | None:
        due = [p for p in self.failed if self._news(p, p.offered)]
        return self._chosen(due, wide=False)

    def _wide(self) -> Pending | None:
        due = [p for p in self.failed if p.offered_wide is None or self._news(p, p.offered_wide)]
        return self._chosen(due, wide=True)

    def _chosen(self, due: Sequence[Pending], wide: bool) -> Pending | None:
        if not due:
            return None
        chosen = min(due, key=lambda p: _priority(p, wide))
        self.failed.remove(chosen)
        chosen.wide = wide
        return chosen

    def start(
        self,
        pending: Pending,
        statement: Statement,
        seconds: float,
        corollary_seconds: float,
    ) -> None:
        """Starts a search with the lemmas that the candidate is offered; see :func:`attempt`."""
        lemmas, wide, first = list(pending.hints), pending.wide, pending.tries == 0

        def search(worker: Worker) -> Attempted:
            return attempt(worker, statement, lemmas, seconds, corollary_seconds, wide, first)

        task = self._pool.submit(search, seconds)
        self._running[task] = pending

    def finished(self, seconds: float) -> list[tuple[Pending, Attempted]]:
        """The searches that have ended; waits so long for the first one."""
        if not self._running:
            return []
        done, _ = wait(self._running, seconds, return_when=FIRST_COMPLETED)
        return [(self._running.pop(task), task.result()) for task in done]


def _priority(pending: Pending, wide: bool) -> tuple[float, int]:
    """The smaller statement first; a wide search is so long that others come before a second one.

    Not the cost: that was estimated when it was drafted, and the estimates learn.
    """
    fatigue = pending.wide_tries if wide else FATIGUE * pending.tries
    return pending.draft.law.size * (1 + fatigue), pending.number
