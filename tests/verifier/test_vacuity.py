"""Statements that have hypotheses, and those that say nothing."""

from __future__ import annotations

from typing import Any

import pytest

from verifier.lean import Environment, Statement
from verifier.vacuity import has_hypotheses
from verifier.verifier import Verifier

NAT = ["c", "Nat", []]


def forall(domain: Any, body: Any) -> Any:
    return ["p", "x", domain, body, 0]


def test_a_binder_that_nothing_mentions_is_a_hypothesis() -> None:
    law = ["a", ["a", ["c", "Eq", []], ["v", 0]], ["v", 0]]
    assert not has_hypotheses(forall(NAT, law))
    assert has_hypotheses(forall(NAT, forall(law, ["a", ["c", "P", []], ["v", 1]])))
    assert has_hypotheses(None)
    assert not has_hypotheses(["c", "True", []])


HONEST = {
    "unconditional": ("(a b : Nat) : a + b = b + a", "by omega"),
    "conditional": ("(a b : Nat) (h : a < b) : a + 1 ≤ b", "h"),
    "negation": ("(a b : Nat) : ¬(a < b ∧ b < a)", "by omega"),
    "contradiction": ("(p : Prop) (h : p) (k : ¬p) : False", "k h"),
    "arrows_to_false": ("(n : Nat) : n < 3 → 5 < n → False", "by omega"),
    "unused_variable": ("(a b : Nat) : a = a", "rfl"),
}


@pytest.mark.lean
@pytest.mark.parametrize("case", HONEST)
def test_honest_statements_are_not_flagged(case: str, verifier: Verifier) -> None:
    signature, proof = HONEST[case]
    verdict = verifier.check(Statement(Environment(("Init",)), f"t_{case}", signature), proof)
    assert verdict.verified and not verdict.vacuous
