"""Exploration and operators on seed theories, with the real kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.language.printing import term_text
from engine.language.rewriting import Rewriter, presented
from engine.language.semantics import Interpretation
from engine.language.term import Law, Term
from engine.sources.lean_module import Theory, defining_equations, read_theory
from engine.strategy.exploration import Explorer
from engine.strategy.operators import Context, KnownLaw
from engine.strategy.operators.induction import Induction
from engine.trees.canonical import canonical_key, with_canonical_names
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean

pytestmark = pytest.mark.lean
THEORIES = Path(__file__).parents[3] / "lean_project" / "Theories"


class Workbench:
    """A theory with all that an operator works with."""

    def __init__(self, name: str, session: Session, lean: EmbeddedLean) -> None:
        self.theory: Theory = read_theory(THEORIES / f"{name}.lean", session, lean.has_module)
        self.equations = defining_equations(self.theory, session)
        self.interpretation = Interpretation(
            session, self.theory.environment, self.theory.context, self.theory.symbols
        )

    def rewriter(self) -> Rewriter:
        rewriter = Rewriter()
        for laws in self.equations.values():
            for law in laws:
                rewriter.add_definition(law)
        return rewriter

    def context(self, laws: list[KnownLaw], max_size: int = 5) -> Context:
        return Context(
            symbols=list(self.theory.symbols.values()),
            laws=laws,
            owners={s: f"node:{s}" for s in self.theory.symbols},
            interpretation=self.interpretation,
            rewriter=self.rewriter(),
            tried=lambda key: False,
            max_size=max_size,
        )

    def law(self, left: str, right: str) -> Law:
        return with_canonical_names(self.term(left), self.term(right))

    def term(self, text: str) -> Term:
        """A term in prefix form with short names; unknown words are variables."""
        short = {s.text.rpartition(".")[2]: s for s in self.theory.symbols.values()}
        words = text.replace("(", " ( ").replace(")", " ) ").split()

        def read() -> Term:
            word = words.pop(0)
            if word != "(":
                return Term(short.get(word, word))
            head = read().head
            args = []
            while words[0] != ")":
                args.append(read())
            words.pop(0)
            return Term(head, tuple(args))

        return read()


@pytest.fixture(scope="module")
def naturals(session: Session, installation: EmbeddedLean) -> Workbench:
    return Workbench("Naturals", session, installation)


def test_the_laws_of_addition_are_suggested(naturals: Workbench) -> None:
    explorer = Explorer(
        naturals.interpretation, list(naturals.theory.symbols.values()), naturals.rewriter()
    )
    keys = {canonical_key(law) for law in explorer.laws(5)}
    for left, right in (
        ("(add a b)", "(add b a)"),
        ("(mul a b)", "(mul b a)"),
        ("(double (mul a b))", "(mul a (double b))"),
    ):
        assert canonical_key(naturals.law(left, right)) in keys
    assert explorer.progress.reducible > 0


def test_induction_drafts_with_all_fields(naturals: Workbench) -> None:
    draft = next(iter(Induction().draft(naturals.context([]))))
    candidate = draft.candidate()
    assert candidate.operator == "induction"
    assert all((candidate.summary, candidate.novelty, candidate.limits, candidate.plan))
    assert candidate.parents
    assert all(p.explanation and p.node.startswith("node:") for p in candidate.parents)


def test_presented_laws_keep_their_key(naturals: Workbench) -> None:
    law = naturals.law("(add (double a) (double b))", "(double (add a b))")
    assert canonical_key(presented(law)) == canonical_key(law)
    assert term_text(presented(law).lhs) == "double (add a b)"
