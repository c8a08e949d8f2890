"""Child processes that answer requests: start, frame, bound every wait, kill.

It has one job: a JSON object goes in as a line, and the line that answers it comes out within the
deadline; otherwise the whole process group is gone and :class:`SessionLost` says why.
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Protocol

import orjson

from verifier.errors import InputError, LemmataError, ToolchainError

HOST = Path(__file__).parent / "session" / "host.js"
STACK_KILOBYTES = 16_000
JAVASCRIPT_HEAP_MEGABYTES = 1_024
START_SECONDS = 60.0
POLL_SECONDS = 0.25
CHUNK = 1 << 16
_STACK_LOCK = threading.Lock()
MAX_ANSWER = 256 << 20  # bytes; a longer line is no answer


class Loss(StrEnum):
    """Why a session is gone."""

    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "out_of_memory"


class SessionLost(LemmataError):
    """The session died or was killed while it worked on a request; nothing is known of it."""

    code: ClassVar[str] = "session_lost"

    def __init__(self, loss: Loss, message: str) -> None:
        super().__init__(message, "The next request starts a new session.")
        self.loss = loss


class Installed(Protocol):
    """The parts of an installation that the process needs."""

    @property
    def node(self) -> Path:
        """The Node 24 executable."""

    @property
    def lean_js(self) -> Path:
        """The slim glue code, with ``lean.wasm`` beside it."""

    @property
    def lib(self) -> Path:
        """The folder that holds ``Init.olean``."""

    @property
    def lean_version(self) -> str:
        """Version of the Lean inside, such as ``4.28.0-pre``."""

    @property
    def commit(self) -> str:
        """Commit of the Lean project that it was built from."""


class ChildProcess:
    """A child in its own process group that answers requests, one JSON line each.

    Args:
        command: The program and its arguments.
        cwd: Its working directory.
        memory_limit: Resident bytes above which the process is killed.
        what: What it is, for errors. remedy: What to do when it does not start.
        stack_kilobytes: Stack of its main thread.

    Raises:
        ToolchainError: It cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        memory_limit: int,
        what: str,
        remedy: str,
        stack_kilobytes: int,
    ) -> None:
        self._what, self._remedy = what, remedy
        self._memory_limit = memory_limit
        self._buffer = bytearray()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in kill()
        self.started = time.monotonic()
        try:
            with _larger_stack(stack_kilobytes):
                self._process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    start_new_session=True,
                    env=_environment(),
                    cwd=cwd,
                )
        except OSError as error:
            self._errors.close()
            raise ToolchainError(f"{what} did not start: {error}", remedy) from error
        os.set_blocking(self._stdout, False)
        self.is_ready = False
        self._killed = False
        self._next_look = 0.0

    @property
    def pid(self) -> int:
        """Process id, which is also the id of the process group."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def _stdout(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def wait_until_ready(self) -> None:
        """Waits for the line that says that the process is ready.

        Raises:
            ToolchainError: It did not come; the message carries what the process printed.
        """
        if self.is_ready:
            return
        try:
            answer = self._line(time.monotonic() + START_SECONDS)
        except SessionLost as lost:
            raise ToolchainError(
                f"{self._what} did not start: {lost.message}", self._remedy
            ) from lost
        if not answer.get("ready"):
            self.kill()
            raise ToolchainError(
                f"{self._what} did not start: {answer.get('fatal', answer)}", self._remedy
            )
        self.is_ready = True

    def request(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Sends one request and returns its answer.

        Requests carry a token that Lean never sees, and an answer must show it: neither a line
        that was left over nor one that a candidate managed to print is taken for an answer.

        Args:
            message: A JSON object.
            seconds: Wall-clock limit.

        Raises:
            SessionLost: No answer within the limit, a crash, or too much memory. The process group
                has been killed.
            InputError: The message has text that is no Unicode.
        """
        self.wait_until_ready()
        token = secrets.token_hex(8)
        try:
            data = orjson.dumps({**message, "id": token}) + b"\n"
        except orjson.JSONEncodeError as error:
            raise InputError(f"the text cannot be encoded: {error}") from None
        try:
            answer = self._exchange(data, time.monotonic() + seconds)
        except BaseException:  # an answer that comes after an interrupt has nobody to read it
            self.kill()
            raise
        if answer.pop("id", None) != token:
            raise self._lost(Loss.CRASH, f"an answer to another request: {str(answer)[:200]}")
        return answer

    def _exchange(self, data: bytes, deadline: float) -> dict[str, Any]:
        self._write(data, deadline)
        answer = self._line(deadline)
        if "fatal" in answer:
            raise self._lost(_kind_of_crash(str(answer["fatal"])), str(answer["fatal"]))
        return answer

    def kill(self) -> None:
        """Kills the process group and reaps the child. Safe to call twice."""
        if self._killed:
            return  # the number may belong to another process by now
        self._killed = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _write(self, data: bytes, deadline: float) -> None:
        assert self._process.stdin is not None
        fd = self._process.stdin.fileno()
        os.set_blocking(fd, False)
        view = memoryview(data)
        while view:
            if time.monotonic() > deadline:
                raise self._lost(Loss.TIMEOUT, "the session did not take the request in time")
            try:
                if _wait(fd, select.POLLOUT, POLL_SECONDS):
                    view = view[os.write(fd, view) :]
            except BrokenPipeError:
                raise self._lost(Loss.CRASH, self._last_words()) from None

    def _line(self, deadline: float) -> dict[str, Any]:
        scanned = 0
        while (end := self._buffer.find(b"\n", scanned)) < 0:
            scanned = len(self._buffer)
            self._fill(deadline)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        try:
            answer = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise self._lost(Loss.CRASH, f"not an answer: {line[:200]!r}") from None
        if not isinstance(answer, dict):
            raise self._lost(Loss.CRASH, f"not an answer: {line[:200]!r}")
        return answer

    def _fill(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise self._lost(Loss.TIMEOUT, "no answer within the time limit")
        readable = _wait(self._stdout, select.POLLIN, min(left, POLL_SECONDS))
        self._check_memory()
        if not readable:
            return
        chunk = os.read(self._stdout, CHUNK)
        if not chunk:
            raise self._lost(Loss.CRASH, self._last_words())
        self._buffer += chunk
        if len(self._buffer) > MAX_ANSWER:
            raise self._lost(Loss.CRASH, f"an answer of over {MAX_ANSWER >> 20} MiB")

    def _check_memory(self) -> None:
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + POLL_SECONDS
        resident = resident_bytes(self.pid)
        if resident is not None and resident > self._memory_limit:
            raise self._lost(Loss.MEMORY, f"the session grew to {resident >> 20} MiB")

    def _last_words(self) -> str:
        self._errors.seek(0)
        text = self._errors.read()[-2000:].decode("utf-8", "replace").strip()
        return text or f"the process ended with {self._status()}, without a word"

    def _status(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(POLL_SECONDS)
        code = self._process.returncode
        if code is None:
            return "a closed pipe"
        return signal.Signals(-code).name if code < 0 else f"status {code}"

    def _lost(self, loss: Loss, message: str) -> SessionLost:
        self.kill()
        return SessionLost(loss, message)


class HostProcess(ChildProcess):
    """The embedded Lean in Node, confined by Node's permission model.

    Args:
        lean: The installation to run.
        memory_limit: Resident bytes above which the process is killed.
    """

    def __init__(self, lean: Installed, memory_limit: int) -> None:
        super().__init__(
            _command(lean),
            lean.lean_js.parent,
            memory_limit,
            "the embedded Lean",
            "Run `lemmata doctor --repair`.",
            2 * STACK_KILOBYTES,
        )


def _wait(descriptor: int, event: int, seconds: float) -> bool:
    poll = select.poll()  # unlike `select.select`, it takes descriptors beyond 1023
    poll.register(descriptor, event)
    return bool(poll.poll(seconds * 1000))


def resident_bytes(pid: int) -> int | None:
    """Resident memory of a process in bytes, or ``None`` where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return None
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def _kind_of_crash(text: str) -> Loss:
    exhausted = ("OOM", "out of memory", "memory access out of bounds", "Cannot enlarge memory")
    return Loss.MEMORY if any(word in text for word in exhausted) else Loss.CRASH


def _command(lean: Installed) -> list[str]:
    return [
        str(lean.node),
        f"--stack-size={STACK_KILOBYTES}",
        f"--max-old-space-size={JAVASCRIPT_HEAP_MEGABYTES}",
        "--wasm-lazy-validation",  # the integrity of the module was checked at installation
        "--disable-warning=SecurityWarning",
        "--permission",
        f"--allow-fs-read={HOST.parent}",
        f"--allow-fs-read={lean.lean_js.parent}",
        f"--allow-fs-read={lean.lib}",
        "--allow-worker",
        str(HOST),
        str(lean.lean_js),
        str(lean.lib),
    ]


@contextlib.contextmanager
def _larger_stack(kilobytes: int) -> Iterator[None]:
    """Children that start here have a larger stack: V8 gets what it is told of, and some more.

    With less, a deep recursion would be a segmentation fault instead of an error with words.
    """
    with _STACK_LOCK:
        soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
        wanted = kilobytes * 1024
        larger = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < larger:
            resource.setrlimit(resource.RLIMIT_STACK, (larger, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def _environment() -> dict[str, str]:
    """The child needs nothing of the user's environment; secrets in it stay outside."""
    keep = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
    return {name: os.environ[name] for name in keep if name in os.environ}
