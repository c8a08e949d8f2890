"""One installation and one warm Lean for all tests that need a real one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.kernel.second import SecondKernel
from verifier.lean import Environment
from verifier.session import Session
from verifier.toolchain.embedded.install import ensure_installed
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verifier import Verifier

sys.path.insert(0, str(Path(__file__).parent / "attacks"))  # where `attack.py` is


@pytest.fixture(scope="session")
def installation() -> EmbeddedLean:
    """The embedded Lean, installed now if it is not there yet."""
    return ensure_installed()


@pytest.fixture(scope="session")
def session(installation: EmbeddedLean) -> Iterator[Session]:
    """The warm session that all tests share, unless they must kill one."""
    with Session(installation) as session:
        session.warm_up()
        yield session


@pytest.fixture(scope="session")
def second(installation: EmbeddedLean) -> Iterator[SecondKernel]:
    """The second kernel, with its base library written now if it is not there yet."""
    kernel = SecondKernel(lambda: Session(installation))
    yield kernel
    kernel.close()


@pytest.fixture(scope="session")
def verifier(session: Session, second: SecondKernel) -> Verifier:
    """A verifier that asks the shared session and the second kernel."""
    return Verifier(session, second)


@pytest.fixture(scope="session")
def base() -> Environment:
    """Lean's core library, with nothing added."""
    return Environment(("Init",))
