"""Judgement that asks Lean: corollaries, stored values, contradictions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nodes import candidate

from engine.judgement.contradiction import (
    Contradiction,
    ContradictionSearch,
    Named,
    Values,
    record_contradiction,
)
from engine.judgement.novelty import ask_whether_it_follows
from engine.judgement.refuted import RefutedLaws
from engine.language.core import core_laws
from engine.language.printing import signature_text
from engine.language.rewriting import Rewriter
from engine.language.semantics import Interpretation
from engine.language.signature import read_law
from engine.language.term import Law
from engine.model import Label, Stage
from engine.sources.lean_module import Theory, defining_equations, read_theory
from engine.store import Store
from engine.trees.canonical import canonical_key
from engine.workers import Worker
from verifier.lean import Environment, Statement
from verifier.prover.prover import Prover
from verifier.session import Session
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean

LISTS = Path(__file__).parents[3] / "lean_project" / "Theories" / "Lists.lean"
LEMMAS = """namespace Lists
theorem append_nil {α : Type _} (xs : Seq α) : append xs .nil = xs := by
  induction xs <;> simp_all [append]
theorem append_assoc {α : Type _} (xs ys zs : Seq α) :
    append (append xs ys) zs = append xs (append ys zs) := by
  induction xs <;> simp_all [append]
end Lists
"""


@pytest.fixture(scope="module")
def theory(session: Session) -> Theory:
    return read_theory(LISTS, session, lambda m: m.split(".")[0] in ("Init", "Std", "Lean"))


@pytest.fixture(scope="module")
def library(theory: Theory, session: Session) -> Environment:
    return session.extend(theory.environment, LEMMAS).environment


@pytest.fixture(scope="module")
def interpretation(theory: Theory, session: Session) -> Interpretation:
    return Interpretation(session, theory.environment, theory.context, theory.symbols)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


@pytest.fixture
def worker(session: Session, verifier: Verifier) -> Worker:
    return Worker(session, verifier, Prover(verifier), lambda: False)


def law(theory: Theory, session: Session, signature: str) -> Law:
    facts = session.state(Statement(theory.environment, "some_law", signature, theory.context))
    found = read_law(facts.type, theory.symbols)
    assert found is not None, facts
    return found


def test_a_corollary_is_told_with_its_tactic_and_lemmas(
    theory: Theory, library: Environment, worker: Worker
) -> None:
    names = ["Lists.append_nil", "Lists.append_assoc"]

    def ask(signature: str) -> str:
        statement = Statement(library, "candidate", signature, theory.context)
        return ask_whether_it_follows(worker, statement, names).reason

    twice = "{α : Type _} (xs ys : Seq α) : append (append xs .nil) (append ys .nil) = append xs ys"
    assert ask(twice).startswith("follows from Lists.append_nil by ")
    computed = "{α : Type _} (x : α) (xs : Seq α) : append (.cons x .nil) xs = .cons x xs"
    assert ask(computed).startswith("follows from the definitions by ")
    assert ask("{α : Type _} (xs : Seq α) : length (reverse xs) = length xs") == ""
    assert ask("{α : Type _} (xs : Seq α) : xs = nonsense") == ""


def test_stored_values_are_tried_on_new_laws(
    theory: Theory, session: Session, interpretation: Interpretation, store: Store
) -> None:
    first = law(theory, session, "{α : Type _} (xs ys : Seq α) : append xs ys = append ys xs")
    key = canonical_key(first)
    store.remember_candidate(
        candidate(key), theory="T", stage=Stage.FALSIFIER, outcome=Label.REFUTED
    )
    values = [("xs", "Seq.cons 0 .nil"), ("ys", "Seq.cons 1 .nil")]
    RefutedLaws(store, "T", theory.symbols).add(key, first, values)

    again = RefutedLaws(store, "T", theory.symbols)
    false = law(theory, session, "{α : Type _} (a b : Seq α) : reverse (append a b) = append b a")
    assert again.kill(false, interpretation) is None, "the values are too short to refute this one"
    other = "{α : Type _} (a b : Seq α) : append (reverse a) b = append b a"
    killed = again.kill(law(theory, session, other), interpretation)
    assert killed is not None and killed.by == "values"
    assert {value for _, value in killed.values} == {value for _, value in values}
    assert killed.left != killed.right
    assert store.refutations("T")[0].kills == 1
    true = law(
        theory, session, "{α : Type _} (a b : Seq α) : length (append a b) = length (append b a)"
    )
    assert again.kill(true, interpretation) is None


class Search:
    """A contradiction search whose tests know a few values only."""

    def __init__(
        self, theory: Theory, session: Session, verifier: Verifier, library: Environment
    ) -> None:
        rewriter = Rewriter(core_laws())
        for equations in defining_equations(theory, session).values():
            for equation in equations:
                rewriter.add_definition(equation)
        definitions = {
            s.name: theory.short(s.name)
            for s in theory.symbols.values()
            if not (s.is_background or s.is_constructor)
        }
        self.computes = True
        self.theory, self.session = theory, session
        self.found = ContradictionSearch(
            verifier, library, theory.context, rewriter, self.refute, definitions
        )

    def refute(self, law: Law) -> Values | None:
        """Values for one or two variables, decided by Lean; a closed law only if it computes."""
        if not law.types and not self.computes:
            return None
        for texts in (["Seq.cons 0 .nil", "Seq.cons 1 .nil"], ["0", "1"]):
            values = [(n, texts[i % 2]) for i, (n, _) in enumerate(law.types)]
            if self._differ(law, dict(values)):
                return values
        return None

    def _differ(self, law: Law, values: dict[str, str]) -> bool:
        said = signature_text(law).rpartition(" : ")[2].removeprefix(": ")
        lets = "".join(f"let {n} := {v}; " for n, v in values.items())
        statement = Statement(
            self.theory.environment, "test", f": ¬ ({lets}{said})", self.theory.context
        )
        return Verifier(self.session).attempt(statement, "by simp [append]", 2.0) is None


@pytest.fixture
def search(theory: Theory, session: Session, verifier: Verifier, library: Environment) -> Search:
    return Search(theory, session, verifier, library)


def test_a_verified_law_refutes_a_conjecture_and_lean_proves_it(
    search: Search, theory: Theory, session: Session, store: Store
) -> None:
    search.computes = False
    swallows = law(theory, session, "{α : Type _} (xs ys : Seq α) : append xs ys = ys")
    verified = law(theory, session, "{α : Type _} (xs : Seq α) : append xs .nil = xs")
    key = canonical_key(swallows)
    (found,) = search.found.hunt([Named(key, swallows)], [Named("Lists.append_nil", verified)])
    assert found.refutes and found.premises == ("Lists.append_nil",)
    assert found.statement.startswith(": ¬ (∀ (xs : Lists.Seq Nat)")
    store.remember_candidate(
        candidate(key), theory="T", stage=Stage.VERIFIER, outcome=Label.CONJECTURE
    )
    record_contradiction(store, "T", found)
    known = store.candidate_by_key("T", key)
    assert known is not None and known.outcome is Label.REFUTED
    assert known.stage is Stage.CONTRADICTION and "xs := " in known.counterexample
    assert store.contradictions("T")[0].proof == found.proof


def test_of_two_conjectures_at_most_one_is_true(
    search: Search, theory: Theory, session: Session, store: Store
) -> None:
    search.computes = False
    left = law(theory, session, "{α : Type _} (xs ys : Seq α) : append xs ys = xs")
    right = law(theory, session, "{α : Type _} (xs ys : Seq α) : append xs ys = ys")
    (found,) = search.found.hunt([Named("l", left), Named("r", right)], [])
    assert not found.refutes and (found.one, found.other) == ("l", "r")
    for key in ("l", "r"):
        store.remember_candidate(
            candidate(key), theory="T", stage=Stage.VERIFIER, outcome=Label.CONJECTURE
        )
    record_contradiction(store, "T", found)
    assert len(store.open_conjectures("T")) == 2, "nobody knows which of them is false"
    assert store.audit_entries(event="conjecture.contradicted")


def test_an_instance_that_computes_refutes_at_once(
    search: Search, theory: Theory, session: Session
) -> None:
    left = law(theory, session, "{α : Type _} (xs ys : Seq α) : append xs ys = xs")
    right = law(theory, session, "{α : Type _} (xs ys : Seq α) : append xs ys = ys")
    found: list[Contradiction] = list(search.found.hunt([Named("l", left), Named("r", right)], []))
    assert found and found[0].computed and found[0].refutes


def test_true_laws_do_not_contradict_each_other(
    search: Search, theory: Theory, session: Session
) -> None:
    twice = law(theory, session, "{α : Type _} (xs : Seq α) : reverse (reverse xs) = xs")
    nil = law(theory, session, "{α : Type _} (xs : Seq α) : append xs .nil = xs")
    assoc = law(
        theory, session,
        "{α : Type _} (xs ys zs : Seq α) : "
        "append (append xs ys) zs = append xs (append ys zs)",
    )  # fmt: skip
    verified = [Named("Lists.append_nil", nil), Named("Lists.append_assoc", assoc)]
    assert list(search.found.hunt([Named("twice", twice)], verified)) == []
    assert list(search.found.hunt([Named("a", twice), Named("b", assoc)], [], lambda: True)) == []
