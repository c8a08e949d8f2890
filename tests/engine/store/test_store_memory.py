"""What runs leave for later ones: refutations, failures, contradictions, yields, costs."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.model import Candidate, Contribution, Label, MethodNode, NodeKind, Stage
from engine.store import OperatorYield, Store, WitnessValue
from verifier.errors import InputError

THEORY = "Lists"
NIL = WitnessValue(variable="xs", type="L Nat", value="nil")


def candidate(canonical: str, operator: str = "induction", size: int = 6) -> Candidate:
    return Candidate(
        statement=f": {canonical}",
        canonical=canonical,
        operator=operator,
        summary="",
        parents=(),
        novelty="",
        limits="",
        plan=(),
        size=size,
    )


def decide(
    store: Store,
    canonical: str,
    outcome: Label | None,
    stage: Stage = Stage.VERIFIER,
    operator: str = "induction",
    seconds: float = 1.0,
    theory: str = THEORY,
) -> None:
    store.remember_candidate(
        candidate(canonical, operator), theory=theory, stage=stage, outcome=outcome, seconds=seconds
    )


def lemma(store: Store, name: str, *premises: str) -> MethodNode:
    node = MethodNode(
        id=f"M:{name}",
        kind=NodeKind.THEOREM,
        name=name,
        module="M",
        statement=": True",
        label=Label.VERIFIED,
        premises=premises,
    )
    store.append_lemma(node, (), f"theorem {name} : True := trivial")
    return node


def test_refutations_are_kept_with_their_values_and_ordered_by_success(store: Store) -> None:
    for key in ("a", "b"):
        decide(store, key, Label.REFUTED, Stage.FALSIFIER)
        store.remember_refutation(THEORY, key, '{"law": 1}', [NIL])
    assert [r.canonical for r in store.refutations(THEORY)] == ["b", "a"]
    store.count_kill(THEORY, "a")
    first, second = store.refutations(THEORY)
    assert (first.canonical, first.kills, first.assignment) == ("a", 1, (NIL,))
    assert second.kills == 0 and store.refutations("Other") == []
    store.remember_refutation(THEORY, "a", '{"law": 2}', [NIL, NIL])
    assert len(store.refutations(THEORY)[0].assignment) == 2
    assert len(store.refutations(THEORY, limit=1)) == 1


def test_what_is_not_remembered_cannot_be_refuted(store: Store) -> None:
    with pytest.raises(InputError, match="no candidate"):
        store.remember_refutation(THEORY, "a", "{}", [])
    with pytest.raises(InputError, match="no candidate"):
        store.remember_failure(THEORY, "a", offered=(), stuck="", seconds=0.0)


def test_failures_tell_what_was_at_hand(store: Store) -> None:
    decide(store, "a", Label.CONJECTURE)
    lemma(store, "one")
    store.remember_failure(
        THEORY, "a", offered=("two", "one"), stuck="simp left length xs", seconds=2.5
    )
    (failure,) = store.failures(THEORY, "a")
    assert failure.offered == ("one", "two") and failure.stuck == "simp left length xs"
    assert failure.library_version == 1 and failure.seconds == 2.5
    assert store.lemmas_not_offered(THEORY, "a", ["one", "three", "two"]) == ("three",)
    assert store.lemmas_not_offered(THEORY, "b", ["one"]) == ("one",)


def test_contradictions_are_flagged_and_audited(store: Store) -> None:
    decide(store, "a", Label.CONJECTURE)
    decide(store, "b", Label.CONJECTURE)
    store.remember_contradiction(
        THEORY, "a", "b", premises=("append_nil",), statement=": ¬ (A ∧ B)", proof="by grind"
    )
    store.remember_contradiction(THEORY, "a", None, premises=(), statement=": ¬ A", proof="by simp")
    two, alone = store.contradictions(THEORY)
    assert (two.one, two.other, two.premises) == (": a", ": b", ("append_nil",))
    assert alone.other is None and store.contradictions("Other") == []
    assert len(store.audit_entries(event="conjecture.contradicted")) == 2
    assert store.verify_chain().intact


def test_yields_count_each_statement_by_its_latest_fate(store: Store) -> None:
    decide(store, "a", Label.CONJECTURE, seconds=2.0)
    decide(store, "a", Label.VERIFIED, seconds=1.0)
    decide(store, "b", Label.REFUTED, Stage.FALSIFIER, seconds=0.0)
    decide(store, "c", None, Stage.RUBRIC, "dual", seconds=0.5)
    decide(store, "d", Label.CONJECTURE, operator="dual", seconds=4.0, theory="Other")
    yields = store.operator_yields(THEORY)
    assert yields["induction"] == OperatorYield(drafted=2, verified=1, refuted=1, seconds=3.0)
    assert yields["dual"] == OperatorYield(drafted=1, pruned=1, seconds=0.5)
    assert store.operator_yields()["dual"].conjecture == 1
    assert store.operator_yields("Nothing") == {}


def test_proof_searches_keep_size_outcome_and_time(store: Store) -> None:
    decide(store, "a", Label.CONJECTURE, seconds=2.0)
    decide(store, "a", Label.VERIFIED, seconds=1.0)
    decide(store, "b", Label.REFUTED, Stage.FALSIFIER)
    decide(store, "c", None, Stage.RUBRIC)
    assert [(s.size, s.proved, s.seconds) for s in store.proof_searches(THEORY)] == [
        (6, False, 2.0),
        (6, True, 1.0),
    ]


def test_the_longest_unseen_lemma_is_due(store: Store) -> None:
    nodes = [lemma(store, name) for name in ("a", "b", "c")]
    assert [r.name for r in store.due_for_recheck(2)] == ["a", "b"]
    noted = store.note_recheck(nodes[0], "verified", "Lean", 0.5)
    assert store.last_recheck("M:a") == noted and store.last_recheck("M:b") is None
    assert [r.name for r in store.due_for_recheck(3)] == ["b", "c", "a"]
    again = store.note_recheck(nodes[0], "undetermined", "Lean", 0.5)
    assert again.time - noted.time >= timedelta(seconds=1)
    store.retract("M:b", "a test")
    assert [r.name for r in store.due_for_recheck(3, "M")] == ["c", "a"]
    assert store.due_for_recheck(3, "Other") == []


def test_a_lemma_that_comes_back_takes_its_candidate_along(store: Store) -> None:
    node = lemma(store, "a")
    store.remember_candidate(
        candidate("k"), theory=THEORY, stage=Stage.VERIFIER, outcome=Label.VERIFIED, node=node.id
    )
    store.retract("M:a", "a test")
    known = store.candidate_by_key(THEORY, "k")
    assert known is not None and known.outcome is Label.RETRACTED
    assert store.worth_trying(THEORY, "k")
    lemma(store, "a")
    known = store.candidate_by_key(THEORY, "k")
    assert known is not None and known.outcome is Label.VERIFIED


def test_an_edge_can_be_taken_away(store: Store) -> None:
    lemma(store, "a")
    lemma(store, "b")
    store.add_contribution(Contribution(parent="M:a", child="M:b", rating=3, explanation="helps"))
    store.remove_contribution("M:a", "M:b")
    assert store.contributions() == []
