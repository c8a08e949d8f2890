"""Checks a file as ``lean --json`` does: Lean's messages with their positions.

A native Lean hands its messages over when a buffer is full or when it ends, so those before a
timeout may be lost. What needs answers one by one goes through :mod:`.run`, which flushes each.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from verifier.errors import InputError
from verifier.lean import Message
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.toolchain.native.confine import confined
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import MEMORY_LIMIT, LeanProcess


@dataclass(frozen=True)
class FileReport:
    """What Lean said of a file: messages in the order in which they came, and the exit status."""

    messages: tuple[Message, ...]
    status: int

    @property
    def errors(self) -> tuple[Message, ...]:
        """The messages that are errors."""
        return tuple(m for m in self.messages if m.is_error)


def check_file(
    toolchain: NativeToolchain, file: Path, seconds: float, memory_limit: int = MEMORY_LIMIT
) -> FileReport:
    """Elaborates a file with all that it imports; nothing is compiled or written.

    An exit status of 0 says that Lean reported no error. It is no verdict on what the file holds:
    a file may use ``sorry``, axioms or programs.

    Args:
        toolchain: The Lean.
        file: A .lean file.
        seconds: Wall-clock limit.
        memory_limit: In bytes, mapped files aside.

    Raises:
        SessionLost: Timeout, crash, too much memory, or a line that is no message.
        InputError: The file cannot be read.
    """
    if not file.is_file():
        raise InputError(f"there is no file {file}", "Check the path.")
    command = confined([str(toolchain.lean), "--json", str(file.resolve())])
    directory = toolchain.directory or file.resolve().parent
    with LeanProcess(command, directory, toolchain.environment, memory_limit) as process:
        messages = tuple(_messages(process, time.monotonic() + seconds))
        status = process.status()
        if status < 0 or (status > 0 and not any(m.is_error for m in messages)):
            raise process.lost(Loss.CRASH, process.last_words())
    return FileReport(messages, status)


def _messages(process: LeanProcess, deadline: float) -> Iterator[Message]:
    """The lines of the output as messages."""
    for line in process.lines(deadline):
        if line.strip():
            yield _message(process, line)


def _message(process: LeanProcess, line: bytes) -> Message:
    try:
        told: Any = orjson.loads(line)
        end = told["endPos"] or {}
        facts = {"severity": told["severity"], "text": told["data"], **told["pos"]}
        return Message.model_validate({**facts, "end_line": end.get("line")})
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError):
        raise _garbage(process, line) from None


def _garbage(process: LeanProcess, line: bytes) -> SessionLost:
    return process.lost(Loss.CRASH, f"not a message: {line[:200]!r}")
