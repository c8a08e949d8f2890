"""Which lemmas go at the end of a run; the answers of Lean are given."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, cast

import pytest
from algebra import XS, length, reverse
from waiting import COMMUTES, IDLE, INVOLUTION

from engine.discovery import tidy
from engine.discovery.ground import Ground
from engine.discovery.tidy import BY_CALCULATION, Tidy
from engine.judgement.novelty import Following
from engine.language.term import Law
from engine.language.typing import most_general
from engine.model import Label
from engine.strategy.operators import KnownLaw
from engine.workers import ProverPool

THRICE = most_general(reverse(reverse(reverse(XS))), reverse(XS))
LENGTH = most_general(length(reverse(XS)), length(XS))


def known(name: str, law: Law) -> KnownLaw:
    return KnownLaw(f"M:{name}", name, law, Label.VERIFIED)


class Shelf:
    """A ground whose lemmas are given, with who uses whom."""

    def __init__(self, lemmas: list[KnownLaw], uses: dict[str, str], needless: set[str]) -> None:
        self.lemmas = lemmas
        self.uses = uses
        self.gone: list[tuple[str, str]] = []
        self._needless = needless

    def proved(self) -> list[KnownLaw]:
        return self.lemmas

    def useful(self) -> list[KnownLaw]:
        return [k for k in self.lemmas if k.name not in self._needless]

    def needless(self) -> list[KnownLaw]:
        return [k for k in self.lemmas if k.name in self._needless]

    def used(self) -> set[str]:
        there = {k.name for k in self.lemmas}
        return {f"M:{used}" for user, used in self.uses.items() if user in there}

    def statement(self, law: Law) -> Law:
        return law

    def withdraw(self, lemma: KnownLaw, reason: str) -> None:
        self.lemmas.remove(lemma)
        self.gone.append((lemma.name, reason))


class AtOnce:
    """A pool that does its work in the caller's thread."""

    def submit(self, task: Callable[[Any], Any], seconds: float = 0.0) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(task(None))
        return future


@pytest.fixture
def follows(monkeypatch: pytest.MonkeyPatch) -> dict[Law, tuple[str, ...]]:
    """What Lean derives from which lemmas, if all of them are offered."""
    told: dict[Law, tuple[str, ...]] = {}

    def ask(worker: Any, statement: Law, lemmas: list[str]) -> Following:
        wanted = told.get(statement)
        if wanted is None or not set(wanted) <= set(lemmas):
            return Following(False)
        return Following(True, "simp", "by simp", wanted)

    monkeypatch.setattr(tidy, "ask_whether_it_follows", ask)
    return told


def tidied(
    shelf: Shelf, nodes: set[str], left: float = 60.0, pool: AtOnce | None = None
) -> list[str]:
    made = Tidy(cast(Ground, shelf), cast(ProverPool, pool or AtOnce()), lambda: left)
    return [node.removeprefix("M:") for node, _ in made.withdraw(nodes)]


def everything(shelf: Shelf) -> set[str]:
    return {k.node for k in shelf.lemmas}


def test_what_follows_by_calculation_goes_unless_a_proof_uses_it(
    follows: dict[Law, tuple[str, ...]],
) -> None:
    lemmas = [known("thrice", THRICE), known("involution", INVOLUTION), known("idle", IDLE)]
    shelf = Shelf(lemmas, {"involution": "idle"}, {"thrice", "idle"})
    assert tidied(shelf, everything(shelf)) == ["thrice"]
    assert shelf.gone == [("thrice", BY_CALCULATION)]


def test_what_only_a_needless_one_used_goes_too(follows: dict[Law, tuple[str, ...]]) -> None:
    lemmas = [known("idle", IDLE), known("thrice", THRICE), known("involution", INVOLUTION)]
    shelf = Shelf(lemmas, {"thrice": "idle"}, {"thrice", "idle"})
    assert tidied(shelf, everything(shelf)) == ["thrice", "idle"]


def test_what_lean_derives_from_others_goes(follows: dict[Law, tuple[str, ...]]) -> None:
    follows[LENGTH] = ("commutes",)
    shelf = Shelf([known("length", LENGTH), known("commutes", COMMUTES)], {}, set())
    assert tidied(shelf, everything(shelf)) == ["length"]
    assert "follows from commutes by simp" in shelf.gone[0][1]


def test_of_two_that_follow_from_each_other_one_stays(
    follows: dict[Law, tuple[str, ...]],
) -> None:
    follows[LENGTH], follows[INVOLUTION] = ("involution",), ("length",)
    shelf = Shelf([known("length", LENGTH), known("involution", INVOLUTION)], {}, set())
    assert len(tidied(shelf, everything(shelf))) == 1 and len(shelf.lemmas) == 1


def test_only_lemmas_of_the_run_go(follows: dict[Law, tuple[str, ...]]) -> None:
    follows[LENGTH] = ("commutes",)
    shelf = Shelf([known("length", LENGTH), known("commutes", COMMUTES)], {}, {"length"})
    assert tidied(shelf, {"M:commutes"}) == []


def test_nothing_is_asked_when_time_is_up(follows: dict[Law, tuple[str, ...]]) -> None:
    follows[LENGTH] = ("commutes",)
    shelf = Shelf([known("length", LENGTH), known("commutes", COMMUTES)], {}, set())
    assert tidied(shelf, everything(shelf), left=0.0) == []


class Never(AtOnce):
    """A pool whose sessions do not answer."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, task: Callable[[Any], Any], seconds: float = 0.0) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]


def test_what_is_not_answered_in_time_stays_and_is_asked_no_more() -> None:
    """A question that hangs costs a session, and a new one reads the whole library first."""
    shelf = Shelf([known("length", LENGTH), known("commutes", COMMUTES)], {}, set())
    pool = Never()
    started = time.monotonic()
    made = Tidy(
        cast(Ground, shelf), cast(ProverPool, pool), lambda: started + 0.2 - time.monotonic()
    )
    assert list(made.withdraw(everything(shelf))) == []
    assert time.monotonic() - started < 2.0
    assert pool.futures and all(future.cancelled() for future in pool.futures)
