"""Lemmas of a run are compared with core's own, with the real Lean."""

from __future__ import annotations

import pytest
from inline_pool import InlinePool

from engine.evaluation.core_copies import COPIES
from engine.evaluation.core_lemmas import gold_of
from engine.evaluation.discovery_run import FinishedRun, FoundLemma, functions_of
from engine.evaluation.explore_bench import DEFINED, FOUND, IMPLIED
from engine.evaluation.panel import Panel
from engine.evaluation.rediscover_bench import (
    EQUIVALENT,
    OTHER,
    SAME,
    USED,
    CopyFigures,
    copy_figures,
)
from engine.evaluation.theories import theory_file
from engine.sources.lean_module import read_theory
from engine.trees.statement import statement_key
from verifier.lean import Environment, Statement
from verifier.progress import SilentProgress
from verifier.reading.facts import LibraryDeclaration
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean

LISTS = next(copy for copy in COPIES if copy.theory == "Lists")
GOLD = {
    "List.append_assoc": FOUND,
    "List.length_append": IMPLIED,
    "List.map_cons": DEFINED,
}
LEMMAS = {
    "append_assoc": (
        "{α : Type _} (xs ys zs : Seq α) : append xs (append ys zs) = append (append xs ys) zs",
        "by induction xs <;> simp_all [append]",
        SAME,
    ),
    "length_append_comm": (
        "{α : Type _} (xs ys : Seq α) : length (append xs ys) = length ys + length xs",
        "by induction xs <;> simp_all [append, length, Nat.add_assoc]",
        EQUIVALENT,
    ),
    "append_nil": (
        "{α : Type _} (xs : Seq α) : append xs Seq.nil = xs",
        "by induction xs <;> simp_all [append]",
        USED,
    ),
    "append_append_nil": (
        "{α : Type _} (xs : Seq α) : append xs (append xs Seq.nil) = append xs xs",
        "by simp [append_nil]",
        OTHER,
    ),
}


@pytest.fixture(scope="module")
def figures(session: Session, installation: EmbeddedLean, verifier: Verifier) -> CopyFigures:
    """The figures of a run that had found four lemmas."""
    theory = read_theory(theory_file("core", "Lists"), session, installation.has_module)
    found = session.declarations(Environment(("Init",)), list(GOLD))
    theorems = [
        LibraryDeclaration(
            name=d.name, kind="theorem", signature="", type=d.type, roles=(), levels=(), body=None,
            axioms=None, doc=None, lines=None, attributes=(), private=False, deprecated=None,
            safe=True,
        )
        for d in found if d is not None
    ]  # fmt: skip
    gold = gold_of(LISTS, theorems, theory.environment, verifier)
    environment = theory.environment
    lemmas = []
    for at, (name, (text, proof, _)) in enumerate(LEMMAS.items()):
        statement = Statement(environment, name, text, theory.context)
        facts, verdict = session.state(statement), verifier.check(statement, proof)
        assert verdict.verified, verdict.message
        full = f"Lists.{name}"
        key = statement_key(facts.type)
        lemmas.append(FoundLemma(full, text, key, "o", verdict.premises, at))
        theorem = f"namespace Lists\ntheorem {name} {text} := {proof}\nend Lists\n"
        environment = session.extend(environment, theorem).environment
    pool = InlinePool(session, verifier)
    panel = Panel(pool, environment, theory.context, functions_of(theory))
    run = FinishedRun(theory, environment, tuple(lemmas), panel, {}, 1.0, False)
    return copy_figures(LISTS, gold, run, SilentProgress())


def test_core_lemmas_are_found_or_follow(figures: CopyFigures) -> None:
    assert {law.name: law.fate for law in figures.gold} == GOLD
    assert figures.recall == figures.hard_recall == 1.0
    assert figures.found_share == 1 / 3


def test_a_lemma_counts_when_core_has_it_or_a_later_proof_uses_it(figures: CopyFigures) -> None:
    verdicts = {lemma.name.removeprefix("Lists."): lemma.verdict for lemma in figures.lemmas}
    assert verdicts == {name: verdict for name, (_, _, verdict) in LEMMAS.items()}
    assert figures.precision == 3 / 4
