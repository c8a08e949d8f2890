"""Our Lean programs as compiled modules, made once for a toolchain: they start twice as fast.

They lie in the user's cache folder. A confined Lean cannot write there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from verifier.errors import StorageError, ToolchainError
from verifier.toolchain.embedded.layout import cache_root
from verifier.toolchain.embedded.process import SessionLost
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import LeanProcess

COMPILE_SECONDS = 300.0
KEPT_WORDS = 2_000
HINT = "Use another toolchain, or the embedded Lean."


@dataclass(frozen=True)
class LeanProgram:
    """A program of ours in Lean.

    Attributes:
        source: The file with its code. module: The name under which it is compiled.
        main: A file that imports the module and defines ``main``.
        what: What an error calls it.
    """

    source: Path
    module: str
    main: Path
    what: str


def compiled(program: LeanProgram, toolchain: NativeToolchain) -> Path:
    """The folder that holds a program as a module for a toolchain; it is made if need be.

    Raises:
        ToolchainError: This Lean does not compile it.
        StorageError: The cache folder cannot be written.
    """
    folder = cache_root().parent / "programs" / _key(program, toolchain)
    made = folder / f"{program.module}.olean"
    if made.is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as name:
            scratch = Path(name).resolve() / "made"
            scratch.mkdir()
            _compile(program, toolchain, scratch)
            with contextlib.suppress(OSError):  # another process was faster
                scratch.rename(folder)
    except OSError as error:
        raise StorageError(f"{program.what} cannot be compiled into {folder}: {error}") from error
    if not made.is_file():
        raise StorageError(f"{program.what} cannot be compiled into {folder}", "Free the folder.")
    return folder


def search_path(toolchain: NativeToolchain, folder: Path) -> dict[str, str]:
    """The toolchain's variables, with a folder of compiled modules on the search path."""
    before = toolchain.environment.get("LEAN_PATH", "")
    parts = [str(folder), *filter(None, [before])]
    return {**toolchain.environment, "LEAN_PATH": os.pathsep.join(parts)}


def _key(program: LeanProgram, toolchain: NativeToolchain) -> str:
    told = f"{toolchain.lean}\0{toolchain.version}\0{toolchain.commit}\0".encode()
    return hashlib.sha256(told + program.source.read_bytes()).hexdigest()[:24]


def _compile(program: LeanProgram, toolchain: NativeToolchain, folder: Path) -> None:
    source = folder / f"{program.module}.lean"
    shutil.copy(program.source, source)
    command = [str(toolchain.lean), "-o", str(source.with_suffix(".olean")), str(source)]
    deadline = time.monotonic() + COMPILE_SECONDS
    try:
        with LeanProcess(command, folder, toolchain.environment) as process:
            said = b"\n".join(process.lines(deadline)).decode("utf-8", "replace")
            if process.status() == 0:
                return
            words = process.last_words()
    except SessionLost as lost:
        said, words = "", lost.message
    raise does_not_run(program, toolchain, f"{words}; {said}")


def does_not_run(program: LeanProgram, toolchain: NativeToolchain, why: str) -> ToolchainError:
    """The error of a toolchain that does not take one of our programs."""
    return ToolchainError(
        f"Lean {toolchain.version} ({toolchain.lean}) does not run {program.what}: "
        f"{why.strip('; ')[:KEPT_WORDS]}",
        HINT,
    )
