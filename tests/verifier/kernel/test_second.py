"""The second kernel as the verifier asks it."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from verifier import audit
from verifier.errors import ToolchainError
from verifier.kernel import second as module
from verifier.kernel.second import SecondKernel
from verifier.kernel.words import Word
from verifier.lean import Environment, ProofFacts, Statement, StatementFacts
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verdict import Outcome, Reason, Verdict
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean

THEORY = """
inductive Tree (α : Type u) where
  | leaf
  | node (l : Tree α) (x : α) (r : Tree α)

inductive Rose (α : Type u) where
  | mk (x : α) (children : List (Rose α))

mutual
inductive Even : Nat → Prop where
  | zero : Even 0
  | succ : Odd n → Even (n + 1)
inductive Odd : Nat → Prop where
  | succ : Even n → Odd (n + 1)
end

structure Base (α : Type u) where
  x : α
  deriving DecidableEq

structure Point (α : Type u) extends Base α where
  y : α := x

def Tree.mirror : Tree α → Tree α
  | .leaf => .leaf
  | .node l x r => .node r.mirror x l.mirror

def half (n : Nat) : Nat := if h : n < 2 then 0 else half (n - 2) + 1
termination_by n

def Quoted := Quot (fun (a b : Nat) => a % 2 = b % 2)

theorem «two words» : 1 + 1 = 2 := rfl

theorem open_lemma (n : Nat) : n = n + 1 := sorry
"""

PROOFS = {
    "structural": (
        "{α : Type _} (t : Tree α) : t.mirror.mirror = t",
        "by induction t with\n  | leaf => rfl\n  | node l x r hl hr => simp [Tree.mirror, hl, hr]",
    ),
    "well_founded": (": half 4 = 2", "by simp [half]"),
    "omega": ("(a b c : Nat) (h : a < b) : a + c < b + c", "by omega"),
    "grind": ("(p q : Prop) (h : p ∧ q) : q ∧ p", "by grind"),
    "classical": ("(p : Prop) : p ∨ ¬p", "Classical.em p"),
    "literals": (': "αβ" ++ "γ" = "αβγ"', "by decide"),
    "large_number": (": 2 ^ 200 % 1000007 = 2 ^ 200 % 1000007", "rfl"),
    "mutual": (": Even 2", ".succ (.succ .zero)"),
    "quotient": (
        ": (Quot.mk _ 0 : Quoted) = Quot.mk _ 2",
        "Quot.sound (by decide)",
    ),
    "quoted_name": (": 1 + 1 = 2", "«two words»"),
    "universes": ("{α : Sort _} (a b : α) (h : a = b) : b = a", "h.symm"),
    "bits": ("(x : BitVec 8) : x ^^^ x = 0", "by simp"),
    "array": ("(xs : Array Nat) : (xs.push 1).size = xs.size + 1", "by simp"),
    "let": (": (let x := 2; have y := x; y + x) = 4", "rfl"),
}


@pytest.fixture(scope="module")
def theory(session: Session, base: Environment) -> Environment:
    extension = session.extend(base, THEORY)
    assert not [m for m in extension.messages if m.is_error], extension.messages
    return extension.environment


@pytest.mark.parametrize("case", PROOFS)
def test_both_kernels_accept(case: str, theory: Environment, verifier: Verifier) -> None:
    signature, proof = PROOFS[case]
    verdict = verifier.check(Statement(theory, f"t_{case}", signature), proof)
    assert verdict.verified, verdict
    assert len(verdict.kernels) == 2 and "4.35.0" in verdict.kernels[1]


def test_what_is_assumed_of_the_library_is_listed(verifier: Verifier, base: Environment) -> None:
    verdict = verifier.check(
        Statement(base, "t", "(a b : Nat) : a + b = b + a"), "Nat.add_comm a b"
    )
    assert verdict.verified and "Nat.add_comm" in verdict.assumed


def test_an_open_lemma_below_is_seen_by_the_second_kernel(
    theory: Environment, session: Session, second: SecondKernel
) -> None:
    statement = Statement(theory, "t", ": 1 = 2")
    facts = session.prove(statement, "open_lemma 1", 20.0)
    word = second.check(session, statement, session.state(statement), facts)
    assert word == Word(axioms=("sorryAx",), assumed=word.assumed)


def test_a_killed_process_costs_one_verdict(theory: Environment, session: Session) -> None:
    second = SecondKernel(lambda: pytest.fail("the base is there"))
    verifier = Verifier(session, second)
    statement = Statement(theory, "t", ": 1 = 1")
    try:
        assert verifier.check(statement, "rfl").verified
        assert second.pid is not None
        os.kill(second.pid, signal.SIGKILL)
        verdict = verifier.check(statement, "rfl")
        assert verdict.verified or verdict.reason is Reason.CRASH
        assert verifier.check(statement, "rfl").verified
    finally:
        second.close()


def test_scopes_are_forgotten_and_made_again(
    theory: Environment, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_SCOPES", 3)
    second = SecondKernel(lambda: pytest.fail("the base is there"))
    verifier = Verifier(session, second)
    try:
        environments = [
            session.extend(theory, f"def number{i} : Nat := {i}").environment for i in range(6)
        ]
        for i, at in (*enumerate(environments), *enumerate(environments)):
            statement = Statement(at, "t", f": number{i} = {i}")
            assert verifier.check(statement, "rfl").verified
    finally:
        second.close()


def test_threads_share_it(installation: EmbeddedLean, second: SecondKernel) -> None:
    base = Environment(("Init",))
    verdicts: list[Verdict] = []

    def work(number: int) -> None:
        with Session(installation) as session:
            verifier = Verifier(session, second)
            for i in range(3):
                statement = Statement(base, f"t{i}", f"(n : Nat) : n + {number} = {number} + n")
                verdicts.append(verifier.check(statement, "by omega"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(verdicts) == 6 and all(v.verified for v in verdicts)


def test_a_proof_without_an_export_is_undetermined(
    verifier: Verifier, second: SecondKernel, session: Session, base: Environment
) -> None:
    statement = Statement(base, "t", ": 1 = 1")
    word = second.check(session, statement, StatementFacts(fault=None), ProofFacts(fault=None))
    finding = audit.audit_second_kernel(word)
    assert finding is not None and finding.reason is Reason.RESOURCES


def test_a_proof_that_mentions_lean_itself_has_no_base(
    session: Session, verifier: Verifier
) -> None:
    at = Environment(("Init", "Lean.Expr"))
    verdict = verifier.check(Statement(at, "t", "(e : Lean.Expr) : e = e"), "rfl")
    assert verdict.outcome is Outcome.UNDETERMINED
    assert "not in the base library" in verdict.message


def test_without_the_wheel_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "locate", lambda: None)
    with pytest.raises(ToolchainError) as raised:
        SecondKernel(lambda: pytest.fail("not reached"))
    assert "lemmata[kernel]" in raised.value.hint


def test_another_version_of_the_wheel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIBRARY_BYTES", 1)
    with pytest.raises(ToolchainError, match="another second kernel"):
        SecondKernel(lambda: pytest.fail("not reached"))
