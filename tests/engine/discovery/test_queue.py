"""In which order candidates are searched; no Lean is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from waiting import pending, searched

from engine.discovery.attempts import RETRY_EVERY, Attempted, Queue, attempt
from engine.discovery.records import Pending
from engine.judgement.novelty import Following
from engine.workers import ProverPool, Worker
from verifier.lean import Environment, Statement
from verifier.prover.hints import Hints
from verifier.prover.prover import ProofResult, Try
from verifier.verdict import Reason

STATEMENT = Statement(Environment(("Init",)), "candidate", ": True", "")


class Desk:
    """A pool whose searches end when a test says so."""

    def __init__(self, count: int = 2) -> None:
        self.count = count
        self.tasks: list[tuple[Callable[[Worker], Attempted], Future[Attempted]]] = []

    def submit(
        self, task: Callable[[Worker], Attempted], seconds: float = 0.0
    ) -> Future[Attempted]:
        future: Future[Attempted] = Future()
        self.tasks.append((task, future))
        return future


class Scripted:
    """A worker whose searches have one result; it notes how it was asked."""

    def __init__(self, result: ProofResult, stopped: bool = False) -> None:
        self.result = result
        self.stopped = stopped
        self.asked: list[tuple[Hints, float, bool]] = []

    @property
    def worker(self) -> Worker:
        def prove(
            statement: Statement, hints: Hints, seconds: float, cancelled: Any, wide: bool
        ) -> ProofResult:
            self.asked.append((hints, seconds, wide))
            return self.result

        prover = SimpleNamespace(prove=prove)
        return cast(Worker, SimpleNamespace(prover=prover, stopping=lambda: self.stopped))


def queue(desk: Desk | None = None) -> Queue:
    return Queue(cast(ProverPool, desk or Desk()))


def no(candidate: Pending) -> bool:
    return False


def yes(candidate: Pending) -> bool:
    return True


def numbers(taken: Sequence[Pending | None]) -> list[int | None]:
    return [p.number if p else None for p in taken]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 9)), max_size=12))
def test_the_least_tried_and_cheapest_comes_first(drawn: list[tuple[int, float]]) -> None:
    waiting = queue()
    put = [pending(number, cost, tries) for number, (tries, cost) in enumerate(drawn)]
    for each in put:
        waiting.put(each)
    taken = [waiting.take(yes) for _ in put]
    order = sorted(put, key=lambda p: (p.tries, p.cost, p.number))
    assert numbers(taken) == numbers(order)
    assert waiting.take(yes) is None and not waiting


@given(st.integers(0, 12), st.integers(0, 6))
def test_a_failed_one_has_every_third_turn_and_the_rest_when_nothing_waits(
    fresh: int, failed: int
) -> None:
    candidates = queue()
    for number in range(fresh):
        candidates.put(pending(number))
    candidates.failed = [pending(100 + number, tries=1) for number in range(failed)]
    taken = numbers([candidates.take(yes) for _ in range(fresh + failed)])
    assert sorted(n for n in taken if n is not None) == [
        *range(fresh),
        *range(100, 100 + failed),
    ]
    left = fresh, failed
    for turn, number in enumerate(taken, 1):
        retried = number is not None and number >= 100
        assert retried == (left[1] > 0 and (turn % RETRY_EVERY == 0 or left[0] == 0))
        left = (left[0], left[1] - 1) if retried else (left[0] - 1, left[1])
    assert candidates.failed == []


def test_only_what_is_due_is_tried_again_the_least_tried_first() -> None:
    candidates = queue()
    candidates.failed = [pending(n, cost, tries) for n, cost, tries in ((1, 1, 2), (2, 5, 1))]
    candidates.failed.append(pending(3, 0.5, 1))
    assert candidates.take(no) is None
    assert numbers(candidates.failed) == [1, 2, 3]
    due = [candidates.take(lambda p: p.number != 3) for _ in range(3)]
    assert numbers(due) == [2, 1, None]
    assert numbers(candidates.failed) == [3]


def test_what_runs_is_open_until_it_has_finished() -> None:
    desk = Desk(2)
    candidates = queue(desk)
    assert candidates.idle and not candidates and candidates.finished(0.0) == []
    first, again, waiting = pending(1), pending(2, tries=1), pending(3)
    candidates.put(waiting)
    candidates.start(first, STATEMENT, 1.0, 0.0)
    assert candidates.idle
    candidates.start(again, STATEMENT, 1.0, 0.0)
    assert not candidates.idle and candidates.fresh == 2
    assert candidates.finished(0.0) == []
    done = searched(0.5)
    desk.tasks[1][1].set_result(done)
    assert candidates.finished(0.0) == [(again, done)]
    assert candidates.idle and candidates.finished(0.0) == []
    candidates.failed.append(again)
    assert numbers(candidates.open()) == [3, 1, 2]


def test_only_what_was_tried_before_is_searched_widely() -> None:
    desk, scripted = Desk(), Scripted(searched(0.5).result)
    candidates = queue(desk)
    for tries in (0, 1):
        offered = replace(pending(tries, tries=tries), offered=frozenset({"T.one"}))
        candidates.start(offered, STATEMENT, 2.0, 0.0)
    for task, _ in desk.tasks:
        assert task(scripted.worker) == Attempted(scripted.result, None)
    assert [(s, wide) for _, s, wide in scripted.asked] == [(2.0, False), (2.0, True)]
    assert all([lemma.name for lemma in h.lemmas] == ["T.one"] for h, _, _ in scripted.asked)


def asked(result: ProofResult, corollary_seconds: float, stopped: bool = False) -> Following | None:
    worker = Scripted(result, stopped).worker
    return attempt(worker, STATEMENT, ["T.one"], 1.0, corollary_seconds, False).following


def test_a_search_that_ended_at_once_says_whether_the_law_is_a_corollary() -> None:
    proved = searched(0.5, proved=True).result
    verdict = proved.verdict.model_copy(update={"premises": ("T.one", "Nat.rec")})
    at_once = replace(
        proved, tactic="direct", verdict=verdict, trace=(Try("direct", Reason.PROVED, 0.1),)
    )
    follows = asked(at_once, 2.0)
    assert follows is not None and follows.follows and follows.lemmas == ("T.one",)
    assert asked(at_once, 0.0) is None, "nobody asks"


def test_nothing_is_asked_of_a_law_without_proof_or_when_the_pool_ends() -> None:
    assert asked(searched(0.5).result, 2.0) is None
    assert asked(replace(searched(0.5, proved=True).result, tactic="induction"), 2.0, True) is None
