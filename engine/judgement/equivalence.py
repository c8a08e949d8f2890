"""Whether two theorems say the same: each is proved from the other, by Lean.

Of two true theorems each follows from the other anyway. So the proofs may use nothing but the other
theorem, what is reducible, and a fixed list of laws of propositional logic that tell two ways to
write one thing apart. A theorem with a hypothesis fewer is not proved from the one with it.
"""

from __future__ import annotations

from typing import Final

from engine.model import MethodNode
from verifier.errors import InputError
from verifier.lean import Environment, Statement
from verifier.verifier import Verifier

_CHECK: Final = "equivalence_check"
_SIDES: Final = "first | assumption | infer_instance | (symm; assumption)"
LAWS: Final = (
    "and_comm, or_comm, eq_comm, iff_comm, and_assoc, or_assoc, and_imp, or_imp, ne_eq, "
    "Classical.not_not, ge_iff_le, gt_iff_lt, exists_prop, Bool.not_eq_true, Bool.not_eq_false"
)
_TURNS: Final = ("skip", "symm", "apply Or.symm", "apply And.symm")
_DIRECT: Final = "by intros; first {turns}"
_TURN: Final = "| ({turn}; with_reducible apply @{name} <;> {sides})"
_REWRITTEN: Final = (
    "by intros; have given := @{name}; simp only [{laws}] at given ⊢; "
    "with_reducible apply given <;> {sides}"
)
_ALONE: Final = "by simp only [{laws}]"


class Equivalence:
    """Asks Lean about pairs of theorems of an environment.

    Args:
        verifier: Gives the verdicts.
        environment: Where both theorems are.
        seconds: Wall-clock limit of each proof.
    """

    def __init__(self, verifier: Verifier, environment: Environment, seconds: float) -> None:
        self._verifier = verifier
        self._environment = environment
        self._seconds = seconds

    def __call__(self, one: MethodNode, other: MethodNode) -> bool:
        """Whether each theorem was proved from the other; ``False`` where that is not known.

        Raises:
            ToolchainError: There is no Lean to ask.
        """
        names = [node.name for node in (one, other) if node.name and not node.private]
        if len(names) < 2:
            return False
        return self._follows(names[0], names[1]) and self._follows(names[1], names[0])

    def _follows(self, conclusion: str, premise: str) -> bool:
        """Whether a theorem was proved with another as its only premise."""
        statement = Statement(self._environment, _CHECK, f": type_of% @{conclusion}")
        turns = " ".join(_TURN.format(turn=t, name=premise, sides=_SIDES) for t in _TURNS)
        if self._proved(statement, _DIRECT.format(turns=turns), premise):
            return True
        if self._proved(statement, _ALONE.format(laws=LAWS)):
            return False  # the laws prove it from nothing: that it follows says nothing
        rewritten = _REWRITTEN.format(name=premise, laws=LAWS, sides=_SIDES)
        return self._proved(statement, rewritten, premise)

    def _proved(self, statement: Statement, proof: str, premise: str = "") -> bool:
        try:
            verdict = self._verifier.check(statement, proof, self._seconds)
        except InputError:
            return False
        return verdict.verified and (not premise or premise in verdict.premises)
