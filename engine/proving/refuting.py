"""Refutes a statement of a batch where it stands in its text."""

from __future__ import annotations

from engine.judgement.refutation import Falsifier, Refutation
from engine.proving.problem import Problem
from verifier.lean import Environment
from verifier.session import Session
from verifier.verifier import Verifier

STEPS = 12_000_000
SECONDS = 6.0
"""A statement that is given is worth more than a draft of discovery."""


def refute(
    session: Session, verifier: Verifier, problem: Problem, environment: Environment
) -> Refutation | None:
    """Values at which a statement fails, if Lean has proved that it does.

    Args:
        session: Searches and elaborates.
        verifier: Checks the negation's proof.
        problem: The statement.
        environment: What stands before it.
    """
    falsifier = Falsifier(
        session, verifier, environment, problem.context, steps=STEPS, seconds=SECONDS
    )
    found = falsifier.refute(problem.statement(environment))
    return found if found is not None and found.confirmed else None
