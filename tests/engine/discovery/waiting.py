"""Candidates that wait, and what searches for their proofs bring; no Lean is asked."""

from __future__ import annotations

from algebra import NIL_TERM, XS, YS, append, reverse

from engine.discovery.attempts import Attempted
from engine.discovery.records import Pending
from engine.judgement.novelty import Following
from engine.judgement.rubric import Evidence, Judgement
from engine.language.term import Law
from engine.language.typing import most_general
from engine.model import ParentClaim, Score, Scores
from engine.strategy.operators import Draft
from verifier.prover.prover import ProofResult
from verifier.verdict import Outcome, Reason, Verdict

IDLE = most_general(append(XS, NIL_TERM), XS)
INVOLUTION = most_general(reverse(reverse(XS)), XS)
COMMUTES = most_general(append(XS, YS), append(YS, XS))
SHORT = most_general(append(XS, YS), XS)
HALF = Score(value=0.5, reason="a test")


def draft(law: Law = IDLE, operator: str = "induction") -> Draft:
    parent = ParentClaim(node="T:append", rating=3, explanation="it applies append")
    return Draft(law, operator, "a summary", (parent,), "a novelty")


def pending(number: int = 0, cost: float = 1.0, tries: int = 0, law: Law = IDLE) -> Pending:
    scores = Scores(
        novelty=HALF, consistency=HALF, verifiability=HALF, applicability=HALF, goal_alignment=HALF
    )
    judgement = Judgement(scores, 0.5, "", Evidence())
    return Pending(number, cost, draft(law), judgement, tries=tries)


def searched(seconds: float, proved: bool = False, following: Following | None = None) -> Attempted:
    """The end of a search."""
    outcome, reason = (
        (Outcome.VERIFIED, Reason.PROVED) if proved else (Outcome.REJECTED, Reason.PROOF_FAILED)
    )
    verdict = Verdict(
        outcome=outcome,
        reason=reason,
        message="" if proved else "simp left xs = nil\nand more",
        toolchain="a test",
        seconds=0.1,
    )
    found = ("by simp", "simp") if proved else ("", "")
    return Attempted(ProofResult(verdict, *found, seconds, ()), following)
