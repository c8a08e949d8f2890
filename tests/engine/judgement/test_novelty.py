from __future__ import annotations

import pytest

from engine.judgement.novelty import COROLLARY, Following, novelty, read_off_search
from verifier.prover.prover import ProofResult
from verifier.verdict import Outcome, Reason, Verdict

LEMMAS = ["append_nil", "append_assoc"]


def result(tactic: str, outcome: Outcome = Outcome.VERIFIED) -> ProofResult:
    verdict = Verdict(
        outcome=outcome,
        reason=Reason.PROVED,
        premises=("append_assoc", "Eq.trans"),
        toolchain="a Lean",
        seconds=1.0,
    )
    return ProofResult(verdict, "by grind [append_assoc]", tactic, 1.0, ())


def test_nearness_takes_half_and_a_corollary_loses_the_rest() -> None:
    assert novelty(0.0, "", None).value == 1.0
    assert novelty(1.0, "append_nil", None).value == 0.5
    asked = novelty(0.4, "append_nil", Following(False))
    assert asked.value == 0.8 and "does not follow" in asked.reason
    corollary = novelty(0.4, "append_nil", Following(True, "grind", "by grind", ("append_nil",)))
    assert corollary.value == pytest.approx(0.8 * COROLLARY)
    assert "it follows from append_nil by grind" in corollary.reason


def test_many_lemmas_are_not_all_named() -> None:
    names = tuple("abcdef")
    assert Following(True, "simp", "by simp", names).reason == "follows from a, b, c, d, … by simp"
    assert Following(True, "rfl", "rfl").reason == "follows from the definitions by rfl"


def test_a_search_tells_a_corollary_by_the_way() -> None:
    for tactic in ("direct", "direct, searching"):
        found = read_off_search(result(tactic), LEMMAS)
        assert found is not None and found.tactic == "grind" and found.lemmas == ("append_assoc",)
    assert read_off_search(result("induction xs"), LEMMAS) is None
    assert read_off_search(result("direct", Outcome.UNDETERMINED), LEMMAS) is None
