"""Contradictions of conjectures, and proofs made again, without a real Lean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from algebra import APPEND, NIL_TERM, REVERSE, XS, YS, append, reverse
from credulous import Credulous, theory, write
from waiting import INVOLUTION, SHORT, draft

from engine.discovery.ground import Ground
from engine.discovery.upkeep import RECHECKED, Upkeep
from engine.language.rewriting import Rewriter
from engine.language.term import Law, Term
from engine.language.typing import most_general
from engine.library.library import Library
from engine.model import Label, Stage
from engine.strategy.operators import KnownLaw
from verifier.lean import ProofFacts, Statement
from verifier.verifier import Verifier

THEORY = "Theories.Basic"
FALSE_TOO = most_general(append(XS, YS), reverse(XS))
DEFINITION = most_general(append(NIL_TERM, YS), YS)
LISTS = {"nil": (), "cons 0 nil": (0,), "cons 1 nil": (1,)}


class Doubting(Credulous):
    """Rejects one lemma."""

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        wrong = statement.name == "bad"
        return super().prove(statement, "by use nothing" if wrong else proof, seconds, replay)


class Calculator:
    """Refutes laws about lists of numbers; notes what it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def refute(self, law: Law) -> list[tuple[str, str]] | None:
        self.asked += 1
        names = [name for name, _ in law.types]
        for texts in product(LISTS, repeat=len(names)):
            at = dict(zip(names, texts, strict=True))
            if value(law.lhs, at) != value(law.rhs, at):
                return list(at.items())
        return None


def value(term: Term, at: dict[str, str]) -> tuple[int, ...]:
    args = [value(a, at) for a in term.args]
    if term.head == APPEND:
        return args[0] + args[1]
    if term.head == REVERSE:
        return args[0][::-1]
    if term == NIL_TERM:
        return ()
    name = str(term.head)
    return LISTS[at.get(name, name).strip("()").partition(" : ")[0]]


class Grounded:
    """What a run knows: one definition. Notes when it takes up the library anew."""

    def __init__(self) -> None:
        self.theory = SimpleNamespace(name=THEORY, context="", symbols={}, short=str)
        self.environment = theory().environment
        self.known = [KnownLaw("T:append", "the definition", DEFINITION, Label.ASSUMED)]
        self.refreshed = 0

    def refresh(self) -> None:
        self.refreshed += 1


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        opened.adopt(theory(), Verifier(Credulous()))
        yield opened


def upkeep(library: Library, ground: Grounded, lean: Credulous | None = None) -> Upkeep:
    return Upkeep(cast(Ground, ground), library, Verifier(lean or Credulous()), lambda: 0.0)


def conjecture(library: Library, law: Law) -> tuple[str, Law]:
    made = draft(law)
    library.store.remember_candidate(
        made.candidate(), theory=THEORY, stage=Stage.VERIFIER, outcome=Label.CONJECTURE
    )
    return made.key, law


def never() -> bool:
    return False


def found(
    upkeep: Upkeep,
    calculator: Calculator,
    *conjectures: tuple[str, Law],
    stop: Callable[[], bool] = never,
) -> list[str]:
    contradictions = upkeep.contradictions(conjectures, Rewriter(), calculator.refute, stop)
    assert all(c.refutes and c.computed for c in contradictions)
    return [c.one for c in contradictions]


def test_a_conjecture_that_a_definition_contradicts_is_refuted(library: Library) -> None:
    false, true = conjecture(library, SHORT), conjecture(library, INVOLUTION)
    assert found(upkeep(library, Grounded()), Calculator(), true, false) == [false[0]]
    record = library.store.candidate_by_key(THEORY, false[0])
    assert record is not None and record.outcome is Label.REFUTED
    assert record.stage is Stage.CONTRADICTION and "cons" in record.counterexample
    left = library.store.candidate_by_key(THEORY, true[0])
    assert left is not None and left.outcome is Label.CONJECTURE


def test_a_conjecture_is_looked_at_once(library: Library) -> None:
    calculator, keeper = Calculator(), upkeep(library, Grounded())
    false = conjecture(library, SHORT)
    assert found(keeper, calculator, false) == [false[0]]
    asked = calculator.asked
    assert asked and found(keeper, calculator, false) == []
    assert calculator.asked == asked
    other = conjecture(library, FALSE_TOO)
    assert found(keeper, calculator, false, other) == [other[0]]


def test_the_hunt_ends_when_the_run_does(library: Library) -> None:
    calculator = Calculator()
    false = conjecture(library, SHORT)
    assert found(upkeep(library, Grounded()), calculator, false, stop=lambda: True) == []
    assert calculator.asked == 0


def test_proofs_are_made_again_a_few_at_a_time_and_the_wrong_one_is_retracted(
    library: Library,
) -> None:
    for name in ("one", "two", "bad", "four"):
        write(library, theory(), name, "by use zero")
    ground = Grounded()
    keeper = upkeep(library, ground, Doubting())
    assert RECHECKED == 2
    assert keeper.recheck(never) == [] and ground.refreshed == 0
    assert [r.name for r in library.store.due_for_recheck(2)] == ["T.bad", "T.four"]
    (fallen,) = keeper.recheck(never)
    assert fallen[0] == "T.bad" and fallen[1]
    assert ground.refreshed == 1
    assert [lemma.name for lemma in library.lemmas()] == ["T.one", "T.two", "T.four"]
    assert keeper.recheck(never) == [] and ground.refreshed == 1
