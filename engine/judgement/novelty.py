"""Is a candidate news? How near the nearest known result is, and whether it follows at once.

A law that ``simp`` or ``grind`` derives from the known ones without induction or a case split is a
corollary: whoever has the known laws has it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.model import Score
from engine.workers import Worker
from verifier.lean import Statement
from verifier.prover.hints import Hints, Lemma
from verifier.prover.prover import ProofResult

COROLLARY = 0.1
"""What is left of the novelty of a corollary."""
NEARNESS = 0.5
"""What nearness takes away at most: a law can be near to another one and still be news."""
SECONDS = 6.0
"""Lean's own limit ends the question earlier; this one costs the session."""
AT_ONCE = "direct"
"""The name that a proof search gives to attempts without induction or a case split."""
SHOWN = 4


@dataclass(frozen=True)
class Following:
    """What Lean said when it was asked whether a statement follows at once from what is known.

    Attributes:
        follows: Whether it does.
        tactic: The tactic that derives it, one word. proof: The proof.
        lemmas: The known laws that the proof term uses, by name; none if the definitions suffice.
        seconds: How long Lean took.
    """

    follows: bool
    tactic: str = ""
    proof: str = ""
    lemmas: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def reason(self) -> str:
        """Why it is no news, as a phrase; empty when it does not follow."""
        if not self.follows:
            return ""
        shown = ", ".join(self.lemmas[:SHOWN]) + (", …" if len(self.lemmas) > SHOWN else "")
        return f"follows from {shown or 'the definitions'} by {self.tactic}"


def ask_whether_it_follows(
    worker: Worker, statement: Statement, lemmas: Sequence[str], seconds: float = SECONDS
) -> Following:
    """Asks Lean whether a statement follows from known laws by ``simp`` or ``grind``.

    One elaboration without induction, under the heartbeats of a single attempt of a proof search.
    It is meant for ``pool.submit(lambda worker: ask_whether_it_follows(worker, …))``.

    Args:
        worker: Of the pool; its thread must make the call.
        statement: The candidate, in an environment that has the lemmas.
        lemmas: Full names of the known laws. Definitions are found by the prover itself.
        seconds: Wall-clock limit.
    """
    hints = Hints(lemmas=tuple(Lemma(name) for name in lemmas))
    found = worker.prover.directly(statement, hints, seconds)
    if found.proof is None:
        return Following(False, seconds=found.seconds)
    return _following(found.proof, found.premises, lemmas, found.seconds)


def read_off_search(result: ProofResult, lemmas: Sequence[str]) -> Following | None:
    """What a proof search has shown by the way, without another question.

    Args:
        result: Of the search.
        lemmas: Full names of the known laws.

    Returns:
        The answer if the proof needed neither induction nor a case split. ``None`` if it did, or
        if there is none: a search tries induction before its long attempts without, so that says
        nothing.
    """
    if not result.verdict.verified or not result.tactic.startswith(AT_ONCE):
        return None
    return _following(result.proof, result.verdict.premises, lemmas, result.seconds)


def _following(
    proof: str, premises: Sequence[str], lemmas: Sequence[str], seconds: float
) -> Following:
    used = tuple(name for name in lemmas if name in premises)
    words = proof.removeprefix("by").split()
    return Following(True, words[0] if words else proof, proof, used, seconds)


def novelty(nearest: float, name: str, following: Following | None) -> Score:
    """The score: N = (1 - NEARNESS * cos), of which COROLLARY is left if it follows at once.

    Args:
        nearest: Largest cosine to a known result, in [0, 1].
        name: That result; empty if there is none.
        following: Lean's answer, or ``None`` if it was not asked.
    """
    value = 1.0 - NEARNESS * nearest
    near = f"The nearest known result is {name}, at a cosine of {nearest:.2f}" if name else ""
    near = near or "No known result is near"
    if following is None:
        said = "whether it follows from known laws was not asked"
        return Score(value=value, reason=f"{near}; {said}.")
    if following.follows:
        return Score(value=value * COROLLARY, reason=f"{near}; it {following.reason}.")
    said = "it does not follow from known laws by simp or grind at once"
    return Score(value=value, reason=f"{near}; {said}.")
