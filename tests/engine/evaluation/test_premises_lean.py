"""The premise data against real Lean: proofs hold, premises are those of the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_library import core_theorem, definition, theorem

from engine.evaluation.premise_check import recheck
from engine.evaluation.premise_making import PremiseMaker, attempts, candidates, make_premises
from engine.evaluation.premises import PremiseLemma, load_premises, restated
from engine.evaluation.retrieval_bench import sampled
from engine.model import MethodNode
from verifier.session import Session
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean
APPEND = "{α : Type u} {as bs : List α} : (as ++ bs).length = as.length + bs.length"


def test_proofs_of_the_file_hold_and_have_its_premises(session: Session) -> None:
    data = load_premises()
    rows = sampled(data.lemmas, 12)
    theorems = {name for row in rows for name in row.premises}
    others = {name for row in rows for name in row.definitions}
    nodes = [*map(theorem, sorted(theorems)), *map(definition, sorted(others))]
    figures = recheck(Verifier(session), rows, nodes)
    assert figures.different == ()
    assert (figures.proofs, figures.verified, figures.same) == (12, 12, 12)


def test_a_wrong_row_is_reported(session: Session) -> None:
    row = load_premises().lemmas[0]
    broken = row.model_copy(update={"proof": "by skip"})
    other = row.model_copy(update={"premises": ("Nat.add_comm",)})
    nodes = [theorem(name) for name in (*row.premises, "Nat.add_comm")]
    figures = recheck(Verifier(session), [broken, other], nodes)
    assert (figures.verified, figures.same) == (1, 0)
    assert len(figures.different) == 2


@pytest.mark.parametrize("tactic", ["simp", "grind"])
def test_automation_does_not_know_a_hidden_lemma(session: Session, tactic: str) -> None:
    verifier = Verifier(session)
    known = verifier.check(restated(APPEND, ("u",), ()), f"by {tactic}")
    hidden = verifier.check(restated(APPEND, ("u",), ("List.length_append",)), f"by {tactic}")
    assert known.verified and "List.length_append" in known.premises
    assert not hidden.verified


def test_a_lemma_is_proved_without_itself_and_its_aliases(session: Session) -> None:
    node = core_theorem(session, "List.length_append", APPEND, universes=("u",))
    alias = node.model_copy(update={"id": "M:alias", "name": "alias"})
    nodes = [node, alias, theorem("List.length_cons", "Init.Data.List.Basic")]
    found = PremiseMaker(session, Verifier(session), nodes).lemma(node)
    assert found is not None
    assert found.aliases == ("alias",)
    assert found.premises == ("List.length_cons",)
    assert found.attempt.startswith("induction")


def test_a_text_that_says_something_else_is_skipped(session: Session) -> None:
    node = core_theorem(session, "List.length_append", APPEND, universes=("u",))
    other = node.model_copy(update={"statement": APPEND.replace("as.length +", "bs.length +")})
    assert PremiseMaker(session, Verifier(session), [other]).lemma(other) is None


def test_a_data_set_is_made_and_an_interrupted_run_goes_on(
    session: Session, tmp_path: Path
) -> None:
    node = core_theorem(session, "List.length_append", APPEND, universes=("u",))
    nodes = [node, theorem("List.length_cons", "Init.Data.List.Basic", statement=": no Lean")]
    journal = tmp_path / "journal"
    maker = PremiseMaker(session, Verifier(session), nodes)
    first = make_premises(maker, nodes, 5, 1, "t", journal)
    assert [row.name for row in first.lemmas] == ["List.length_append"]
    assert first.header.tried == 2

    class Unwilling(PremiseMaker):
        def lemma(self, node: MethodNode) -> PremiseLemma | None:
            raise AssertionError("it was tried before")

    again = make_premises(Unwilling(session, Verifier(session), nodes), nodes, 5, 1, "t", journal)
    assert again == first


def test_a_draw_is_seeded_and_takes_areas_in_turn() -> None:
    nodes = [theorem(f"{area}.t{n}") for area in ("A", "B") for n in range(9)]
    drawn = [node.id for node in candidates(nodes, 3)]
    assert drawn == [node.id for node in candidates(reversed(nodes), 3)]
    assert drawn != [node.id for node in candidates(nodes, 4)]
    assert [name[2] for name in drawn] == ["A", "B"] * 9
    assert list(candidates([*nodes, theorem("C.t")], 3, least=5)) == list(candidates(nodes, 3))
    unfit = [definition("A.d"), theorem("A.t.injEq"), theorem("A.i", attributes=("instance",))]
    assert list(candidates(unfit, 3)) == []


def test_attempts_split_the_variables_of_the_statement(session: Session) -> None:
    facts = session.state(restated(APPEND, ("u",), ()))
    proofs = [attempt.proof for attempt in attempts(facts, {})]
    assert proofs[0] == "by simp"
    assert "by induction as <;> simp_all" in proofs
    assert len(proofs) == len(set(proofs))
