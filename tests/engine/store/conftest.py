"""Fixtures of the store: a clock that ticks and small nodes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from engine.store import Store


class TickingClock:
    """One second a call, from a fixed moment."""

    def __init__(self) -> None:
        self._ticks = count()

    def __call__(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(self._ticks))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "a folder with spaces" / "lemmata.db"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    ids = (f"run-{number}" for number in count(1))
    with Store(database, clock=TickingClock(), ids=lambda: next(ids)) as opened:
        yield opened
