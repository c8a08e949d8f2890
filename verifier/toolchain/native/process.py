"""One run of a Lean command: lines of its standard output as they come, every wait bounded.

Whatever happens, the whole process group is gone afterwards. A run that ends badly raises
:class:`SessionLost`, which says whether time or memory ran out or Lean died.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from verifier.errors import ToolchainError
from verifier.toolchain.embedded.process import Loss, SessionLost

MEMORY_LIMIT = 6 << 30
POLL_SECONDS = 0.25
END_SECONDS = 10.0
CHUNK = 1 << 16
MAX_LINE = 64 << 20  # bytes; a longer line is no answer
MAX_OUTPUT = 512 << 20  # bytes of one run
KEPT_WORDS = 2_000
KEPT_VARIABLES = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "SYSTEMROOT",
    "ELAN_HOME",
    "LEMMATA_CACHE",
)
KEPT_PREFIXES = ("LEAN", "LAKE", "DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH")


class LeanProcess:
    """A command in its own process group, read line by line.

    Args:
        command: The program and its arguments.
        directory: Its working directory.
        environment: All of its environment variables.
        memory_limit: Bytes of memory of the whole group, mapped files aside, above which it is
            killed.

    Raises:
        ToolchainError: The program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        directory: Path,
        environment: Mapping[str, str],
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        self._memory_limit = memory_limit
        self._buffer = bytearray()
        self._taken = 0
        self._next_look = 0.0
        self._killed = False
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in kill()
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
                env=dict(environment),
                cwd=directory,
            )
        except OSError as error:
            self._errors.close()
            raise ToolchainError(
                f"{command[0]} did not start: {error.strerror or error}",
                "Check the setting LEMMATA_LEAN and the program that it names.",
            ) from error
        os.set_blocking(self._stdout, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """Process id, which is also the id of the process group."""
        return self._process.pid

    @property
    def _stdout(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def line(self, deadline: float) -> bytes | None:
        """The next line without its end, or ``None`` when the process has closed its output.

        Args:
            deadline: The value of ``time.monotonic()`` at which the wait is over.

        Raises:
            SessionLost: The deadline has passed, or memory or output exceeds its limit; the
                process group has been killed.
        """
        scanned = 0
        while (end := self._buffer.find(b"\n", scanned)) < 0:
            scanned = len(self._buffer)
            if not self._fill(deadline):
                rest = bytes(self._buffer)
                self._buffer.clear()
                return rest or None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def lines(self, deadline: float) -> Iterator[bytes]:
        """All lines until the output is closed; see :meth:`line`."""
        while (line := self.line(deadline)) is not None:
            yield line

    def status(self) -> int:
        """Exit status after the output was closed; negative for a signal.

        Raises:
            SessionLost: The process has closed its output and does not end.
        """
        try:
            return self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            raise self.lost(Loss.CRASH, "Lean closed its output and did not end") from None

    def last_words(self) -> str:
        """The end of what it wrote to standard error, or how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(POLL_SECONDS)
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - KEPT_WORDS))
        text = self._errors.read().decode("utf-8", "replace").strip()
        return "; ".join(part for part in (_ending(self._process.returncode), text) if part)

    def lost(self, loss: Loss, message: str) -> SessionLost:
        """Kills the process group and makes the error that says why."""
        self.kill()
        return SessionLost(loss, message)

    def kill(self) -> None:
        """Kills the process group and reaps the child. Safe to call twice."""
        if self._killed:
            return  # the number may belong to another process by now
        self._killed = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _fill(self, deadline: float) -> bool:
        """Reads what there is; ``False`` when there will be no more."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise self.lost(Loss.TIMEOUT, "no answer within the time limit")
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        readable = poll.poll(min(left, POLL_SECONDS) * 1000)
        self._check_memory()
        if not readable:
            return True
        chunk = os.read(self._stdout, CHUNK)
        self._buffer += chunk
        self._taken += len(chunk)
        if len(self._buffer) > MAX_LINE or self._taken > MAX_OUTPUT:
            raise self.lost(Loss.CRASH, f"an output of over {self._taken >> 20} MiB")
        return bool(chunk)

    def _check_memory(self) -> None:
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + POLL_SECONDS
        used = group_bytes(self.pid)
        if used > self._memory_limit:
            raise self.lost(Loss.MEMORY, f"Lean grew to {used >> 20} MiB")


def kept_environment(source: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that Lean, elan and Lake need; secrets in the others stay outside."""
    source = os.environ if source is None else source
    return {
        name: value
        for name, value in source.items()
        if name in KEPT_VARIABLES or name.startswith(KEPT_PREFIXES)
    }


def group_bytes(group: int) -> int:
    """Memory of a process group in bytes, files that are mapped aside; 0 where nobody tells.

    Lean maps its library into memory, gigabytes of it with Mathlib, and shares it with others.
    """
    return sum(_own_bytes(folder) for folder in _members(group))


def _members(group: int) -> Iterator[Path]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):  # it ended while we looked
            if int(stat.read_text("utf-8", "replace").rpartition(")")[2].split()[2]) == group:
                yield stat.parent


def _own_bytes(folder: Path) -> int:
    try:
        lines = (folder / "status").read_text("utf-8", "replace").splitlines()
    except OSError:
        return 0
    fields = (line.split() for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
    return sum(int(field[1]) * 1024 for field in fields)


def _ending(code: int | None) -> str:
    if code is None:
        return "a closed pipe"
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"
