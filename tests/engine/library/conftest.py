"""Fixtures of the library: a clock that ticks, a theory and a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from engine.library.library import Library
from engine.sources.lean_module import Theory
from verifier.verifier import Verifier

sys.path.insert(0, str(Path(__file__).parent))  # the import mode of pytest leaves it out

from credulous import Credulous, theory


@pytest.fixture
def clock() -> Callable[[], datetime]:
    ticks = count()
    return lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(ticks))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "a library"


@pytest.fixture
def basic() -> Theory:
    return theory()


@pytest.fixture
def believer() -> Verifier:
    return Verifier(Credulous())


@pytest.fixture
def library(
    folder: Path, clock: Callable[[], datetime], basic: Theory, believer: Verifier
) -> Iterator[Library]:
    with Library.open(folder, clock=clock) as opened:
        opened.adopt(basic, believer)
        yield opened
