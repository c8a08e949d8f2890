"""Builds the modules of a workspace: in dependency order, and only what has changed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from verifier.errors import InputError, ToolchainError
from verifier.toolchain.embedded.commands.lakefile import Library, Package
from verifier.toolchain.embedded.commands.workspace import Workspace

TRACE_VERSION = 1
THREADS_VARIABLE = "LEAN_NUM_THREADS"
MOST_JOBS = 2  # each takes a gigabyte
OLEAN_PARTS = (".olean", ".olean.server", ".olean.private", ".ilean")
ERROR = "error"


@dataclass(frozen=True)
class Source:
    """A module of the workspace as it is now.

    Attributes:
        name: Its name.
        package: The package that it belongs to.
        library: The library that it belongs to.
        file: Its file.
        digest: The SHA-256 of its text.
        imports: The modules of the workspace that it imports.
    """

    name: str
    package: Package
    library: Library
    file: Path
    digest: str
    imports: tuple[str, ...]

    @property
    def olean(self) -> Path:
        """The .olean file that is built of it."""
        return self.package.olean_of(self.name)

    @property
    def trace(self) -> Path:
        """The record of how the .olean file was built."""
        return self.olean.with_suffix(".trace")


@dataclass(frozen=True)
class LogEntry:
    """Something that Lean said of a module: its severity, and the text with the position."""

    severity: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """What became of a module.

    Attributes:
        built: Whether Lean ran; otherwise what was there is up to date.
        failed: Whether there is no .olean file.
        log: What Lean said, now or when it was built.
        seconds: How long it took.
    """

    built: bool
    failed: bool
    log: tuple[LogEntry, ...]
    seconds: float = 0.0


@dataclass
class Lean:
    """Runs the command ``lean`` for a build, and ends what runs when the build ends.

    Attributes:
        command: The words that start it.
        folder: Where it runs.
        variables: The environment of the workspace.
    """

    command: Sequence[str]
    folder: Path
    variables: dict[str, str]
    _running: set[subprocess.Popen[str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def run(self, arguments: Iterable[str], text: str = "") -> tuple[int, str, str]:
        """Runs it to its end: the exit code, standard output and standard error."""
        with self._lock:
            if self._stopped:
                return 1, "", "interrupted"
            process = subprocess.Popen(
                [*self.command, *arguments],
                cwd=self.folder,
                env=self.variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
            self._running.add(process)
        try:
            output, errors = process.communicate(text)
        finally:
            with self._lock:
                self._running.discard(process)
        return process.returncode, output, errors

    def stop(self) -> None:
        """Ends all that runs, and starts nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()


class Builder:
    """Builds modules of a workspace.

    Args:
        workspace: The workspace.
        lean: Runs Lean.
        toolchain: The identity of the Lean that builds.
        report: Told of each module that is done, with its number and the number of all.
    """

    def __init__(
        self,
        workspace: Workspace,
        lean: Lean,
        toolchain: str,
        report: Callable[[Source, Outcome, int, int], None],
    ) -> None:
        self._workspace = workspace
        self._lean = lean
        self._toolchain = toolchain
        self._report = report

    def build(self, modules: Sequence[str]) -> tuple[str, ...]:
        """Builds modules with all that they import, and returns the names of those that failed.

        Raises:
            InputError: A module has no file, or imports form a cycle.
            ToolchainError: Lean cannot read the headers.
        """
        sources = in_order(self.sources(modules))
        digests = self._trace_digests(sources)
        pending = {source.name: source for source in sources}
        outcomes: dict[str, Outcome] = {}
        running: dict[Future[Outcome], Source] = {}
        with ThreadPoolExecutor(jobs()) as pool:
            try:
                while pending or running:
                    for source in _ready(pending, outcomes):
                        del pending[source.name]
                        done = pool.submit(self._module, source, digests[source.name], outcomes)
                        running[done] = source
                    finished, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        source = running.pop(future)
                        outcomes[source.name] = future.result()
                        self._report(source, future.result(), len(outcomes), len(sources))
            finally:
                self._lean.stop()
        return tuple(name for name, outcome in outcomes.items() if outcome.failed and outcome.log)

    def sources(self, modules: Iterable[str]) -> dict[str, Source]:
        """Modules and, recursively, the modules of the workspace that they import."""
        found: dict[str, Source] = {}
        pending = list(dict.fromkeys(modules))
        while pending:
            for source in self._read(pending):
                found[source.name] = source
            imports = (name for source in list(found.values()) for name in source.imports)
            pending = [name for name in dict.fromkeys(imports) if name not in found]
        return found

    def local(self, imports: Iterable[str]) -> tuple[str, ...]:
        """Those among imports that are modules of the workspace, each once."""
        return tuple(n for n in dict.fromkeys(imports) if self._workspace.find(n) is not None)

    def _read(self, names: Sequence[str]) -> Iterator[Source]:
        """Reads modules; Lean is asked for the imports of those that have changed."""
        read = [self._unread(name) for name in names]
        unknown = [source.file for source, imports in read if imports is None]
        fresh = iter(self.imports_of(unknown))
        for source, imports in read:
            found = next(fresh) if imports is None else imports
            yield replace(source, imports=self.local(found))

    def _unread(self, name: str) -> tuple[Source, list[str] | None]:
        """A module without its imports, and the imports that its trace has for the same text."""
        place = self._workspace.find(name)
        if place is None:
            raise InputError(f"no library of the workspace has a module {name}")
        package, library = place
        file = library.file_of(name)
        try:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
        except OSError as error:
            raise InputError(
                f"{file}: {error.strerror}", f"It should be the module {name}."
            ) from None
        source = Source(name, package, library, file, digest, ())
        trace = read_trace(source.trace)
        same = trace.get("source") == digest and trace.get("toolchain") == self._toolchain
        return source, trace["imports"] if same else None

    def imports_of(self, files: Sequence[Path]) -> list[list[str]]:
        """The imports of files as Lean reads their headers.

        Raises:
            ToolchainError: Lean gives no answer.
        """
        if not files:
            return []
        code, output, errors = self._lean.run(["--deps-json", *map(str, files)])
        try:
            answers = json.loads(output)["imports"]
        except (ValueError, KeyError):
            raise ToolchainError(
                f"Lean did not read the imports (exit code {code}): {errors.strip()}"
            ) from None
        # A header that does not parse has no result; Lean says so when the module is built.
        results = [answer.get("result") or {"imports": []} for answer in answers]
        return [[each["module"] for each in result["imports"]] for result in results]

    def _trace_digests(self, sources: Sequence[Source]) -> dict[str, str]:
        """What each module's .olean file depends on, as one SHA-256 each."""
        digests: dict[str, str] = {}
        for source in sources:
            settings = source.library.settings
            parts = [str(TRACE_VERSION), self._toolchain, source.name, source.digest]
            parts += [*settings.options, "", *settings.arguments, ""]
            parts += [digests[name] for name in source.imports]
            digests[source.name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return digests

    def _module(self, source: Source, digest: str, outcomes: dict[str, Outcome]) -> Outcome:
        if any(outcomes[name].failed for name in source.imports):
            return Outcome(False, True, ())
        trace = read_trace(source.trace)
        if trace.get("digest") == digest and source.olean.is_file():
            return Outcome(False, False, tuple(LogEntry(*entry) for entry in trace["log"]))
        started = time.monotonic()
        log, failed = self._compile(source)
        if not failed:
            write_trace(source, self._toolchain, digest, log)
        return Outcome(True, failed, log, time.monotonic() - started)

    def _compile(self, source: Source) -> tuple[tuple[LogEntry, ...], bool]:
        source.olean.parent.mkdir(parents=True, exist_ok=True)
        for old in (source.trace, *(source.olean.with_suffix(end) for end in OLEAN_PARTS)):
            old.unlink(missing_ok=True)
        settings = source.library.settings
        arguments = [
            os.path.relpath(source.file, self._lean.folder),
            f"--root={source.library.source}",
            f"-o{source.olean}",
            f"-i{source.olean.with_suffix('.ilean')}",
            "--json",
            *(f"-D{option}" for option in settings.options),
            *settings.arguments,
        ]
        code, output, errors = self._lean.run(arguments)
        log = [*_entries(output), *_raw("stderr", errors)]
        failed = code != 0 or not source.olean.is_file()
        if failed:
            log.append(LogEntry(ERROR, f"Lean exited with code {code}"))
        return tuple(log), failed


def in_order(sources: dict[str, Source]) -> list[Source]:
    """Modules in an order in which each follows what it imports.

    Raises:
        InputError: Imports form a cycle.
    """
    ordered: dict[str, Source] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            cycle = "\n  ".join((*above[above.index(name) :], name))
            raise InputError(f"build cycle detected:\n  {cycle}", "Remove one of these imports.")
        if name not in ordered:
            for wanted in sources[name].imports:
                visit(wanted, (*above, name))
            ordered[name] = sources[name]

    for name in sources:
        visit(name, ())
    return list(ordered.values())


def jobs() -> int:
    """How many modules are built at once."""
    wanted = os.environ.get(THREADS_VARIABLE, "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return min(MOST_JOBS, os.cpu_count() or 1)


def read_trace(path: Path) -> dict[str, Any]:
    """The record of a build; empty if there is none that can be used."""
    try:
        trace = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    is_ours = isinstance(trace, dict) and trace.get("version") == TRACE_VERSION
    return trace if is_ours else {}


def write_trace(source: Source, toolchain: str, digest: str, log: Sequence[LogEntry]) -> None:
    """Records how a module was built."""
    trace = {
        "version": TRACE_VERSION,
        "toolchain": toolchain,
        "digest": digest,
        "source": source.digest,
        "imports": source.imports,
        "log": [[entry.severity, entry.text] for entry in log],
    }
    source.trace.write_text(json.dumps(trace), "utf-8")


def _ready(pending: dict[str, Source], outcomes: dict[str, Outcome]) -> list[Source]:
    return [s for s in pending.values() if all(name in outcomes for name in s.imports)]


def _entries(output: str) -> Iterator[LogEntry]:
    """Lean's messages; what is none was printed by the module's own code."""
    printed: list[str] = []
    for line in output.splitlines():
        try:
            message = json.loads(line)
            at = message["pos"]
            place = f"{message['fileName']}:{at['line']}:{at['column']}"
            severity = message["severity"].removesuffix("rmation")
            yield LogEntry(severity, f"{place}: {message['data'].rstrip()}")
        except (ValueError, KeyError, TypeError, AttributeError):
            printed.append(line)
    yield from _raw("stdout", "\n".join(printed))


def _raw(stream: str, text: str) -> Iterator[LogEntry]:
    if text.strip():
        yield LogEntry("info", f"{stream}:\n{text.rstrip()}")
