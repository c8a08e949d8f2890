"""Every failure that a user can meet, under one base class with a code, a hint and an exit code.

The exit codes are documented in ``docs/exit-codes.md``; they are part of the command line's
interface and do not change meaning.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What the process exit status of ``lemmata`` means."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    INPUT = 3
    TOOLCHAIN = 4
    STORAGE = 5
    CHECK_FAILED = 6
    INTERRUPTED = 130


class LemmataError(Exception):
    """A failure that is reported to the user: what happened, and what to do next.

    Args:
        message: What happened and where, in one sentence.
        hint: What the user can do about it, or an empty string.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[ExitCode] = ExitCode.UNEXPECTED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(LemmataError):
    """The user's input cannot be used: a missing file, an unknown import, text that is no Lean."""

    code = "input"
    exit_code = ExitCode.INPUT


class ToolchainError(LemmataError):
    """Lean is missing, cannot be installed or cannot be started."""

    code = "toolchain"
    exit_code = ExitCode.TOOLCHAIN


class StorageError(LemmataError):
    """A file or database could not be read or written: disk full, no permission, damaged."""

    code = "storage"
    exit_code = ExitCode.STORAGE
