"""Questions about what follows are spread over a pool, each thread with what is its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from engine.evaluation import panel as panel_module
from engine.evaluation.discovery_run import FinishedRun, FoundLemma
from engine.evaluation.explore_bench import (
    DEFINED,
    FOUND,
    IMPLIED,
    MISSING,
    StatedLaw,
    redundant,
    score,
)
from engine.evaluation.implication import Implied
from engine.evaluation.panel import Panel
from verifier.lean import Environment
from verifier.pool import Pool
from verifier.progress import SilentProgress

WORKERS = 3
BASE = Environment(("Init",))


@dataclass(eq=False)
class FakeWorker:
    """Stands for a worker: what matters is whose it is."""

    session: object = None
    verifier: object = None
    closed: bool = False

    def close(self) -> None:
        self.closed = True


class FakePool:
    """Threads as in the real pool, without Lean."""

    def __init__(self) -> None:
        self._pool: Pool[FakeWorker] = Pool(FakeWorker, WORKERS)
        self.submit = lambda task, seconds=0.0: self._pool.submit(task, seconds)
        self.close = self._pool.close


@dataclass
class FakeImplication:
    """Knows what follows from what: a statement from any set that contains one of some sets."""

    follows: dict[str, list[set[str]]]
    thread: int = field(default_factory=threading.get_ident)
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def proof(self, statement: str, lemmas: tuple[str, ...]) -> Implied | None:
        assert threading.get_ident() == self.thread
        self.asked.append((statement, tuple(lemmas)))
        for enough in self.follows.get(statement, []):
            if enough <= set(lemmas):
                return Implied("by proof", tuple(sorted(enough)))
        return None


class Made(list[FakeImplication]):
    """All implications that were made."""

    @property
    def asked(self) -> list[tuple[str, tuple[str, ...]]]:
        return [question for implication in self for question in implication.asked]


@pytest.fixture
def follows() -> dict[str, list[set[str]]]:
    return {}


@pytest.fixture
def made(follows: dict[str, list[set[str]]], monkeypatch: pytest.MonkeyPatch) -> Made:
    made = Made()

    def make(*_: Any) -> FakeImplication:
        made.append(FakeImplication(follows))
        return made[-1]

    monkeypatch.setattr(panel_module, "Implication", make)
    return made


@pytest.fixture
def panel(made: Made) -> Iterator[Panel]:
    pool = FakePool()
    yield Panel(pool, BASE, "", ())
    pool.close()


class Counted(SilentProgress):
    advanced = 0

    def advance(self, n: int) -> None:
        self.advanced += n


def run(panel: Panel, *names: str) -> FinishedRun:
    lemmas = tuple(FoundLemma(n, f": {n}", n, "o", (), float(i)) for i, n in enumerate(names))
    return FinishedRun(None, BASE, lemmas, panel, {}, 1.0, False)


def test_answers_keep_their_order_and_each_thread_has_one_implication(
    panel: Panel, made: Made
) -> None:
    together = threading.Barrier(WORKERS, timeout=20)
    progress = Counted()

    def question(implication: FakeImplication, number: int) -> tuple[int, FakeImplication]:
        if number < WORKERS:
            together.wait()  # so that no thread takes all questions
        implication.proof("", ())
        return number, implication

    answers = panel.each(question, range(20), progress)
    assert [number for number, _ in answers] == list(range(20))
    assert progress.advanced == 20
    assert len(made) == WORKERS and {id(i) for _, i in answers} == {id(i) for i in made}
    panel.each(question, range(WORKERS, 20), progress)
    assert len(made) == WORKERS


def test_a_question_that_fails_ends_the_others(panel: Panel, made: Made) -> None:
    gate = threading.Event()

    def question(implication: FakeImplication, number: int) -> None:
        if number == 0:
            raise ValueError("no answer")
        gate.wait(20)
        implication.proof("", ())

    with pytest.raises(ValueError, match="no answer"):
        panel.each(question, range(100), SilentProgress())
    gate.set()
    assert panel.one(lambda *_: "free again", 0) == "free again"
    assert len(made.asked) <= WORKERS


def test_laws_are_scored_in_their_order(
    panel: Panel, made: Made, follows: dict[str, list[set[str]]]
) -> None:
    follows |= {": defined": [set()], ": implied": [{"a", "b"}]}
    names = ("implied", "a", "missing", "defined")
    laws = [StatedLaw(n, n, f": {n}", n) for n in names]
    progress = Counted()
    scored = score(laws, run(panel, "a", "b"), progress)
    assert [law.name for law in scored] == list(names)
    assert [law.fate for law in scored] == [IMPLIED, FOUND, MISSING, DEFINED]
    assert scored[1].by == "a" and scored[1].after == 0.0
    assert progress.advanced == len(laws)
    assert ": a" not in {statement for statement, _ in made.asked}


def test_of_two_lemmas_that_follow_from_each_other_the_first_stays(
    panel: Panel, follows: dict[str, list[set[str]]]
) -> None:
    follows |= {": a": [{"b"}], ": b": [{"a"}]}
    assert redundant(run(panel, "a", "b", "c"), SilentProgress()) == ["b"]


def test_a_lemma_is_asked_again_only_when_its_proof_uses_a_dropped_one(
    panel: Panel, made: Made, follows: dict[str, list[set[str]]]
) -> None:
    follows |= {": d": [{"a"}], ": c": [{"d"}, {"a", "b"}], ": b": [{"d"}], ": e": [{"a"}]}
    progress = Counted()
    assert redundant(run(panel, "a", "b", "c", "d", "e"), progress) == ["e", "d", "c"]
    asked = [statement for statement, _ in made.asked]
    assert {statement: asked.count(statement) for statement in asked} == {
        ": a": 1, ": b": 2, ": c": 2, ": d": 1, ": e": 1,
    }  # fmt: skip
    assert (": c", ("a", "b")) in made.asked and (": b", ("a",)) in made.asked
    assert progress.advanced == 5
