"""Verdicts: good theorems with what they rest on, and every failure by its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from verifier import verifier as verifiers
from verifier.lean import (
    Declaration,
    Environment,
    Extension,
    Header,
    Message,
    ProofFacts,
    Statement,
    StatementFacts,
    ToolchainInfo,
)
from verifier.session import Session
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verdict import Outcome, Reason
from verifier.verifier import Verifier

lean = pytest.mark.lean

# Good theorems

GOOD = {
    "rfl": (": 2 + 2 = 4", "rfl", {"rfl"}, ()),
    "term": ("(a b : Nat) : a + b = b + a", "Nat.add_comm a b", {"Nat.add_comm"}, ()),
    "omega": ("(a b : Nat) (h : a < b) : a + 1 ≤ b", "by omega", {"Decidable.byContradiction"}, ()),
    "simp": ("(xs : List Nat) : xs ++ [] = xs", "by simp", {"List.append_nil"}, ()),
    "decide": (": ∀ n : Fin 5, n.val < 5", "by decide", {"of_decide_eq_true"}, ()),
    "kernel": (": 10 ^ 20 % 7 = 2", "by decide +kernel", {"of_decide_eq_true"}, ()),
    "induction": (
        "(n : Nat) : 0 + n = n",
        "by induction n with\n  | zero => rfl\n  | succ n ih => rw [← Nat.add_assoc, ih]",
        {"Nat.add_assoc"},
        (),
    ),
    "match": (
        "(p q : Prop) : p ∧ q → q ∧ p",
        "fun\n  | ⟨hp, hq⟩ => ⟨hq, hp⟩",
        {"And.intro", "And.casesOn"},
        (),
    ),
    "recursive": (
        "(n : Nat) : n ≤ n * n + n",
        "by\n  match n with\n  | 0 => exact Nat.le_refl 0\n  | k + 1 => exact Nat.le_add_left _ _",
        {"Nat.le_add_left"},
        (),
    ),
    "grind": ("(a b c : Nat) (h : a = b) (k : b = c) : a = c", "by grind", set(), ()),
    "propext": (
        "(p : Prop) (h : p) : p = True",
        "propext ⟨fun _ => .intro, fun _ => h⟩",
        {"propext"},
        ("propext",),
    ),
    "choice": (
        "(α : Type) (h : Nonempty α) : ∃ _ : α, True",
        "⟨Classical.choice h, trivial⟩",
        {"Classical.choice"},
        ("Classical.choice",),
    ),
    "quotient": (
        "(r : Nat → Nat → Prop) (h : r 1 2) : Quot.mk r 1 = Quot.mk r 2",
        "Quot.sound h",
        {"Quot.sound"},
        ("Quot.sound",),
    ),
    "universe": ("{α : Type u} (a : α) : a = a", "rfl", {"rfl"}, ()),
    "comment": (": 1 = 1", "rfl -- for now: sorry", {"rfl"}, ()),
    "sorry_as_text": (': "sorry" = "sorry"', "rfl", {"rfl"}, ()),
    "option": ("(a b : Nat) : a + b = b + a", "by set_option maxRecDepth 999 in omega", set(), ()),
}


@lean
@pytest.mark.parametrize("signature, proof, premises, axioms", GOOD.values(), ids=GOOD)
def test_a_good_theorem_is_verified(
    signature: str,
    proof: str,
    premises: set[str],
    axioms: tuple[str, ...],
    verifier: Verifier,
    base: Environment,
) -> None:
    context = "universe u" if "Type u" in signature else ""
    verdict = verifier.check(Statement(base, "good", signature, context), proof, 30)
    assert verdict.verified, verdict
    assert verdict.reason is Reason.PROVED
    assert premises <= set(verdict.premises)
    assert verdict.axioms == axioms
    assert "4.28.0" in verdict.toolchain
    assert 0 < verdict.seconds < 30


@lean
@pytest.mark.parametrize(
    "name, context, full",
    [
        ("t", "", "t"),
        ("a.b.c", "", "a.b.c"),
        ("t", "namespace A.B", "A.B.t"),
        ("t", "namespace A\nnamespace B", "A.B.t"),
        ("t", "section\nopen Nat", "t"),
        ("_root_.t", "namespace A", "t"),
        ("«a b»", "namespace «c d»", "«c d».«a b»"),
        ("«plain»", "", "plain"),
        ("«theorem»", "", "theorem"),
        ("add_self'", "namespace Nat", "Nat.add_self'"),
        ("α₁", "", "α₁"),
        ("_proof_1", "", "_proof_1"),
        ("match_1", "", "match_1"),
    ],
)
def test_a_theorem_has_the_name_that_lean_gives_it(
    name: str, context: str, full: str, verifier: Verifier, base: Environment
) -> None:
    statement = Statement(
        base, name, ": ∀ n, n = 0 ∨ match n with | 0 => False | _ => True", context
    )
    finding, facts = verifier.check_statement(statement)
    assert finding is None
    assert facts is not None
    assert facts.name == full
    proof = "fun | 0 => .inl rfl | _ + 1 => .inr trivial"
    assert verifier.check(statement, proof).verified


@lean
def test_windows_line_ends_make_no_difference(verifier: Verifier, base: Environment) -> None:
    statement = Statement(base, "t", "(a : Nat)\r\n  : a =\r\n    a", "section\r\nopen Nat\r\n")
    assert verifier.check(statement, "by\r\n  induction a\r\n  · rfl\r\n  · rfl\r\n").verified


@lean
def test_a_lemma_of_the_theory_is_a_premise(
    verifier: Verifier, session: Session, base: Environment
) -> None:
    theory = session.extend(base, "def f (n : Nat) := n + n\ntheorem f_zero : f 0 = 0 := rfl\n")
    environment = theory.environment
    lemma = verifier.check(Statement(environment, "t", ": f 0 + 0 = 0"), "by rw [f_zero]")
    assert lemma.verified
    assert {"f_zero", "f"} <= set(lemma.premises)
    beside = verifier.check(Statement(base, "t", ": f 0 = 0"), "rfl")
    assert beside.reason is Reason.STATEMENT_INVALID, "another environment has no f"


@lean
def test_an_auxiliary_of_the_proof_is_no_premise(verifier: Verifier, base: Environment) -> None:
    verdict = verifier.check(
        Statement(base, "t", ": 3 * 5 = 15 ∧ True"), "⟨by decide +kernel, trivial⟩"
    )
    assert verdict.verified
    assert not any(p.startswith("t.") for p in verdict.premises)


@lean
def test_the_kind_of_a_partial_function_does_not_matter(
    verifier: Verifier, session: Session, base: Environment
) -> None:
    """Nothing can be proved of its equations, but what holds of everything holds of it."""
    theory = session.extend(base, "partial def loop (n : Nat) : Nat := loop (n + 1)\n")
    verdict = verifier.check(Statement(theory.environment, "t", ": loop 0 = loop 0"), "rfl")
    assert verdict.verified


@lean
def test_a_statement_shows_which_constants_it_means(
    verifier: Verifier, session: Session, base: Environment
) -> None:
    """A name of a nearer namespace is Lean's reading; whoever is shown the type sees it."""
    theory = session.extend(base, "inductive Near.False : Prop where | intro\n")
    statement = Statement(theory.environment, "t", ": False", "namespace Near")
    finding, facts = verifier.check_statement(statement)
    assert finding is None
    assert facts is not None
    assert facts.constants == ("Near.False",)
    assert facts.type == ["c", "Near.False", []]


@lean
def test_a_search_tries_without_the_second_look(
    verifier: Verifier, session: Session, base: Environment
) -> None:
    assert verifier.attempt(Statement(base, "t", ": 1 = 1"), "rfl", 10) is None
    finding = verifier.attempt(Statement(base, "t", ": 1 = 2"), "rfl", 10)
    assert finding is not None and finding.reason is Reason.PROOF_FAILED
    wrong = "set_option debug.skipKernelTC true in\ntheorem wrong : 1 = 2 := by decide +kernel\n"
    statement = Statement(session.extend(base, wrong).environment, "t", ": 1 = 2")
    assert verifier.attempt(statement, "wrong", 10) is None
    assert verifier.check(statement, "wrong").reason is Reason.KERNEL_REJECTED


@lean
def test_a_proof_is_checked_again_each_time(verifier: Verifier, base: Environment) -> None:
    statement = Statement(
        base, "t", "(xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length"
    )
    for _ in range(3):
        assert not verifier.check(statement, "by rfl").verified
        assert verifier.check(statement, "by simp [Nat.add_comm]").verified


@lean
def test_equations_that_lean_makes_on_demand_are_no_surplus(
    verifier: Verifier, base: Environment
) -> None:
    statement = Statement(
        base, "t", "(xs ys : List Nat) : (xs.zipWith (·+·) ys).length ≤ xs.length"
    )
    for name in "tu":
        verdict = verifier.check(
            replace(statement, name=name), "by fun_induction List.zipWith <;> simp_all", 30
        )
        assert verdict.verified, verdict


# Failures of the Lean behind it


class LosingLean:
    """A Lean whose process is lost at each statement, or at each proof."""

    toolchain = ToolchainInfo("losing", "4.0.0", "0123456789")

    def __init__(self, loss: Loss, at: str = "prove") -> None:
        self.loss = loss
        self.at = at
        self.stated = 0

    def state(self, statement: Statement) -> StatementFacts:
        self.stated += 1
        if self.at == "state":
            raise SessionLost(self.loss, "lost")
        return StatementFacts(fault=None, statement=1, kind="theorem", name=statement.name)

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        raise SessionLost(self.loss, "lost")

    def header(self, text: str) -> Header:
        raise AssertionError

    def extend(self, environment: Environment, text: str, start: int = 0) -> Extension:
        raise AssertionError

    def declarations(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[Declaration | None, ...]:
        raise AssertionError

    def messages(self, environment: Environment, context: str, text: str) -> tuple[Message, ...]:
        raise AssertionError

    def close(self) -> None:
        raise AssertionError


LOSSES = {
    Loss.TIMEOUT: Reason.TIMEOUT,
    Loss.CRASH: Reason.CRASH,
    Loss.MEMORY: Reason.OUT_OF_MEMORY,
}


@pytest.mark.parametrize("at", ["state", "prove"])
@pytest.mark.parametrize("loss", Loss)
def test_a_loss_is_undetermined(loss: Loss, at: str, base: Environment) -> None:
    lean = LosingLean(loss, at)
    verdict = Verifier(lean).check(Statement(base, "t", ": 1 = 1"), "rfl")
    assert verdict.outcome is Outcome.UNDETERMINED
    assert verdict.reason is LOSSES[loss]
    assert not verdict.verified
    assert verdict.message == "lost"
    assert verdict.hint


def test_a_lost_statement_is_asked_for_again(base: Environment) -> None:
    lean = LosingLean(Loss.TIMEOUT, "state")
    verifier = Verifier(lean)
    for _ in range(3):
        verifier.check(Statement(base, "t", ": 1 = 1"), "rfl")
    assert lean.stated == 3


def test_a_statement_is_judged_once_while_it_is_remembered(
    base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifiers, "KEPT_STATEMENTS", 2)
    lean = LosingLean(Loss.TIMEOUT)
    verifier = Verifier(lean)
    first, *others = (Statement(base, name, ": 1 = 1") for name in "abcd")
    verifier.check(first, "rfl")
    verifier.check(first, "rfl")
    assert lean.stated == 1
    for other in others:
        verifier.check(other, "rfl")
    verifier.check(first, "rfl")
    assert lean.stated == 5


# Text

CLEAN = ["", "α → β ∧ ¬ γ", "a\tb", "a\nb", "a\r\nb", "𝔸 ℕ ⟨⟩", "é", "e\u0301", "日本", "x₁'"]
DIRTY = ["\0", "\x1b", "\x7f", "\x85", "\u200b", "\u200e", "\u202e", "\u2028", "\u2066", "\ufeff",
         "\ud800", "\ue000", "\U000e0041", "\u00ad"]  # fmt: skip


@pytest.mark.parametrize("text", CLEAN)
def test_clean_text_is_left_to_lean(text: str) -> None:
    assert verifiers._text_fault(text) is None


@pytest.mark.parametrize("text", DIRTY, ids=[f"{ord(t):04x}" for t in DIRTY])
@pytest.mark.parametrize("field", ["name", "signature", "context", "proof"])
def test_dirty_text_does_not_reach_lean(text: str, field: str, base: Environment) -> None:
    lean = LosingLean(Loss.CRASH)
    statement = Statement(base, "t", ": 1 = 1")
    if field != "proof":
        statement = replace(statement, **{field: f"a{text}b"})
    verdict = Verifier(lean).check(statement, f"a{text}b" if field == "proof" else "rfl")
    assert verdict.reason is Reason.BAD_TEXT
    assert lean.stated == 0


def test_large_text_does_not_reach_lean(base: Environment) -> None:
    lean = LosingLean(Loss.CRASH)
    verdict = Verifier(lean).check(Statement(base, "t", ": 1 = 1"), "α" * 60_000)
    assert verdict.outcome is Outcome.UNDETERMINED
    assert verdict.reason is Reason.TOO_LARGE
    assert lean.stated == 0


# Random text

WORDS = [
    *"()[]{}⟨⟩,.;:=+-*/|&!?@#$%^~`'\"_\\<>",
    *(
        ":=",
        "=>",
        "→",
        "←",
        "∀",
        "∃",
        "¬",
        "∧",
        "∨",
        "≠",
        "≤",
        "λ",
        "·",
        "--",
        "/-",
        "-/",
        "«",
        "»",
    ),
    *("0", "1", "2", "x", "h", "n", "t", "rfl", "True", "False", "Nat", "Eq", "trivial", "absurd"),
    *(
        "by",
        "exact",
        "simp",
        "omega",
        "decide",
        "have",
        "show",
        "from",
        "fun",
        "match",
        "with",
        "let",
    ),
    *("rec", "where", "end", "theorem", "def", "axiom", "sorry", "sorryAx", "section", "namespace"),
    *("intro", "cases", "induction", "rw", "first", "try", "repeat", "all_goals", "native_decide"),
    *("Classical.choice", "propext", "set_option", "in", "open", "\n", "\n\n", " "),
]
HOSTILE = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
    st.text(max_size=20),
)
FEW = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@lean
@FEW
@given(proof=HOSTILE)
@example(proof="rfl\n\ntheorem u : 1 = 1 := rfl")
@example(proof="sorry")
def test_no_text_proves_what_is_false(proof: str, verifier: Verifier, base: Environment) -> None:
    verdict = verifier.check(Statement(base, "t", ": 1 = 2"), proof, 5)
    assert not verdict.verified, proof


@lean
@FEW
@given(before=HOSTILE, after=HOSTILE, name=st.one_of(st.just("t"), HOSTILE))
@example(before="", after=" ∨ True", name="t")
@example(before="", after=" := sorry theorem u : 1 = 1", name="t")
@example(before="(h : False)", after="", name="t")
def test_no_text_around_a_false_statement_makes_it_true(
    before: str, after: str, name: str, verifier: Verifier, base: Environment
) -> None:
    """Text around it may make it another statement; then Lean's type says which one it is."""
    _, false = verifier.check_statement(Statement(base, "t", ": 1 = 2"))
    assert false is not None
    statement = Statement(base, name, f"{before} : 1 = 2{after}")
    for proof in ("by simp_all", "sorry"):
        if verifier.check(statement, proof, 5).verified:
            _, facts = verifier.check_statement(statement)
            assert facts is not None
            assert facts.type != false.type
            assert proof != "sorry"
