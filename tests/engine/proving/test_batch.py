"""The order of work with several workers, without a Lean."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.proving import batch
from engine.proving.batch import Batch, Budget
from engine.proving.closing import Closed
from engine.proving.filling import Fill
from engine.proving.problem import Document, Problem
from engine.proving.result import Attempted, Label, result_of
from engine.proving.resume import Journal
from engine.proving.search import Order
from engine.proving.source import Reading
from verifier.errors import InputError
from verifier.lean import Environment
from verifier.outline import Hole
from verifier.toolchain.embedded.process import Loss, SessionLost

TEXT = "theorem a : A := sorry\ntheorem b : B := sorry\n"
DOCUMENT = Document("Made.lean", TEXT, Environment(("Init",)))


def problem(name: str, start: int) -> Problem:
    term = (start + 17, start + 22)
    hole = Hole(form="term", span=term, anchor=start)
    command = (start, start + 22)
    return Problem(name, DOCUMENT, 1, name, ": X", "", command, term, (hole,), True)


PROBLEMS = (problem("a", 0), problem("b", 23))


class Made:
    """A source with two theorems."""

    name = document = "Made.lean"
    line = 1

    def read(self, session: object) -> Reading:
        return Reading(DOCUMENT, PROBLEMS)


class Threads:
    """Workers that have nothing to work with."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._executor = ThreadPoolExecutor(count)

    def submit(self, task: Callable[[Any], Any]) -> Future[Any]:
        class Nobody:
            session = None

        return self._executor.submit(task, Nobody())

    def warm_up(self, imports: tuple[str, ...]) -> None:
        pass


def attempted(order: Order, proved: bool) -> Attempted:
    label = Label.VERIFIED if proved else Label.OPEN
    fills = (Fill(*order.problem.term, "rfl"),) if proved else ()
    return Attempted(result=result_of(order.problem, label, "made up", ""), fills=fills)


def close(worker: object, reading: Reading, found: dict[str, Attempted]) -> Closed:
    return Closed(reading.document, tuple(found[p.id] for p in reading.problems), "")


def run(folder: Path, count: int, total: float = 30.0) -> list[str]:
    with Journal(folder / "journal.jsonl") as journal:
        made = Batch(Threads(count), [Made()], Budget(5.0, total), journal, "x")  # type: ignore[arg-type]
        return [str(r.label) for r in made.run().results]


def test_what_needs_an_earlier_theorem_is_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(2, timeout=10)
    orders: list[tuple[str, frozenset[str]]] = []

    def search(worker: object, order: Order) -> Attempted:
        orders.append((order.problem.id, order.state.proved))
        if len(orders) <= 2:
            together.wait()
        return attempted(order, order.problem.id == "a" or "a" in order.state.proved)

    monkeypatch.setattr(batch, "search", search)
    monkeypatch.setattr(batch, "close", close)
    assert run(tmp_path, 2) == ["verified", "verified"]
    assert orders[2:] == [("b", frozenset({"a"}))]


def test_one_worker_goes_in_the_order_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders: list[tuple[str, frozenset[str]]] = []

    def search(worker: object, order: Order) -> Attempted:
        orders.append((order.problem.id, order.state.proved))
        return attempted(order, order.problem.id == "a")

    monkeypatch.setattr(batch, "search", search)
    monkeypatch.setattr(batch, "close", close)
    assert run(tmp_path, 1) == ["verified", "open"]
    assert orders == [("a", frozenset()), ("b", frozenset({"a"}))]


def test_a_last_look_that_is_lost_fills_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def lose(worker: object, reading: Reading, found: object) -> Closed:
        looks.append(1)
        raise SessionLost(Loss.CRASH, "gone")

    monkeypatch.setattr(batch, "search", lambda worker, order: attempted(order, True))
    monkeypatch.setattr(batch, "close", lose)
    assert run(tmp_path, 1) == ["open", "open"]
    assert len(looks) == 2


def test_a_source_that_cannot_be_read_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Made, session: object) -> Reading:
        raise InputError("it is wet", "Dry it.")

    monkeypatch.setattr(Made, "read", refuse)
    assert run(tmp_path, 1) == ["error"]


def test_time_that_is_over_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "close", close)
    assert run(tmp_path, 1, total=0.0) == ["open", "open"]
