"""Runs ``reader.lean`` on a toolchain and hands over module after module.

The embedded Lean and a native one are read in the same way, through their ``lean`` commands. The
reader loads compiled modules and elaborates nothing of theirs; but a module may ask Lean to run
code when it is loaded, so the process is confined like that of the audit.
"""

from __future__ import annotations

import queue
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from verifier.errors import InputError
from verifier.lean import Facts
from verifier.reading.facts import Failure, LibraryDeclaration, ModuleContents
from verifier.reading.files import ModuleFile
from verifier.toolchain.embedded.process import Loss
from verifier.toolchain.native.compiled import LeanProgram, compiled, does_not_run, search_path
from verifier.toolchain.native.confine import confined
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import LeanProcess

READER = LeanProgram(
    Path(__file__).with_name("reader.lean"),
    "LemmataReading",
    Path(__file__).with_name("main.lean"),
    "the reader of libraries",
)
START_SECONDS = 180.0
ANSWER_SECONDS = 120.0
RUN_BYTES = 150 << 20  # of .olean files that one process reads
SHARE_BYTES = 8 << 20  # for less it is not worth starting another one: that takes seconds
WAITING_MODULES = 16
POLL_SECONDS = 0.5
MEMORY_LIMIT = 8 << 30

F = TypeVar("F", bound=Facts)


@dataclass(frozen=True)
class _Job:
    """Modules that one process reads, with all modules that it loads."""

    imports: tuple[str, ...]
    modules: tuple[str, ...]
    axioms: bool


def read_modules(
    toolchain: NativeToolchain,
    imports: Sequence[str],
    files: Sequence[ModuleFile],
    processes: int = 1,
    axioms: bool = False,
) -> Iterator[ModuleContents]:
    """What modules declare, in the order in which they are read.

    Closing the iterator ends the processes.

    Args:
        toolchain: The Lean; its environment variables say where local modules lie.
        imports: What is loaded; it must reach the modules.
        files: The modules to read.
        processes: How many processes read at the same time.
        axioms: Whether to tell the axioms below each declaration, which takes longer.

    Raises:
        InputError: Lean refuses the imports, two modules declare one name, for instance.
        ToolchainError: This Lean does not run the reader.
        SessionLost: Timeout, crash or memory. What was handed over before is good.
    """
    jobs = [_Job(tuple(imports), modules, axioms) for modules in _shares(files, processes)]
    if not jobs:
        return
    folder = compiled(READER, toolchain)
    arrived: queue.Queue[ModuleContents | int] = queue.Queue(WAITING_MODULES)
    stop = threading.Event()

    def put(item: ModuleContents | int) -> None:
        while not stop.is_set():
            try:
                return arrived.put(item, timeout=POLL_SECONDS)
            except queue.Full:
                continue

    def work(number: int) -> None:
        try:
            for contents in _read(toolchain, folder, jobs[number], stop):
                put(contents)
        finally:
            put(number)

    with ThreadPoolExecutor(min(processes, len(jobs))) as workers:
        running = [workers.submit(work, number) for number in range(len(jobs))]
        try:
            left = len(jobs)
            while left:
                item = arrived.get()
                if isinstance(item, int):
                    running[item].result()  # raises what the reading raised
                    left -= 1
                else:
                    yield item
        finally:
            stop.set()


def _shares(files: Sequence[ModuleFile], processes: int) -> list[tuple[str, ...]]:
    """The modules in as many parts of like size as there are processes, or in smaller ones."""
    total = sum(file.size for file in files)
    limit = min(RUN_BYTES, max(SHARE_BYTES, -(-total // max(1, processes))))
    shares: list[list[str]] = []
    filled = limit
    for file in files:
        if filled >= limit:
            shares.append([])
            filled = 0
        shares[-1].append(file.name)
        filled += file.size
    return [tuple(share) for share in shares]


def _read(
    toolchain: NativeToolchain, folder: Path, job: _Job, stop: threading.Event
) -> Iterator[ModuleContents]:
    nonce = secrets.token_hex(16)
    request = {"nonce": nonce, **asdict(job)}
    with _started(toolchain, folder, request) as process:
        if _event(toolchain, process, nonce, START_SECONDS) != {"ready": True}:
            raise process.lost(Loss.CRASH, "an answer before it was asked")
        seconds = START_SECONDS  # the imports are loaded now
        for module in job.modules:
            declarations: list[LibraryDeclaration] = []
            failures: list[Failure] = []
            while "end" not in (event := _event(toolchain, process, nonce, seconds)):
                seconds = ANSWER_SECONDS
                if stop.is_set():
                    return
                if "failure" in event:
                    failures.append(_told(process, Failure, event))
                else:
                    declarations.append(_told(process, LibraryDeclaration, event))
            if event["end"] != module:
                raise process.lost(Loss.CRASH, f"an answer about {event['end']}, not {module}")
            yield ModuleContents(module, tuple(declarations), tuple(failures))


@contextmanager
def _started(
    toolchain: NativeToolchain, compiled_folder: Path, request: dict[str, Any]
) -> Iterator[LeanProcess]:
    with tempfile.TemporaryDirectory(prefix="lemmata-") as name:
        folder = Path(name).resolve()
        file = folder / "request.json"
        file.write_bytes(orjson.dumps(request))
        shutil.copy(READER.main, folder)
        command = [str(toolchain.lean), "--run", str(folder / READER.main.name), str(file)]
        variables = search_path(toolchain, compiled_folder)
        directory = toolchain.directory or folder
        with LeanProcess(confined(command), directory, variables, MEMORY_LIMIT) as process:
            yield process


def _event(
    toolchain: NativeToolchain, process: LeanProcess, nonce: str, seconds: float
) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    mark = nonce.encode()
    heard = ""
    while (line := process.line(deadline)) is not None:
        if not line.startswith(mark):
            heard = line[:500].decode("utf-8", "replace")
            continue
        try:
            event: dict[str, Any] = orjson.loads(line[len(mark) :])
        except orjson.JSONDecodeError as error:
            raise process.lost(Loss.CRASH, f"not an answer: {error}") from None
        if "fatal" in event:
            raise InputError(
                f"Lean refused the modules: {event['fatal']}",
                "Build the project again (`lake build`), and read fewer packages at once.",
            )
        return event
    words = process.last_words()
    if process.status() == 0:
        raise process.lost(Loss.CRASH, "it ended early")
    raise does_not_run(READER, toolchain, f"{words}; {heard}")


def _told(process: LeanProcess, model: type[F], event: dict[str, Any]) -> F:
    try:
        return model.model_validate(event)
    except ValidationError as error:
        raise process.lost(Loss.CRASH, f"not an answer: {error}") from None
