"""The child process of the second kernel for the tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.kernel.second import SecondKernel

sys.path.insert(0, str(Path(__file__).parent))  # where `exports.py` and `kernel_process.py` are

from kernel_process import Child


@pytest.fixture(scope="package")
def child(second: SecondKernel) -> Iterator[Child]:
    """A process that all tests of the package share, unless they kill it."""
    made = Child(second)
    yield made
    made.process.kill()


@pytest.fixture
def mortal_child(second: SecondKernel) -> Iterator[Child]:
    """A process of a test's own."""
    made = Child(second)
    yield made
    made.process.kill()
