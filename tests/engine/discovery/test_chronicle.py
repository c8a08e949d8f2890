"""What is told and remembered of each candidate, with a real store."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from waiting import COMMUTES, IDLE, INVOLUTION, SHORT, draft, pending, searched

from engine.discovery.chronicle import Chronicle
from engine.discovery.records import COUNTED, Fate, Pending
from engine.judgement.novelty import Following
from engine.language.term import Law
from engine.model import Label, MethodNode, NodeKind, Stage
from engine.store import CandidateRecord, Store

THEORY = "Lists"


class Told:
    """A chronicle with what it told, and what the store remembers."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.fates: list[Fate] = []
        ticks = count(1)
        run = store.start_run("", THEORY, {}).id
        self.chronicle = Chronicle(
            store, THEORY, run, self.fates.append, lambda: float(next(ticks))
        )

    def record(self, law: Law) -> CandidateRecord:
        found = self.store.candidate_by_key(THEORY, draft(law).key)
        assert found is not None
        return found

    def fail(self, candidate: Pending, seconds: float, *offered: str) -> None:
        """A search without a proof, as the loop tells it."""
        candidate.offered = frozenset(offered)
        candidate.seconds += seconds
        candidate.tries += 1
        self.chronicle.failed(candidate, searched(seconds).result)

    def prove(self, candidate: Pending, seconds: float) -> MethodNode:
        candidate.seconds += seconds
        candidate.tries += 1
        node = MethodNode(
            id="M:T.a_law",
            kind=NodeKind.THEOREM,
            name="T.a_law",
            module="M",
            statement=": True",
            label=Label.VERIFIED,
        )
        self.store.append_lemma(node, (), "theorem a_law : True := trivial")
        found = searched(seconds, proved=True, following=Following(False))
        self.chronicle.verified(candidate, found, node)
        return node


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    with Store(tmp_path / "store.db") as store:
        yield Told(store)


def test_each_search_counts_as_one_attempt(told: Told) -> None:
    candidate = pending()
    told.fail(candidate, 1.0)
    told.fail(candidate, 2.0, "T.one")
    record = told.record(IDLE)
    assert (record.attempts, record.seconds, record.outcome) == (2, 3.0, Label.CONJECTURE)
    failures = told.store.failures(THEORY, candidate.draft.key)
    assert sorted(f.offered for f in failures) == [(), ("T.one",)]
    assert {f.stuck for f in failures} == {"proof_failed: simp left xs = nil"}
    (result,) = told.chronicle.results
    assert (result.label, result.seconds, result.at) == (Label.CONJECTURE, 3.0, 2.0)
    assert told.chronicle.counts()["conjecture"] == 1 and told.fates == []

    node = told.prove(candidate, 4.0)
    record = told.record(IDLE)
    assert (record.attempts, record.seconds, record.outcome) == (3, 7.0, Label.VERIFIED)
    assert record.node == node.id
    (result,) = told.chronicle.results
    assert (result.label, result.name, result.seconds) == (Label.VERIFIED, "a_law", 7.0)
    assert (result.tactic, result.proof, result.parents) == ("simp", "by simp", ("append",))
    assert [(f.what, f.detail) for f in told.fates] == [("verified", "a_law")]
    counts = told.chronicle.counts()
    assert counts["verified"] == 1 and counts["conjecture"] == 0


def test_every_fate_is_told_and_counted_once(told: Told) -> None:
    chronicle = told.chronicle
    for _ in range(5):
        chronicle.drafted()
    chronicle.duplicate(draft(IDLE))
    chronicle.pruned(draft(SHORT), "an instance of it")
    chronicle.refuted(draft(COMMUTES, "dual"), "xs := nil: nil ≠ ys", "Lean proved the negation")
    told.fail(pending(law=INVOLUTION), 1.0)
    chronicle.retracted("T.old", "Lean rejects it")
    assert [(f.what, f.operator, f.detail) for f in told.fates] == [
        ("duplicate", "induction", "drafted before"),
        ("pruned", "induction", "an instance of it"),
        ("refuted", "dual", "xs := nil: nil ≠ ys"),
        ("retracted", "", "Lean rejects it"),
    ]
    counts = {"drafted": 5, "duplicate": 1, "refuted": 1, "pruned": 1, "conjecture": 1}
    assert chronicle.counts() == {what: counts.get(what, 0) for what in COUNTED}
    labels = {r.equation: r.label for r in chronicle.results}
    assert sorted(labels.values()) == [Label.CONJECTURE, Label.REFUTED]


def test_a_lemma_that_is_withdrawn_counts_as_pruned(told: Told) -> None:
    node = told.prove(pending(), 1.0)
    told.chronicle.withdrawn("M:T.another", "a test")
    told.chronicle.withdrawn(node.id, "follows from T.one by simp")
    counts = told.chronicle.counts()
    assert (counts["verified"], counts["pruned"]) == (0, 1) and told.chronicle.results == ()
    assert [(f.what, f.statement, f.detail) for f in told.fates[1:]] == [
        ("withdrawn", "a_law", "follows from T.one by simp")
    ]


def test_nothing_is_remembered_of_a_duplicate(told: Told) -> None:
    told.chronicle.duplicate(draft())
    assert told.store.candidates(THEORY) == [] and told.chronicle.results == ()


def test_a_conjecture_that_is_pruned_leaves_the_results_and_costs_no_attempt(told: Told) -> None:
    candidate = pending()
    told.fail(candidate, 1.0)
    told.chronicle.pruned(candidate.draft, "it follows by calculation")
    assert told.chronicle.results == ()
    assert told.chronicle.counts()["conjecture"] == 0
    record = told.record(IDLE)
    assert (record.attempts, record.seconds) == (1, 1.0)
    assert (record.outcome, record.reason) == (None, "it follows by calculation")
    assert told.store.open_conjectures(THEORY) == []


def test_a_search_that_found_a_corollary_is_counted(told: Told) -> None:
    told.chronicle.pruned(draft(), "it follows from T.one", searched(2.0, proved=True).result)
    record = told.record(IDLE)
    assert (record.attempts, record.seconds, record.outcome) == (1, 2.0, None)
    assert (record.stage, record.reason) == (Stage.RUBRIC, "it follows from T.one")


def test_a_contradiction_refutes_what_was_a_conjecture(told: Told) -> None:
    candidate = pending(law=SHORT)
    told.fail(candidate, 1.0)
    told.chronicle.refuted(
        candidate.draft, "ys := cons 0 nil", "another law says otherwise", Stage.CONTRADICTION
    )
    record = told.record(SHORT)
    assert (record.stage, record.outcome) == (Stage.CONTRADICTION, Label.REFUTED)
    assert record.counterexample == "ys := cons 0 nil" and record.attempts == 1
    (result,) = told.chronicle.results
    assert result.reason == "ys := cons 0 nil (another law says otherwise)"
    assert not told.store.worth_trying(THEORY, candidate.draft.key)
