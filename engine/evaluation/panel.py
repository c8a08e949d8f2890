"""Independent questions about what follows from what, spread over the sessions of a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from engine.evaluation.implication import Implication
from engine.workers import ProverPool, Worker
from verifier.lean import Environment
from verifier.progress import Progress

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Question = Callable[[Implication, Item], Answer]


class Panel:
    """Asks what follows from what in one environment, on all sessions of a pool.

    Each thread of the pool makes an :class:`Implication` of its own when its first question comes,
    and keeps it: what it has found out about a lemma serves its later questions.

    Args:
        pool: Has nothing else to do.
        environment: Has the lemmas.
        context: Commands that open the scope of the statements.
        definitions: Full names of functions; their equations may always be used.
    """

    def __init__(
        self,
        pool: ProverPool,
        environment: Environment,
        context: str,
        definitions: Sequence[str],
    ) -> None:
        self._pool = pool
        self._environment = environment
        self._context = context
        self._definitions = definitions
        self._members: dict[Worker, Implication] = {}

    def each(
        self, question: Question[Item, Answer], items: Sequence[Item], progress: Progress
    ) -> list[Answer]:
        """The answers for some items, in their order.

        Args:
            question: What to find out about an item. It runs in a thread of the pool, and may use
                no other Lean than the implication that it is given.
            items: Any.
            progress: Advances by items.

        Raises:
            Exception: What a question has raised. Those that have not begun are cancelled.
        """
        futures = [self._submit(question, item) for item in items]
        answers = []
        try:
            for future in futures:
                answers.append(future.result())
                progress.advance(1)
        finally:
            for future in futures:
                future.cancel()
        return answers

    def one(self, question: Question[Item, Answer], item: Item) -> Answer:
        """The answer for a single item, where the next question depends on it."""
        return self._submit(question, item).result()

    def _submit(self, question: Question[Item, Answer], item: Item) -> Future[Answer]:
        return self._pool.submit(lambda worker: question(self._member(worker), item))

    def _member(self, worker: Worker) -> Implication:
        """The worker's own; only its thread comes here with it."""
        if worker not in self._members:
            self._members[worker] = Implication(
                worker.session,
                worker.verifier,
                self._environment,
                self._context,
                self._definitions,
            )
        return self._members[worker]
