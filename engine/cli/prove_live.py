"""Live progress of ``lemmata prove``: how many are settled, and each result as it comes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from engine.cli.live import LiveRun

if TYPE_CHECKING:
    from engine.proving.batch import Event

MARKS = {
    "verified": "✓",
    "refuted": "✗",
    "open": "·",
    "rejected": "!",
    "not_a_proof": "-",
    "error": "!",
}


class LiveBatch(LiveRun):
    """Shows what a batch does while it runs."""

    def __init__(self, quiet: bool, budget: float) -> None:
        super().__init__(quiet, budget)
        self._settled: set[str] = set()
        self._known = 0

    def event(self, event: Event) -> None:
        """Notes an event."""
        from engine.proving.report import line_of

        self._known += event.count
        result = event.result
        if result is None:
            return
        again = f"{event.source}\n{result.id}" in self._settled
        self._settled.add(f"{event.source}\n{result.id}")
        if again and result.label != "verified":
            return
        self._counts[str(result.label).replace("_", " ")] += 1
        if not self._quiet:
            resumed = " (from the journal)" if result.resumed else ""
            self._say(f"{MARKS[result.label]} {line_of(result)}{resumed}")

    def _status(self) -> Any:
        from rich.text import Text

        elapsed = time.monotonic() - self._started
        counts = ", ".join(f"{n} {what}" for what, n in sorted(self._counts.items()))
        done = f"{len(self._settled)}/{max(self._known, len(self._settled))}"
        return Text(f"{elapsed:4.0f}/{self._budget:.0f} s  {done} settled  {counts}")
