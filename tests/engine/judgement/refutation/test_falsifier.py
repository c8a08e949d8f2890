"""What is refuted and at which values, and that true statements are not: with the real Lean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from refuted_theory import THEORY

from engine.judgement.refutation import Falsifier, Refutation
from engine.judgement.refutation.falsifier import bare
from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean
Refute = Callable[..., Refutation | None]

FALSE = [
    # conditions
    (
        "(m : Nat) (xs ys : List Nat) (h : m ≤ xs.length + ys.length) : m ≤ xs.length",
        "m := 1, xs := [], ys := [0]",
    ),
    ("(xs ys : List Nat) (h : xs.length = ys.length) : xs = ys", "xs := [0], ys := [1]: [0] ≠ [1]"),
    ("(xs : List Nat) (h : ∀ x, x ∈ xs → x = 3) : xs.length ≤ 2", "xs := [3, 3, 3]"),
    ("(xs : List Nat) (h : ∃ x, x ∈ xs) : xs.length = 1", "xs := [0, 0]: 2 ≠ 1"),
    # predicates, by rules and by recursion
    ("(n : Nat) (h : Even n) : n = 0", "n := 2: 2 ≠ 0"),
    ("(n : Nat) : Even n", "n := 1"),
    ("(n : Nat) : ¬ Even (n + 1)", "n := 1"),
    ("(n : Nat) : Even n ↔ n = 0", "n := 2"),
    ("(n : Nat) (xs : List Nat) (h : Below n xs) : Below 1 xs", "n := 2, xs := [2]"),
    # quantifiers and connectives
    ("(xs : List Nat) : ∃ x, x ∈ xs", "xs := []"),
    ("(xs : List Nat) : ∀ x, x ∈ xs → x < 2", "xs := [2], x := 2"),
    ("(m n : Nat) : m < n ∨ n < m", "m := 0, n := 0"),
    # functions
    ("(f : Nat → Nat) (x : Nat) : f (f x) = f x", "f := fun x => x + 1, x := 0: 2 ≠ 1"),
    (
        "{α : Type u} (p : α → Bool) (xs : List α) : xs.filter p = xs",
        "p := fun _ => false, xs := [0]: [] ≠ [0]",
    ),
    # type variables with instances, and types of core
    (
        "{α : Type} [DecidableEq α] (x y : α) (xs : List α) : (x :: xs).erase y = xs",
        "x := 0, y := 1, xs := []: [0] ≠ []",
    ),
    ("(a b : Int) : a - b = b - a", "a := 0, b := 1: -1 ≠ 1"),
    ("(i : Fin 4) : i.val < 3", "i := Fin.mk 3 (by decide)"),
    ("(xs : List Nat) : xs.length < 7", "xs := [0, 0, 0, 0, 0, 0, 0]"),
    # mutual recursion that no kernel computes: both definitions unfold in the proof
    (
        "(t : Tree Nat) : t.levels 7 ≠ [7, 8]",
        "t := Tree.node Tree.leaf 0 (Tree.node Tree.leaf 0 Tree.leaf)",
    ),
    (": 2 + 2 = 5", "no variables: 4 ≠ 5"),
]
TRUE = [
    "(m : Nat) (xs ys : List Nat) (h : m ≤ xs.length) : m ≤ xs.length + ys.length",
    "(n : Nat) (h : Even n) : Even (n + 4)",
    "(n : Nat) (xs : List Nat) (h : Below n xs) : Below (n + 1) xs",
    "(n : Nat) : ∃ m, n < m",
    "{α β γ : Type} (f : α → β) (g : β → γ) (xs : List α) : (xs.map f).map g = xs.map (g ∘ f)",
    "{α : Type} (t : Tree α) : t.mirror.mirror = t",
    "(n : Nat) (h : n < 0) : n = 5",
]


@pytest.mark.parametrize(("signature", "shown"), FALSE)
def test_false_statements_fail_at_the_smallest_values(
    refute: Refute, signature: str, shown: str
) -> None:
    found = refute(signature)
    assert found is not None
    assert str(found) == shown
    assert found.confirmed and found.statement is not None and found.proof.startswith("by")


@pytest.mark.parametrize("signature", TRUE)
def test_true_statements_are_not_refuted(refute: Refute, signature: str) -> None:
    assert refute(signature, depth=2) is None


@pytest.mark.parametrize(
    ("theory", "signature", "values"),
    [
        (
            "Mirages",
            "(xs ys : Row) (h : count xs = count ys) : interleave xs ys = interleave ys xs",
            {"xs": "cons zero nil", "ys": "cons (succ zero) nil"},
        ),
        ("Mirages", "(a : N) : cap a = a", {"a": "succ (" * 6 + "succ zero" + ")" * 6}),
        (
            "Mirages",
            "(xs : Row) : rotate xs = flip xs",
            {"xs": "cons zero (cons zero (cons (succ zero) nil))"},
        ),
        ("Mirages", "(xs : Row) : flip (flip xs) = xs", None),
        ("Lists", "{α : Type} (xs : Seq α) : reverse xs = xs", {"xs": "cons 1 (cons 0 nil)"}),
        ("Lists", "{α β : Type} (f : α → β) (xs : Seq α) : length (map f xs) = length xs", None),
    ],
)
def test_laws_of_seed_theories(
    refute_seed: Callable[[str], Refute],
    theory: str,
    signature: str,
    values: dict[str, str] | None,
) -> None:
    found = refute_seed(theory)(signature, depth=2)
    if values is None:
        assert found is None
    else:
        assert found is not None and found.confirmed
        assert dict(found.values) == values


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(a b)", "a b"),
        ("(-4)", "-4"),
        ("(a [0, 1])", "a [0, 1]"),
        ("(0, 1)", "(0, 1)"),
        ("((0, 1), (2))", "((0, 1), (2))"),
        ("(f (0, 1))", "f (0, 1)"),
        ("(a) (b)", "(a) (b)"),
        ("[0, 1]", "[0, 1]"),
        (None, ""),
    ],
)
def test_parentheses_around_the_whole_are_left_out(text: str | None, shown: str) -> None:
    assert bare(text) == shown


def test_constructors_are_called_as_in_the_scope_of_the_statement(
    session: Session, base: Environment
) -> None:
    """Also where Lean has something to say of the scope: it does not use its variable."""
    queue = "namespace Queues\nstructure Queue where\n  front : List Nat\nend Queues\n"
    environment = session.extend(base, queue).environment
    scope = "namespace Queues\nvariable {α : Type}"
    falsifier = Falsifier(session, Verifier(session), environment, scope)
    found = falsifier.refute(Statement(environment, "one", "(q : Queue) : q = ⟨[0]⟩", scope))
    assert found is not None and found.confirmed
    assert str(found) == "q := Queue.mk []: Queue.mk [] ≠ Queue.mk [0]"


def test_the_negation_is_proved_anew_by_the_verifier(session: Session, refute: Refute) -> None:
    found = refute("(n : Nat) : n < 50")
    assert found is not None and found.statement is not None
    assert found.values == (("n", "50"),)
    verifier = Verifier(session)
    assert verifier.check(found.statement, found.proof).verified
    assert not verifier.check(found.statement, found.proof.replace("50", "49")).verified


def test_what_cannot_be_computed_is_not_refuted(refute: Refute) -> None:
    """Though an axiom makes the statement false, no value shows it."""
    assert refute("(n : Nat) : secret n = 0") is None


def test_a_statement_that_does_not_elaborate_is_not_refuted(refute: Refute) -> None:
    assert refute("(n : Nat) : m = n") is None
    assert refute("(n : Nat) : n + = n") is None


def test_the_same_seed_finds_the_same(refute: Refute) -> None:
    signature = "(xs ys : List Nat) : xs.reverse ++ ys = ys ++ xs"
    first, second = refute(signature), refute(signature)
    assert first is not None and second is not None
    assert first.values == second.values


def lost(*_: Any, **__: Any) -> Any:
    raise SessionLost(Loss.CRASH, "the process ended")


def test_a_session_that_is_lost_in_the_search_refutes_nothing(
    session: Session, refute: Refute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "narrow", lost)
    assert refute("(n : Nat) : n = 0") is None


def test_values_without_a_proof_are_not_confirmed(
    session: Session, base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search has seen it fail, and Lean is lost before it has proved it."""
    environment = session.extend(base, THEORY).environment
    falsifier = Falsifier(session, Verifier(session), environment)
    monkeypatch.setattr(Verifier, "check", lost)
    found = falsifier.refute(Statement(environment, "candidate", "(n : Nat) : n + n = n"))
    assert found is not None
    assert found.values == (("n", "1"),)
    assert not found.confirmed and found.proof == "" and found.statement is None


def test_values_that_lean_does_not_take_are_not_confirmed(
    session: Session, base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that errs is found out: its values are of another, false statement."""
    falsifier = Falsifier(session, Verifier(session), base)
    wrong = session.state(Statement(base, "other", "(n : Nat) : n + 1 = n")).type
    narrow = session.narrow

    def erring(environment: Environment, search: Any) -> Any:
        return narrow(environment, type(search)(wrong, 1_000, 1.0))

    monkeypatch.setattr(session, "narrow", erring)
    found = falsifier.refute(Statement(base, "candidate", "(n : Nat) : n + 0 = n"))
    assert found is not None and found.values == (("n", "0"),)
    assert not found.confirmed
