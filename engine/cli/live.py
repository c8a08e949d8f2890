"""Live progress of a run on standard error: a line of counts, and each result as it comes."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from engine.discovery import Fate

REFRESH_PER_SECOND = 4
MARKS = {"verified": "✓", "refuted": "✗", "retracted": "↶", "withdrawn": "−"}


class LiveRun:
    """Shows what a run does while it runs.

    On a terminal the counts stay on the last line; elsewhere each result is a plain line.

    Args:
        quiet: Show nothing.
        budget: Seconds of the run, for the clock.
    """

    def __init__(self, quiet: bool, budget: float) -> None:
        self._quiet = quiet
        self._budget = budget
        self._counts: Counter[str] = Counter()
        self._stage = "starting Lean"
        self._started = time.monotonic()
        self._live: Any = None

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(stderr=True),
                get_renderable=self._status,
                refresh_per_second=REFRESH_PER_SECOND,
                transient=True,
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def stage(self, name: str) -> None:
        """Notes what is going on now."""
        self._stage = name
        if name.startswith("discovering"):
            self._started = time.monotonic()
        if not self._quiet and self._live is None:
            print(name, file=sys.stderr, flush=True)

    def fate(self, fate: Fate) -> None:
        """Notes what became of a candidate."""
        self._counts[fate.what] += 1
        if self._quiet or fate.what not in MARKS:
            return
        mark = MARKS[fate.what]
        detail = f"{fate.detail}: " if fate.what == "verified" else ""
        after = "" if fate.what == "verified" else f"   {fate.detail}"
        self._say(f"{mark} {detail}{fate.statement}{after}")

    def _say(self, line: str) -> None:
        if self._live is None:
            print(line, file=sys.stderr, flush=True)
        else:
            self._live.console.print(line, markup=False, highlight=False)

    def _status(self) -> Any:
        from rich.text import Text

        elapsed = time.monotonic() - self._started
        counts = ", ".join(f"{n} {what}" for what, n in sorted(self._counts.items()))
        return Text(f"{elapsed:4.0f}/{self._budget:.0f} s  {self._stage}  {counts}")
