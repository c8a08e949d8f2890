"""Who is served when, with holders that only write down what they did; and a real pool."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from verifier.answers import Answers
from verifier.batch import Candidate
from verifier.kernel.second import SecondKernel
from verifier.lean import Environment, Statement
from verifier.pool import LONG_SECONDS, QUIET_SECONDS, Pool, VerifierPool
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verdict import Outcome, Reason


class Holder:
    closed = 0

    def close(self) -> None:
        type(self).closed += 1


class Gate:
    """Keeps a pool of one busy until everything is queued."""

    def __init__(self, pool: Pool[Holder], workers: int = 1) -> None:
        self._open = threading.Event()
        self._busy = [threading.Event() for _ in range(workers)]
        for busy in self._busy:
            pool.submit(lambda _, busy=busy: (busy.set(), self._open.wait(10)), 0.0)
        for busy in self._busy:
            assert busy.wait(10)

    def open(self) -> None:
        self._open.set()


def test_short_requests_go_first_and_equal_ones_keep_their_order() -> None:
    done: list[str] = []
    with Pool(Holder, 1) as pool:
        gate = Gate(pool)
        jobs = [("long", 14.0), ("a", 1.0), ("b", 1.0), ("middle", 5.0)]
        futures = [pool.submit(lambda _, n=name: done.append(n), limit) for name, limit in jobs]
        gate.open()
        for future in futures:
            future.result(10)
    assert done == ["a", "b", "middle", "long"]


def test_a_long_request_is_not_passed_for_ever() -> None:
    """What arrives after its due time comes after it."""
    now = [0.0]
    done: list[str] = []
    with Pool(Holder, 1, clock=lambda: now[0]) as pool:
        gate = Gate(pool)
        futures = [pool.submit(lambda _: done.append("long"), 14.0)]
        now[0] = 20.0
        futures.append(pool.submit(lambda _: done.append("short"), 1.0))
        gate.open()
        for future in futures:
            future.result(10)
    assert done == ["long", "short"]


def test_long_requests_leave_one_session_for_short_ones() -> None:
    release = threading.Event()
    with Pool(Holder, 2) as pool:
        pool.submit(lambda _: None, 1.0).result(10)
        held = [pool.submit(lambda _: release.wait(10), LONG_SECONDS + 1) for _ in range(3)]
        short = pool.submit(lambda _: "served", 1.0)
        assert short.result(10) == "served"
        assert sum(f.running() for f in held) == 1
        release.set()
        assert all(f.result(10) for f in held)


def test_long_requests_have_all_sessions_when_nothing_else_comes() -> None:
    both = threading.Barrier(2)
    with Pool(Holder, 2) as pool:
        held = [pool.submit(lambda _: both.wait(10), LONG_SECONDS + 1) for _ in range(2)]
        assert {f.result(10) for f in held} == {0, 1}


def test_after_a_while_without_short_requests_long_ones_take_the_last_session() -> None:
    now = [0.0]
    both = threading.Barrier(2)
    with Pool(Holder, 2, clock=lambda: now[0]) as pool:
        pool.submit(lambda _: None, 1.0).result(10)
        held = [pool.submit(lambda _: both.wait(10), LONG_SECONDS + 1) for _ in range(2)]
        now[0] = QUIET_SECONDS + 1
        assert {f.result(10) for f in held} == {0, 1}


def test_a_pool_of_one_takes_long_requests_too() -> None:
    with Pool(Holder, 1) as pool:
        assert pool.submit(lambda _: 7, LONG_SECONDS * 2).result(10) == 7


def test_what_is_cancelled_never_runs() -> None:
    done: list[int] = []
    with Pool(Holder, 1) as pool:
        gate = Gate(pool)
        futures = [pool.submit(lambda _, i=i: done.append(i), 1.0) for i in range(3)]
        assert futures[1].cancel()
        gate.open()
        futures[0].result(10)
        futures[2].result(10)
    assert done == [0, 2]


def test_a_failure_belongs_to_its_request() -> None:
    with Pool(Holder, 1) as pool:
        bad = pool.submit(lambda _: 1 // 0, 1.0)
        with pytest.raises(ZeroDivisionError):
            bad.result(10)
        assert pool.submit(lambda _: 1, 1.0).result(10) == 1


def test_closing_cancels_what_waits_and_closes_the_holders() -> None:
    Holder.closed = 0
    pool = Pool(Holder, 2)
    pool.submit(lambda _: None, 1.0).result(10)
    gate = Gate(pool, 2)
    waiting = pool.submit(lambda _: None, 1.0)
    gate.open()
    pool.close()
    assert Holder.closed >= 2
    if waiting.cancelled():
        with pytest.raises(CancelledError):
            waiting.result(1)
    with pytest.raises(RuntimeError):
        pool.submit(lambda _: None, 1.0)


def test_each_holder_gets_one_job_of_a_round() -> None:
    with Pool(Holder, 3) as pool:
        seen = {f.result(10) for f in pool.on_each(id, 5.0)}
    assert len(seen) == 3


@pytest.mark.lean
def test_many_candidates_get_their_verdicts_in_order_and_again_from_the_store(
    installation: EmbeddedLean, second: SecondKernel, base: Environment, tmp_path: Path
) -> None:
    def candidate(i: int) -> Candidate:
        proof = {0: "by omega", 1: "by decide", 2: "sorry"}[i % 3]
        return Candidate(Statement(base, f"t{i}", f"(n : Nat) : n + {i} = {i} + n"), proof)

    candidates = [candidate(i) for i in range(12)] * 2
    path = tmp_path / "answers.db"
    with Answers(path) as answers:
        with VerifierPool(lambda: Session(installation), second, 1, answers) as pool:
            verdicts = list(pool.check_many(candidates))
        assert [v.verified for v in verdicts] == [i % 3 == 0 for i in range(12)] * 2
        assert {v.reason for v in verdicts[2::3]} == {Reason.SORRY}

        def no_lean() -> Session:
            session = Session(installation)
            session.start = lambda: pytest.fail("Lean was asked")  # type: ignore[method-assign]
            return session

        with VerifierPool(no_lean, second, 1, answers) as pool:
            again = list(pool.check_many(candidates[:12]))
    assert again == verdicts[:12]


@pytest.mark.lean
def test_the_store_keeps_nothing_undetermined_and_nothing_edited(
    installation: EmbeddedLean, base: Environment, tmp_path: Path
) -> None:
    slow = Candidate(Statement(base, "slow", ": (2 ^ 999999) % 7 = 3"), "by decide +kernel", 0.01)
    good = Candidate(Statement(base, "good", ": 1 = 1"), "rfl")
    path = tmp_path / "answers.db"
    with Answers(path) as answers, Session(installation) as session:
        with VerifierPool(lambda: session, None, 1, answers) as pool:
            verdict, fine = pool.check_many([slow, good])
        assert verdict.outcome is Outcome.UNDETERMINED and fine.verified
        rows = answers._database.execute("SELECT key, verdict FROM answers").fetchall()
        assert len(rows) == 1
        key, text = rows[0]
        assert answers.get(key) == fine
        forged = text.replace("proved", "timeout")
        answers._database.execute("UPDATE answers SET verdict = ? WHERE key = ?", (forged, key))
        assert answers.get(key) is None
