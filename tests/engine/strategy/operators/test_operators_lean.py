"""What operators draft on small theories, with terms evaluated by Lean's definitions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from engine.language.core import core_laws
from engine.language.printing import proposition_text
from engine.language.rewriting import Rewriter
from engine.language.semantics import Interpretation
from engine.language.term import Equation, Law, Term
from engine.model import Label
from engine.sources.lean_module import defining_equations, read_theory
from engine.strategy.operators import Context, Draft, KnownLaw, Operator
from engine.strategy.operators.analogy import Analogy
from engine.strategy.operators.composition import Composition
from engine.strategy.operators.converse import Converse
from engine.strategy.operators.deduction import Deduction
from engine.strategy.operators.dual import Dual
from engine.strategy.operators.functional import Functional
from engine.strategy.operators.generalisation import Generalisation
from engine.strategy.operators.sections import affirmed
from engine.strategy.operators.specialisation import Specialisation
from engine.strategy.operators.strengthening import Strengthening
from engine.trees.canonical import canonical_key, presented_law
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean

pytestmark = pytest.mark.lean


class Workbench:
    """A theory with all that an operator works with."""

    def __init__(self, session: Session, lean: EmbeddedLean) -> None:
        path = Path(__file__).with_name("Slices.lean")
        self.theory = read_theory(path, session, lean.has_module)
        self.symbols = self.theory.symbols
        self.interpretation = Interpretation(
            session, self.theory.environment, self.theory.context, self.symbols
        )
        self.definitions = [
            KnownLaw(f"node:{name}", f"the definition of {name}", law, Label.ASSUMED)
            for name, laws in defining_equations(self.theory, session).items()
            for law in laws
        ]

    def context(
        self, *laws: Law, only: str = "", conjectures: Iterable[Law] = (), near: Iterable[Law] = ()
    ) -> Context:
        """A context where some laws are proved, with some functions if they are named."""
        proved = [
            KnownLaw(f"node:law{i}", f"law{i}", law, Label.VERIFIED) for i, law in enumerate(laws)
        ]
        known = [*self.definitions, *proved]
        rewriter = Rewriter(core_laws())
        for k in known:
            (rewriter.add_definition if k.label is Label.ASSUMED else rewriter.add)(k.law)
        words = only.split()
        return Context(
            symbols=[
                s
                for s in self.symbols.values()
                if s.is_background or s.is_constructor or not words or s.text in words
            ],
            laws=known,
            owners={s: f"node:{s}" for s in self.symbols},
            interpretation=self.interpretation,
            rewriter=rewriter,
            tried=lambda key: False,
            max_size=5,
            conjectures=list(conjectures),
            near_misses={canonical_key(law): law for law in near},
        )

    def term(self, text: str) -> Term:
        """A term in prefix form with short names; unknown words are variables."""
        short = {s.text.rpartition(".")[2]: s for s in self.symbols.values()}
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

    def equation(self, text: str) -> Equation:
        """``left = right``, or an application of a predicate that is true."""
        left, _, right = text.partition(" = ")
        return Equation(self.term(left), self.term(right)) if right else affirmed(self.term(left))

    def law(self, conclusion: str, *hypotheses: str) -> Law:
        said, *given = (self.equation(t) for t in (conclusion, *hypotheses))
        return presented_law(said.lhs, said.rhs, given)


@pytest.fixture(scope="module")
def bench(session: Session, installation: EmbeddedLean) -> Workbench:
    return Workbench(session, installation)


def drafts(operator: Operator, context: Context) -> list[Draft]:
    """All drafts, after checking that each states what a candidate has to."""
    found = list(operator.draft(context))
    nodes = {*context.owners.values(), *(known.node for known in context.laws)}
    for draft in found:
        candidate = draft.candidate()
        assert all((candidate.summary, candidate.novelty, candidate.limits, candidate.plan))
        assert candidate.operator == operator.name
        assert candidate.parents
        assert all(p.explanation and p.node in nodes for p in candidate.parents)
    assert len({d.key for d in found}) == len(found)
    return found


def texts(operator: Operator, context: Context) -> str:
    return "\n".join(proposition_text(d.law) for d in drafts(operator, context))


def test_functional_finds_homomorphisms_accumulators_and_bounds(bench: Workbench) -> None:
    keys = {
        d.key
        for d in drafts(
            Functional(), bench.context(only="append reverse reverseOnto length drop min le")
        )
    }
    for conclusion, *hypotheses in (
        ("(reverse (append xs ys)) = (append (reverse ys) (reverse xs))",),
        ("(append (reverse xs) ys) = (reverseOnto xs ys)",),
        ("(le (min a b) a)",),
        ("(le (min a c) (min b c))", "(le a b)"),
    ):
        assert canonical_key(bench.law(conclusion, *hypotheses)) in keys


def test_composition_cuts_and_joins(bench: Workbench) -> None:
    found = texts(Composition(), bench.context(only="append take drop"))
    assert "append (take m xs) (drop m xs) = xs" in found


def test_converse_finds_injectivity_and_no_false_one(bench: Workbench) -> None:
    found = texts(Converse(), bench.context(only="reverse length append"))
    assert "reverse xs = reverse ys → xs = ys" in found
    assert "append xs zs = append ys zs → xs = ys" in found
    assert "length xs = 0 → xs = Seq.nil" in found
    assert "length xs = length ys → xs = ys" not in found


def test_converse_joins_two_implications(bench: Workbench) -> None:
    law = bench.law("a = b", "(reverse a) = (reverse b)")
    context = bench.context(law, only="reverse")
    first = drafts(Converse(), context)[0]
    assert proposition_text(first.law) == "reverse xs = reverse ys ↔ xs = ys"
    assert "node:law0" in {p.node for p in first.parents}


def test_strengthening_finds_what_a_function_needs(bench: Workbench) -> None:
    found = texts(Strengthening(), bench.context(only="take drop length min le"))
    assert "length xs ≤ m → take m xs = xs" in found
    assert "le a b = true → min a b = a" in found


def test_a_proved_law_gets_weaker_hypotheses(bench: Workbench) -> None:
    narrow = bench.law("(min a b) = a", "(le a c)", "(le c b)")
    found = texts(Strengthening(), bench.context(narrow, only="min le"))
    assert "le a b = true → min a b = a" in found


def test_specialisation_finds_where_a_false_law_holds(bench: Workbench) -> None:
    false = bench.law("(take m xs) = xs")
    found = texts(Specialisation(), bench.context(only="take length", near=[false]))
    assert found.splitlines() == ["take m Seq.nil = Seq.nil", "take (length xs) xs = xs"]


def test_generalisation_of_a_conjecture_about_one_value(bench: Workbench) -> None:
    narrow = bench.law("(length (append xs xs)) = (length (append (reverse xs) xs))")
    found = texts(Generalisation(), bench.context(conjectures=[narrow]))
    assert "length (append (reverse xs) ys) = length (append xs ys)" in found


def test_an_accumulator_may_begin_with_any_value(bench: Workbench) -> None:
    law = bench.law("(reverseOnto xs nil) = (reverse xs)")
    found = drafts(Generalisation(), bench.context(law, only="append reverse reverseOnto"))
    general = bench.law("(reverseOnto xs ys) = (append (reverse xs) ys)")
    (draft,) = [d for d in found if d.key == canonical_key(general)]
    assert "node:law0" in {p.node for p in draft.parents}


def test_deduction_drafts_only_what_no_calculation_gives(bench: Workbench) -> None:
    lengths = bench.law("(length (append xs ys)) = (length (append ys xs))")
    involution = bench.law("(reverse (reverse xs)) = xs")
    assert drafts(Deduction(), bench.context(involution, only="reverse")) == []
    law = bench.law("(le a c)", "(le a b)", "(le b c)")
    bound = bench.law("(le (min a b) a)")
    found = texts(Deduction(), bench.context(law, bound, lengths))
    assert "le a c = true → le (min a b) c = true" in found
    assert "length (append xs Seq.nil) = length xs" in found


def test_analogy_carries_what_is_missing_along_the_best_correspondence(bench: Workbench) -> None:
    context = bench.context(
        bench.law("(min a b) = (min b a)"),
        bench.law("(max a b) = (max b a)"),
        bench.law("(min a a) = a"),
        bench.law("(max a a) = a"),
        bench.law("(min (min a b) c) = (min a (min b c))"),
        only="min max",
    )
    first = drafts(Analogy(), context)[0]
    expected = bench.law("(max (max a b) c) = (max a (max b c))")
    assert first.key == canonical_key(expected)
    assert "node:law4" in {p.node for p in first.parents}


def test_dual_turns_every_order_round(bench: Workbench) -> None:
    context = bench.context(
        bench.law("(min a b) = (min b a)"),
        bench.law("(max a b) = (max b a)"),
        bench.law("(min a a) = a"),
        bench.law("(max a a) = a"),
        bench.law("(le (min a b) a)"),
        only="min max le",
    )
    keys = {d.key for d in drafts(Dual(), context)}
    assert canonical_key(bench.law("(le a (max a b))")) in keys
    assert canonical_key(bench.law("(le (max a b) a)")) not in keys
