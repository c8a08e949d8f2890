import pytest
from made_up_theory import THEORY, MadeUpLean, N, eq, facts, forall, var
from prover_theories import LISTS, NUMBERS, TREES, Theory

from verifier.lean import Environment, Message, ProofFacts, Statement, StatementFacts, ToolchainInfo
from verifier.prover.hints import Hints, Lemma
from verifier.prover.prover import Prover
from verifier.session import Session
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verdict import Outcome, Reason
from verifier.verifier import Verifier


class SlowLean(MadeUpLean):
    """Proves nothing, and hangs whenever a proof does induction."""

    toolchain = ToolchainInfo("made up", "4", "0")

    def __init__(self) -> None:
        super().__init__()
        self.proofs: list[str] = []

    def state(self, statement: Statement) -> StatementFacts:
        found = facts(forall("n", N, eq(N, var(0), var(0))))
        return found.model_copy(update={"kind": "theorem"})

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        self.proofs.append(proof)
        if "induction" in proof:
            raise SessionLost(Loss.TIMEOUT, "hung")
        error = Message(severity="error", text="no", line=1, column=0)
        return ProofFacts(fault=None, messages=(error,))


LAW = Statement(THEORY, "law", "(n : N) : n = n")


def test_attempts_that_hung_are_not_repeated():
    lean = SlowLean()
    prover = Prover(Verifier(lean))
    first = prover.prove(LAW)
    assert first.verdict.outcome is Outcome.UNDETERMINED
    assert [t.reason for t in first.trace if "induction" in t.name] == [Reason.TIMEOUT]
    asked = len(lean.proofs)
    prover.prove(LAW)
    assert not any("induction" in proof for proof in lean.proofs[asked:])


def test_a_cancelled_search_and_one_without_time_try_nothing():
    lean = SlowLean()
    prover = Prover(Verifier(lean))
    assert prover.prove(LAW, cancelled=lambda: True).attempts == 0
    late = prover.prove(LAW, seconds=0.0)
    assert (late.verdict.reason, late.proof, lean.proofs) == (Reason.TIMEOUT, "", [])


PROVED_BY = {
    "add_zero": "induction m",
    "reverse_append": "induction xs",
    "reverse_reverse": "induction xs",
    "onto_eq_append": "induction xs generalizing ys",
    "filter_append": "fun_induction Chains.filter p xs",
    "collect_eq": "induction t generalizing xs",
}


def prepared(session: Session, prover: Prover, theory: Theory) -> Environment:
    extension = session.extend(Environment(("Init",)), theory.body)
    return prover.prepared(extension.environment, [d.name for d in extension.declarations])


def prove_in_order(session: Session, theory: Theory, wanted: set[str]) -> dict[str, str]:
    """Proofs of the wanted laws; the laws before them are hints."""
    prover = Prover(Verifier(session))
    environment = prepared(session, prover, theory)
    namespace = theory.context.split("namespace ")[1].split()[0]
    proofs: dict[str, str] = {}
    hints: tuple[Lemma, ...] = ()
    for name, signature in theory.laws:
        if name in wanted:
            statement = Statement(environment, name, signature, theory.context)
            result = prover.prove(statement, Hints(lemmas=hints), 20.0)
            assert result.verdict.verified, (name, result)
            assert result.tactic == PROVED_BY.get(name, result.tactic)
            proofs[name] = result.proof
            text = f"{theory.context}\ntheorem {name} {signature} := {result.proof}\n"
            environment = session.extend(environment, f"{text}end {namespace}\n").environment
            hints = (*hints, Lemma(f"{namespace}.{name}"))
    return proofs


@pytest.mark.lean
def test_laws_of_numbers(session: Session):
    wanted = {"add_zero", "add_succ", "add_comm", "add_assoc", "add_left_comm"}
    wanted |= {"mul_succ", "le_antisymm", "max_comm"}
    proofs = prove_in_order(session, NUMBERS, wanted)
    assert proofs["add_zero"] == (
        "by\n  induction m with\n  | zero => rfl\n  | succ m ih => simp [add, ih]"
    )


@pytest.mark.lean
def test_laws_of_lists(session: Session):
    wanted = {"append_nil", "append_assoc", "reverse_append", "reverse_reverse"}
    wanted |= {"onto_eq_append", "filter_append", "take_append_drop"}
    proofs = prove_in_order(session, LISTS, wanted)
    assert proofs["reverse_reverse"].endswith(
        "| cons x xs ih => simp [append, reverse, reverse_append, ih]"
    )


@pytest.mark.lean
def test_laws_of_trees(session: Session):
    wanted = {"mirror_mirror", "join_assoc", "collect_eq"}
    prove_in_order(session, TREES, wanted)


@pytest.mark.lean
def test_quantifiers_after_the_colon_are_introduced(session: Session):
    prover = Prover(Verifier(session))
    environment = prepared(session, prover, LISTS)
    signature = "{α : Type u} : ∀ xs : Chain α, append xs nil = xs"
    result = prover.prove(Statement(environment, "law", signature, LISTS.context))
    assert result.proof.startswith("by\n  intro xs\n  induction xs with")
    false = "{α : Type u} (xs ys : Chain α) : append xs ys = append ys xs"
    failed = prover.prove(Statement(environment, "law", false, LISTS.context))
    assert failed.verdict.reason is Reason.PROOF_FAILED


@pytest.mark.lean
def test_a_statement_that_does_not_elaborate_is_rejected(session: Session, base: Environment):
    result = Prover(Verifier(session)).prove(Statement(base, "law", ": nothing = 0"))
    assert result.verdict.reason is Reason.STATEMENT_INVALID
    assert result.attempts == 0


ORDER = """
namespace Order
inductive N where | zero : N | succ : N → N
open N
def le : N → N → Bool
  | zero, _ => true
  | succ _, zero => false
  | succ m, succ n => le m n
theorem not_le_succ_of_le (a b : N) (h : le b a = true) : le (succ a) b = false := by
  fun_induction le b a <;> simp_all [le]
theorem le_succ_of_ne (a b : N) (h : a ≠ b) : le (succ a) b = le a b := by
  induction a generalizing b <;> cases b <;> simp_all [le]
end Order
"""


def test_lemmas_that_lead_astray_do_not_hide_a_proof(session: Session, base: Environment):
    """With them, ``simp_all`` fails where the definitions alone suffice."""
    environment = session.extend(base, ORDER).environment
    signature = "(a b c : N) (h₁ : le a c = true) (h₂ : le c b = true) : le a b = true"
    statement = Statement(environment, "law", signature, "namespace Order\nopen N\n")
    names = ("Order.not_le_succ_of_le", "Order.le_succ_of_ne")
    hints = Hints(lemmas=tuple(map(Lemma, names)))
    prover = Prover(Verifier(session))
    found = prover.prove(statement, hints, 20.0)
    assert found.verdict.verified and not any(name in found.proof for name in names)
    again = prover.prove(statement, hints, 20.0, first=False)
    assert again.attempts < prover.prove(statement, hints, 20.0).attempts
