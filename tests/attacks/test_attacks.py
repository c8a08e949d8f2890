"""Every attack gets the verdict and the reason that it must get, from a real Lean."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attack import Attack, attacks

from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean


@pytest.mark.parametrize("attack", attacks(), ids=lambda a: a.title)
def test_attack(attack: Attack, session: Session, verifier: Verifier) -> None:
    attack.judge(attack.run(session, verifier))
