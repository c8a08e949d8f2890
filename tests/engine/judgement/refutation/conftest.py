"""Falsifiers on the shared session: of seed theories, and of a theory with predicates."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.judgement.refutation import Falsifier, Refutation
from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.verifier import Verifier

sys.path.insert(0, str(Path(__file__).parent))  # refuted_theory

from refuted_theory import THEORY

SEEDS = Path(__file__).parents[4] / "lean_project" / "Theories"
Refute = Callable[..., Refutation | None]


def refuting(session: Session, environment: Environment, context: str) -> Refute:
    falsifier = Falsifier(session, Verifier(session), environment, context)

    def refute(signature: str, depth: int = 1) -> Refutation | None:
        return falsifier.refute(Statement(environment, "candidate", signature, context), depth)

    return refute


@pytest.fixture(scope="session")
def refute(session: Session, base: Environment) -> Refute:
    """Refutes signatures of the theory with predicates."""
    environment = session.extend(base, THEORY).environment
    return refuting(session, environment, "universe u")


@pytest.fixture(scope="session")
def refute_seed(session: Session, base: Environment) -> Callable[[str], Refute]:
    """Refutes signatures of a seed theory, by its name."""
    made: dict[str, Refute] = {}

    def of(name: str) -> Refute:
        if name not in made:
            text = (SEEDS / f"{name}.lean").read_text("utf-8")
            environment = session.extend(base, text).environment
            main = {"Mirages": "N Row", "Lists": "Seq"}[name]
            made[name] = refuting(session, environment, f"open {name} {main}")
        return made[name]

    return of
