"""A pool of one worker that answers at once, in the thread that asks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from engine.workers import Worker
from verifier.prover.prover import Prover
from verifier.session import Session
from verifier.verifier import Verifier


class InlinePool:
    """Works with a session that tests share.

    Args:
        session: Of the worker.
        verifier: Of the worker.
    """

    def __init__(self, session: Session, verifier: Verifier) -> None:
        self._worker = Worker(session, verifier, Prover(verifier), lambda: False)

    def submit(self, task: Callable[[Worker], Any], seconds: float = 0.0) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(task(self._worker))
        return future
