from __future__ import annotations

import pytest

from engine.model import Candidate, Label, MethodNode, NodeKind, Stage
from engine.store import Store
from verifier.errors import InputError, StorageError


def draft(canonical: str = "add _ _ = add _ _", operator: str = "induction") -> Candidate:
    return Candidate(
        statement="(a b : N) : add a b = add b a",
        canonical=canonical,
        operator=operator,
        summary="commutes",
        parents=(),
        novelty="not in the store",
        limits="natural numbers only",
        plan=("falsify", "prove"),
    )


def grow_library(store: Store, name: str) -> None:
    node = MethodNode(
        id=f"M:{name}",
        kind=NodeKind.THEOREM,
        name=name,
        module="M",
        statement=": True",
        label=Label.VERIFIED,
    )
    store.append_lemma(node, (), f"theorem {name} : True := trivial")


def test_a_run_from_start_to_end(store: Store) -> None:
    run = store.start_run("commutativity", "Peano", {"funnel": {"k_1": 8}})
    assert run.id == "run-1" and run.ended is None
    assert store.runs(unfinished=True) == [run]
    done = store.finish_run(run.id, {"verified": 2})
    assert done.counts == {"verified": 2} and done.ended is not None
    assert done.settings == '{"funnel":{"k_1":8}}'
    assert store.runs(unfinished=True) == []


def test_an_unknown_run_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match="no run"):
        store.finish_run("none", {})
    with pytest.raises(StorageError, match="contradicts"):
        store.remember_candidate(draft(), theory="Peano", stage=Stage.DRAFT, run="none")


def test_candidates_are_one_row_a_key_and_one_trial_a_decision(store: Store) -> None:
    run = store.start_run("g", "Peano")
    store.remember_candidate(
        draft(), theory="Peano", stage=Stage.RUBRIC, reason="S = 0.4 < 0.5", run=run.id, seconds=1.5
    )
    record = store.remember_candidate(
        draft(operator="dual"),
        theory="Peano",
        stage=Stage.VERIFIER,
        outcome=Label.CONJECTURE,
        attempts=3,
        seconds=2.0,
    )
    store.remember_candidate(draft(), theory="Lists", stage=Stage.DRAFT)
    assert record == store.candidate_by_key("Peano", draft().canonical)
    assert (record.attempts, record.seconds, record.run) == (3, 3.5, "run-1")
    assert record.first_seen < record.last_seen
    assert [trial.reason for trial in store.trials("run-1")] == ["S = 0.4 < 0.5"]
    assert [trial.operator for trial in store.trials()] == ["induction", "dual", "induction"]
    assert len(store.candidates("Peano")) == 1


def test_a_pruning_never_erases_a_refutation(store: Store) -> None:
    store.remember_candidate(
        draft(),
        theory="Peano",
        stage=Stage.FALSIFIER,
        outcome=Label.REFUTED,
        reason="false at 1",
        counterexample="a = 1",
    )
    record = store.remember_candidate(draft(), theory="Peano", stage=Stage.DEDUP, reason="known")
    assert record.outcome is Label.REFUTED
    assert (record.reason, record.counterexample) == ("false at 1", "a = 1")
    assert store.candidates(outcome=Label.REFUTED) == [record]
    assert [trial.stage for trial in store.trials()] == [Stage.FALSIFIER, Stage.DEDUP]


@pytest.mark.parametrize(
    ("outcome", "now", "after_growth"),
    [
        (None, True, True),
        (Label.CONJECTURE, False, True),
        (Label.REFUTED, False, False),
        (Label.VERIFIED, False, False),
        (Label.RETRACTED, True, True),
    ],
)
def test_what_is_tried_again(
    store: Store, outcome: Label | None, now: bool, after_growth: bool
) -> None:
    candidate = draft()
    assert store.worth_trying("Peano", candidate.canonical)
    store.remember_candidate(candidate, theory="Peano", stage=Stage.VERIFIER, outcome=outcome)
    assert store.worth_trying("Peano", candidate.canonical) is now
    grow_library(store, "new_lemma")
    assert store.worth_trying("Peano", candidate.canonical) is after_growth


def test_open_conjectures(store: Store) -> None:
    for key, outcome in (("a", Label.CONJECTURE), ("b", Label.REFUTED), ("c", Label.CONJECTURE)):
        store.remember_candidate(draft(key), theory="Peano", stage=Stage.VERIFIER, outcome=outcome)
    assert [r.candidate.canonical for r in store.open_conjectures("Peano")] == ["a", "c"]
    assert store.open_conjectures("Lists") == []
    assert store.open_conjectures(retry_only=True) == []
    grow_library(store, "new_lemma")
    assert len(store.open_conjectures(retry_only=True)) == 2
