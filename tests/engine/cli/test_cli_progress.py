"""Progress on the terminal, and where there is none."""

from __future__ import annotations

import io

from engine.cli.progress import BarProgress, LineProgress, terminal_progress
from verifier.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def work(progress: Progress) -> None:
    progress.stage("Fetching", 100)
    progress.advance(60)
    progress.stage("Unpacking [x]", None)
    progress.advance(1)
    progress.done()
    progress.done()


def test_a_pipe_gets_a_line_for_each_stage() -> None:
    stream = io.StringIO()
    progress = terminal_progress(stream)

    work(progress)

    assert isinstance(progress, LineProgress)
    assert stream.getvalue() == "Fetching ...\nUnpacking [x] ...\n"


def test_a_terminal_gets_bars() -> None:
    stream = Terminal()
    progress = terminal_progress(stream)

    work(progress)

    assert isinstance(progress, BarProgress)
    assert "Fetching" in stream.getvalue()
    assert "Unpacking [x]" in stream.getvalue()


def test_progress_without_a_stage_is_harmless() -> None:
    progress = BarProgress(Terminal())

    progress.advance(1)
    progress.done()
