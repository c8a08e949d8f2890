"""Show the progress of long work on the terminal, on stderr so that stdout holds results only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from verifier.progress import Progress

if TYPE_CHECKING:
    from rich.progress import TaskID


def terminal_progress(stream: TextIO | None = None) -> Progress:
    """Return bars for a terminal, and plain lines for a file or a pipe.

    Args:
        stream: Where to write; standard error unless given.
    """
    stream = stream or sys.stderr
    return BarProgress(stream) if stream.isatty() else LineProgress(stream)


class LineProgress:
    """Writes one line for each stage."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def stage(self, name: str, total: int | None) -> None:
        """Write the name of the stage."""
        print(f"{name} ...", file=self._stream, flush=True)

    def advance(self, n: int) -> None:
        """Write nothing: a log is no place for a moving bar."""

    def done(self) -> None:
        """Write nothing: the result follows, or an error."""


class BarProgress:
    """Draws a bar for each stage, and clears them all at the end."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=Console(file=stream),
            transient=True,
        )
        self._current: TaskID | None = None

    def stage(self, name: str, total: int | None) -> None:
        """Fill the bar of the stage before, and begin another."""
        self._fill()
        self._bars.start()
        self._current = self._bars.add_task(name, total=total)

    def advance(self, n: int) -> None:
        """Move the bar of the stage."""
        if self._current is not None:
            self._bars.advance(self._current, n)

    def done(self) -> None:
        """Clear the bars."""
        self._bars.stop()
        self._current = None

    def _fill(self) -> None:
        """Show a finished stage as finished, though its total may have been an estimate."""
        if self._current is not None:
            self._bars.update(self._current, total=1, completed=1)
