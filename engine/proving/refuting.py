"""Refutes a statement of a batch where it stands in its text."""

from __future__ import annotations

from engine.judgement.refutation import Falsifier, Refutation
from engine.proving.problem import Problem
from verifier.lean import Environment
from verifier.session import Session
from verifier.verifier import Verifier

STEPS = 20_000_000
SECONDS = 8.0
"""A statement that is given is worth more than a draft of discovery."""
FIRST_STEPS = 1_000_000
"""A look before a proof is sought: most that is false fails at small values."""


def refute(
    session: Session,
    verifier: Verifier,
    problem: Problem,
    environment: Environment,
    steps: int = STEPS,
) -> Refutation | None:
    """Values at which a statement fails, if Lean has proved that it does.

    Args:
        session: Searches and elaborates.
        verifier: Checks the negation's proof.
        problem: The statement.
        environment: What stands before it.
        steps: Of evaluation, for the search.
    """
    falsifier = Falsifier(
        session, verifier, environment, problem.context, steps=steps, seconds=SECONDS
    )
    found = falsifier.refute(problem.statement(environment))
    return found if found is not None and found.confirmed else None
