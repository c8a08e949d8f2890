"""How far the validation plan of a candidate has come: the evidence for its verifiability.

The plan has three steps: tests, a proof, the audit of the proof. V = (done + p * left) / 3, where
the tests count by their number and p is the chance that a proof search succeeds.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.judgement.costs import Estimate, guess
from engine.model import Score

STEPS = 3
ENOUGH_CASES = 50
"""Cases after which the first step is done; fewer count in part."""


@dataclass(frozen=True)
class PlanOutcome:
    """What has been done for a candidate so far.

    Attributes:
        cases: Test cases that it survived, its hypotheses being true there.
        searched: Whether the falsifier has looked for values against it in vain.
        refuted: Whether one of them refuted it.
        attempts: Fruitless proof searches. seconds: Time spent on proofs.
        proved: Whether Lean accepted a proof and the audit passed. tactic: What found it.
        estimate: What a proof search may be expected to bring, from earlier ones.
    """

    cases: int = 0
    searched: bool = False
    refuted: bool = False
    attempts: int = 0
    seconds: float = 0.0
    proved: bool = False
    tactic: str = ""
    estimate: Estimate | None = None


def verifiability(size: int, outcome: PlanOutcome) -> Score:
    """The score of a candidate, by what its plan has brought.

    Args:
        size: Symbols and variables of the statement, for a guess where nothing was measured.
        outcome: How far the plan has come.
    """
    if outcome.refuted:
        return Score(value=0.0, reason="A test refuted it.")
    if outcome.proved:
        return Score(value=1.0, reason=_proved(outcome))
    chance = (outcome.estimate.chance if outcome.estimate else guess(size)) / (1 + outcome.attempts)
    tested = 1.0 if outcome.searched else min(1.0, outcome.cases / ENOUGH_CASES)
    value = (tested + (1 - tested) * chance + (STEPS - 1) * chance) / STEPS
    return Score(value=value, reason=f"{_tests(outcome)}; {_prospect(size, chance, outcome)}.")


def _proved(outcome: PlanOutcome) -> str:
    how = f" by {outcome.tactic}" if outcome.tactic else ""
    spent = f" in {outcome.seconds:.1f} s" if outcome.seconds else ""
    tests = _tests(outcome)
    return f"Its plan is done: {tests[0].lower()}{tests[1:]}, proved{how}{spent}, and audited."


def _tests(outcome: PlanOutcome) -> str:
    survived = [f"{outcome.cases} test cases"] if outcome.cases else []
    survived += ["the falsifier"] if outcome.searched else []
    return f"Survived {' and '.join(survived)}" if survived else "Not tested on values"


def _prospect(size: int, chance: float, outcome: PlanOutcome) -> str:
    failed = {0: "no proof was tried", 1: "one proof search failed"}.get(
        outcome.attempts, f"{outcome.attempts} proof searches failed"
    )
    basis = f"its size of {size}"
    if outcome.estimate and outcome.estimate.searches:
        basis = f"{outcome.estimate.searches} searches for statements of its size"
    return f"{failed}, and the chance of one is {chance:.2f} by {basis}"
