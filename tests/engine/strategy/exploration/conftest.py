"""Two theories with fresh datatypes, explored with the real Lean."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "language")]  # explored_theories, algebra

from explored_theories import MAPPING, SORTING, Ground  # noqa: E402


@pytest.fixture(scope="session")
def sorting(
    session: Session, installation: EmbeddedLean, tmp_path_factory: pytest.TempPathFactory
) -> Ground:
    return Ground(SORTING, tmp_path_factory.mktemp("sorting"), session, installation)


@pytest.fixture(scope="session")
def mapping(
    session: Session, installation: EmbeddedLean, tmp_path_factory: pytest.TempPathFactory
) -> Ground:
    return Ground(MAPPING, tmp_path_factory.mktemp("mapping"), session, installation)
