"""The audit as a compiled module, made once for each toolchain: a process starts twice as fast.

It lies in the user's cache folder. A confined Lean cannot write there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

from verifier.errors import StorageError, ToolchainError
from verifier.toolchain.embedded.layout import cache_root
from verifier.toolchain.embedded.process import SessionLost
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import LeanProcess

AUDIT = Path(__file__).with_name("audit.lean")
MAIN = Path(__file__).with_name("main.lean")
MODULE = "LemmataAudit"
COMPILE_SECONDS = 300.0
KEPT_WORDS = 2_000
HINT = "Use another toolchain, or the embedded Lean."


def compiled_audit(toolchain: NativeToolchain) -> Path:
    """The folder that holds the audit as a module for a toolchain; it is made if need be.

    Raises:
        ToolchainError: This Lean does not compile the audit.
        StorageError: The cache folder cannot be written.
    """
    folder = cache_root().parent / "audit" / _key(toolchain)
    if (folder / f"{MODULE}.olean").is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as name:
            made = Path(name).resolve() / "made"
            made.mkdir()
            _compile(toolchain, made)
            with contextlib.suppress(OSError):  # another process was faster
                made.rename(folder)
    except OSError as error:
        raise StorageError(f"the audit cannot be compiled into {folder}: {error}") from error
    if not (folder / f"{MODULE}.olean").is_file():
        raise StorageError(f"the audit cannot be compiled into {folder}", "Free the folder.")
    return folder


def search_path(toolchain: NativeToolchain, folder: Path) -> dict[str, str]:
    """The toolchain's variables, with the compiled audit among the modules."""
    before = toolchain.environment.get("LEAN_PATH", "")
    parts = [str(folder), *filter(None, [before])]
    return {**toolchain.environment, "LEAN_PATH": os.pathsep.join(parts)}


def _key(toolchain: NativeToolchain) -> str:
    told = f"{toolchain.lean}\0{toolchain.version}\0{toolchain.commit}\0".encode()
    return hashlib.sha256(told + AUDIT.read_bytes()).hexdigest()[:24]


def _compile(toolchain: NativeToolchain, folder: Path) -> None:
    source = folder / f"{MODULE}.lean"
    shutil.copy(AUDIT, source)
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
    raise does_not_run(toolchain, f"{words}; {said}")


def does_not_run(toolchain: NativeToolchain, why: str) -> ToolchainError:
    """The error of a toolchain that does not take the audit."""
    return ToolchainError(
        f"Lean {toolchain.version} ({toolchain.lean}) does not run the audit: "
        f"{why.strip('; ')[:KEPT_WORDS]}",
        HINT,
    )
