"""What follows from lemmas without induction, with the real Lean."""

from __future__ import annotations

from typing import Any

import pytest
from inline_pool import InlinePool

from engine.evaluation.discovery_run import FinishedRun, FoundLemma, functions_of
from engine.evaluation.explore_bench import (
    DEFINED,
    FOUND,
    IMPLIED,
    MISSING,
    StatedLaw,
    redundant,
    score,
)
from engine.evaluation.implication import (
    QUESTION_SECONDS,
    Implication,
    Rule,
    attempts,
    equates_functions,
    flipped,
    hypothesis,
    rule_of,
)
from engine.evaluation.panel import Panel
from engine.evaluation.theories import theory_file
from engine.sources.lean_module import Theory, read_theory
from engine.trees.statement import statement_key
from verifier.lean import Environment, ProofFacts, Statement, StatementFacts
from verifier.progress import SilentProgress
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verifier import Verifier

NAT: Any = ["c", "Nat", []]
PREDICATE: Any = ["p", "x", NAT, ["a", ["c", "P", []], ["v", 0]], 0]


def law(left: Any, right: Any, binders: int = 2, type_: Any = NAT) -> Any:
    """``∀ x y, left = right``."""
    body = ["a", ["a", ["a", ["c", "Eq", []], type_], left], right]
    for _ in range(binders):
        body = ["p", "x", NAT, body, 0]
    return body


def f(*arguments: Any) -> Any:
    term: Any = ["c", "f", []]
    for argument in arguments:
        term = ["a", term, argument]
    return term


COMMUTATIVE = law(f(["v", 1], ["v", 0]), f(["v", 0], ["v", 1]))
IDEMPOTENT = law(f(["v", 0], ["v", 0]), ["v", 0], 1)


def test_a_statement_flipped_twice_is_the_statement() -> None:
    assert flipped(flipped(IDEMPOTENT)) == IDEMPOTENT != flipped(IDEMPOTENT)
    assert flipped(PREDICATE) == PREDICATE


def test_simp_gets_a_lemma_in_a_safe_direction_only() -> None:
    assert hypothesis("h", IDEMPOTENT).forward == "h"
    assert hypothesis("h", IDEMPOTENT).backward == "h"  # the other way would loop
    assert hypothesis("h", flipped(IDEMPOTENT)).forward == "← h"
    assert hypothesis("h", COMMUTATIVE).permutes


def test_what_lean_refuses_is_not_offered() -> None:
    nothing = rule_of("h", IDEMPOTENT, lambda tactic: False)
    assert nothing == Rule("h", mentions=nothing.mentions)
    assert nothing.mentions == {"Nat", "f", "Eq"}
    only_grind = rule_of("h", IDEMPOTENT, lambda tactic: tactic == "grind [h]")
    assert only_grind == Rule("h", grind=True, mentions=nothing.mentions)


def test_attempts_take_the_arguments_of_functions_on_both_sides() -> None:
    functions = law(["c", "f", []], ["c", "g", []], 0, ["p", "x", NAT, NAT, 0])
    assert equates_functions(functions) and not equates_functions(IDEMPOTENT)
    rules = [Rule("h", forward="h", grind=True)]
    assert any("funext" in proof for proof in attempts(rules, functions))
    assert not any("funext" in proof for proof in attempts(rules, IDEMPOTENT))
    assert not any("induction" in proof for proof in attempts(rules, functions))


class SlowLean:
    """A session whose attempts take 8 seconds each and come to nothing, and its verifier."""

    def __init__(self) -> None:
        self.now = 0.0
        self.attempts = 0

    def prove(self, *_: object) -> ProofFacts:
        self.now += 8.0
        self.attempts += 1
        raise SessionLost(Loss.TIMEOUT, "too slow")

    def check_statement(self, _: Statement) -> tuple[None, StatementFacts]:
        return None, StatementFacts(fault=None, type=IDEMPOTENT)


def test_no_attempt_begins_when_the_time_of_a_question_is_over() -> None:
    lean = SlowLean()
    base = Environment(("Init",))
    implication = Implication(lean, lean, base, "", (), clock=lambda: lean.now)
    rules = [hypothesis(f"h{n}", IDEMPOTENT) for n in range(100)]
    assert implication.proof_from(": True", rules) is None
    assert 8.0 * (lean.attempts - 1) <= QUESTION_SECONDS < 8.0 * lean.attempts


LEMMAS = """
namespace ListHOF
theorem map_comp {α β γ : Type _} (f : α → β) (g : γ → α) (xs : Seq γ) :
    map (comp f g) xs = map f (map g xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [map, comp, ih]
theorem map_comp_cons {α β γ : Type _} (f : α → β) (g : γ → α) (x : γ) (xs : Seq γ) :
    map (comp f g) (Seq.cons x xs) = map f (map g (Seq.cons x xs)) := map_comp f g _
theorem fold_cons_nil {α : Type _} (xs : Seq α) : fold Seq.cons Seq.nil xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [fold, ih]
end ListHOF
"""
STATED = {
    "map_comp": "{α β γ : Type _} (f : α → β) (g : γ → α) (xs : Seq γ) : "
    "map (comp f g) xs = map f (map g xs)",
    "map_comp_cons": "{α β γ : Type _} (f : α → β) (g : γ → α) (x : γ) (xs : Seq γ) : "
    "map (comp f g) (Seq.cons x xs) = map f (map g (Seq.cons x xs))",
    "fold_cons_nil": "{α : Type _} (xs : Seq α) : fold Seq.cons Seq.nil xs = xs",
}
LAWS = {
    "map f xs = map f (fold cons nil xs)": IMPLIED,
    "comp (map f) (map g) = map (comp f g)": IMPLIED,
    "comp (comp f g) h = comp f (comp g h)": DEFINED,
    "map f (map g xs) = map (comp f g) xs": FOUND,
    "fold f x (map g xs) = fold (comp f g) x xs": MISSING,
}
SIGNATURES = {
    "map f xs = map f (fold cons nil xs)": "{α β : Type _} (f : α → β) (xs : Seq α) : "
    "map f xs = map f (fold Seq.cons Seq.nil xs)",
    "comp (map f) (map g) = map (comp f g)": "{α β γ : Type _} (f : α → β) (g : γ → α) : "
    "comp (map f) (map g) = map (comp f g)",
    "comp (comp f g) h = comp f (comp g h)": "{α β γ δ : Type _} (f : α → β) (g : γ → α) "
    "(h : δ → γ) : comp (comp f g) h = comp f (comp g h)",
    "map f (map g xs) = map (comp f g) xs": "{α β γ : Type _} (g : α → β) (f : β → γ) "
    "(xs : Seq α) : map f (map g xs) = map (comp f g) xs",
    "fold f x (map g xs) = fold (comp f g) x xs": "{α β γ : Type _} (f : α → β → β) (g : γ → α) "
    "(x : β) (xs : Seq γ) : fold f x (map g xs) = fold (comp f g) x xs",
}


@pytest.fixture(scope="module")
def run(session: Session, installation: EmbeddedLean, verifier: Verifier) -> FinishedRun:
    """A run as it would be that had found three lemmas about lists."""
    theory = read_theory(theory_file("quickspec", "ListHOF"), session, installation.has_module)
    extension = session.extend(theory.environment, LEMMAS)
    assert not any(m.is_error for m in extension.messages)
    environment = extension.environment
    lemmas = tuple(
        FoundLemma(f"ListHOF.{name}", text, key(text, theory, environment, session), "o", (), at)
        for at, (name, text) in enumerate(STATED.items())
    )
    pool = InlinePool(session, verifier)
    panel = Panel(pool, environment, theory.context, functions_of(theory))
    return FinishedRun(theory, environment, lemmas, panel, {}, 1.0, False)


def key(text: str, theory: Theory, environment: Environment, session: Session) -> str:
    facts = session.state(Statement(environment, "stated", text, theory.context))
    assert not any(m.is_error for m in facts.messages)
    return statement_key(facts.type)


@pytest.mark.lean
def test_published_laws_are_found_implied_or_missing(run: FinishedRun, session: Session) -> None:
    laws = [
        StatedLaw(str(n), law, text, key(text, run.theory, run.environment, session))
        for n, (law, text) in enumerate(SIGNATURES.items())
    ]
    scored = score(laws, run, SilentProgress())
    assert {law.text: law.fate for law in scored} == LAWS
    assert next(s for s in scored if s.fate == FOUND).by == "ListHOF.map_comp"


@pytest.mark.lean
def test_a_lemma_is_redundant_when_the_others_imply_it(run: FinishedRun) -> None:
    assert redundant(run, SilentProgress()) == ["ListHOF.map_comp_cons"]


@pytest.mark.lean
def test_a_proof_by_implication_has_its_lemma_as_a_premise(run: FinishedRun) -> None:
    statement = SIGNATURES["comp (map f) (map g) = map (comp f g)"]
    implied = run.panel.one(lambda i, text: i.proof(text, ["ListHOF.map_comp"]), statement)
    assert implied is not None and "ListHOF.map_comp" in implied.premises
