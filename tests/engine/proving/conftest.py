"""A pool without threads, on the session that all tests share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from engine.proving.batch import Batch, BatchReport, Budget, Event
from engine.proving.resume import Journal
from engine.workers import Worker
from verifier.prover.prover import Prover
from verifier.session import Session
from verifier.verifier import Verifier

HERE = Path(__file__).parent
ORCHARD = HERE / "Orchard.lean"


class InlinePool:
    """Does each task at once, in this thread."""

    count = 1

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def submit(self, task: Callable[[Worker], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(task(self._worker))
        except Exception as error:  # noqa: BLE001 - handed on, as a real pool does
            future.set_exception(error)
        return future

    def warm_up(self, imports: tuple[str, ...]) -> None:
        pass

    def stop(self) -> None:
        pass


@pytest.fixture(scope="session")
def worker(session: Session) -> Worker:
    verifier = Verifier(session)
    return Worker(session, verifier, Prover(verifier), lambda: False)


RunBatch = Callable[..., BatchReport]


@pytest.fixture
def run_batch(worker: Worker, tmp_path: Path) -> RunBatch:
    """Runs a batch on sources, with a journal in the test's folder."""

    def run(
        sources: list[Any], each: float = 5.0, total: float = 120.0, **more: Any
    ) -> BatchReport:
        events: list[Event] = more.pop("events", [])
        with Journal(tmp_path / "journal.jsonl", more.pop("fresh", False)) as journal:
            batch = Batch(
                InlinePool(worker),  # type: ignore[arg-type]
                sources,
                Budget(each, total),
                journal,
                "a Lean",
                more.pop("notify", events.append),
            )
            return batch.run()

    return run
