"""How long work tells what it is doing, without knowing who watches."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A watcher of long work that goes through stages, one at a time."""

    def stage(self, name: str, total: int | None) -> None:
        """Begin a stage, which ends the one before.

        Args:
            name: What is being done, for a person to read.
            total: The units of work in the stage (bytes, for files), or None if not known.
        """

    def advance(self, n: int) -> None:
        """Report that ``n`` more units of the stage are done."""

    def done(self) -> None:
        """End the last stage. Calling it again does nothing."""


class SilentProgress:
    """A watcher that shows nothing."""

    def stage(self, name: str, total: int | None) -> None:
        """Ignore the stage."""

    def advance(self, n: int) -> None:
        """Ignore the work."""

    def done(self) -> None:
        """Ignore the end."""
