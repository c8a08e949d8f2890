"""In which order candidates are searched; no Lean is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from algebra import XS, YS, append
from hypothesis import given
from hypothesis import strategies as st
from waiting import COMMUTES, IDLE, INVOLUTION, pending, searched

from engine.discovery.attempts import AGAIN_EVERY, WIDE_EVERY, Attempted, News, Queue, attempt
from engine.discovery.records import Pending
from engine.judgement.novelty import Following
from engine.language.term import Law
from engine.language.typing import most_general
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
        self.asked: list[tuple[Hints, float, bool, bool]] = []

    @property
    def worker(self) -> Worker:
        def prove(
            statement: Statement,
            hints: Hints,
            seconds: float,
            cancelled: Any,
            wide: bool,
            first: bool,
        ) -> ProofResult:
            self.asked.append((hints, seconds, wide, first))
            return self.result

        prover = SimpleNamespace(prove=prove)
        return cast(Worker, SimpleNamespace(prover=prover, stopping=lambda: self.stopped))


def no(candidate: Pending, offered: Collection[str]) -> bool:
    return False


def queue(desk: Desk | None = None, news: News = no) -> Queue:
    return Queue(cast(ProverPool, desk or Desk()), news)


def failed(number: int, law: Law = IDLE, tries: int = 1, wide_tries: int = 1) -> Pending:
    """One that was searched, widely as well."""
    return replace(
        pending(number, tries=tries, law=law),
        wide_tries=wide_tries,
        offered_wide=frozenset({"T.wide"}) if wide_tries else None,
    )


def numbers(taken: Sequence[Pending | None]) -> list[int | None]:
    return [p.number if p else None for p in taken]


@given(st.lists(st.floats(0, 9), max_size=12))
def test_the_cheapest_fresh_one_comes_first(costs: list[float]) -> None:
    waiting = queue()
    put = [pending(number, cost) for number, cost in enumerate(costs)]
    for each in put:
        waiting.put(each)
    taken = [waiting.take() for _ in put]
    assert numbers(taken) == numbers(sorted(put, key=lambda p: (p.cost, p.number)))
    assert waiting.take() is None and not waiting


@given(st.integers(0, 12), st.integers(0, 6))
def test_one_with_news_has_every_third_turn_and_the_rest_when_nothing_waits(
    fresh: int, tried: int
) -> None:
    candidates = queue(news=lambda p, offered: "T.wide" not in offered)
    for number in range(fresh):
        candidates.put(pending(number))
    candidates.failed = [failed(100 + number) for number in range(tried)]
    taken = numbers([candidates.take() for _ in range(fresh + tried)])
    assert sorted(n for n in taken if n is not None) == [
        *range(fresh),
        *range(100, 100 + tried),
    ]
    left = fresh, tried
    for turn, number in enumerate(taken, 1):
        retried = number is not None and number >= 100
        assert retried == (left[1] > 0 and (turn % AGAIN_EVERY == 0 or left[0] == 0))
        left = (left[0], left[1] - 1) if retried else (left[0] - 1, left[1])
    assert candidates.failed == []


def test_a_small_statement_is_not_kept_waiting_until_large_ones_have_failed_as_often() -> None:
    small, large = failed(1, INVOLUTION, tries=4), failed(2, COMMUTES, tries=1)
    small.offered = large.offered = frozenset({"T.old"})
    candidates = queue(news=lambda p, offered: "T.new" not in offered)
    wide = most_general(append(append(XS, YS), append(XS, YS)), append(append(YS, XS), XS))
    huge = failed(3, wide, tries=1)
    candidates.failed = [huge, large, small]
    assert [candidates.take() for _ in range(2)] == [large, small]


def test_without_news_a_failed_one_has_one_wide_search() -> None:
    candidates = queue()
    untried, tried = failed(1, wide_tries=0), failed(2)
    candidates.failed = [tried, untried]
    assert candidates.take() is untried and untried.wide
    assert candidates.take() is None and candidates.failed == [tried]


def test_news_since_the_last_wide_search_makes_another_one_due() -> None:
    candidates = queue(news=lambda p, offered: "T.new" not in offered)
    tried = replace(failed(1), offered=frozenset({"T.new"}), offered_wide=frozenset({"T.old"}))
    candidates.failed = [tried]
    assert candidates.take() is tried and tried.wide
    tried.offered_wide = tried.offered
    candidates.failed = [tried]
    assert candidates.take() is None


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


def test_a_search_is_as_wide_as_the_queue_asked_and_first_once() -> None:
    desk, scripted = Desk(), Scripted(searched(0.5).result)
    candidates = queue(desk)
    for tries, wide in ((0, False), (1, True)):
        given_ = replace(pending(tries, tries=tries), hints=("T.one",), wide=wide)
        candidates.start(given_, STATEMENT, 2.0, 0.0)
    for task, _ in desk.tasks:
        assert task(scripted.worker) == Attempted(scripted.result, None)
    assert [asked[1:] for asked in scripted.asked] == [(2.0, False, True), (2.0, True, False)]
    assert all([lemma.name for lemma in h.lemmas] == ["T.one"] for h, *_ in scripted.asked)


def test_a_wide_search_has_its_turn_though_others_wait() -> None:
    candidates = queue(news=no)
    for number in range(3 * WIDE_EVERY):
        candidates.put(pending(number))
    candidates.failed = [failed(100 + n, wide_tries=0) for n in range(2)]
    taken = numbers([candidates.take() for _ in range(2 * WIDE_EVERY)])
    assert taken[WIDE_EVERY - 1] == 100 and taken[2 * WIDE_EVERY - 1] == 101


def asked(result: ProofResult, corollary_seconds: float, stopped: bool = False) -> Following | None:
    worker = Scripted(result, stopped).worker
    return attempt(worker, STATEMENT, ["T.one"], 1.0, corollary_seconds, False, True).following


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
