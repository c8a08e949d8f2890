"""The executables ``lean`` and ``lake``: two short scripts that start this package's programs."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import tempfile
from pathlib import Path

from verifier.errors import StorageError
from verifier.toolchain.embedded import layout

PROGRAMS = ("lean", "lake")
_EXECUTABLE = 0o755


def commands_folder() -> Path:
    """The folder of this Python's executables in the cache, which need not exist.

    Each Python with Lemmata has its own, since the scripts name it. An update of Lemmata or of its
    Lean leaves the path as it is.
    """
    identity = hashlib.sha256(sys.executable.encode()).hexdigest()[:12]
    return layout.cache_root() / f"commands-{identity}"


def script(program: str) -> str:
    """The text of an executable."""
    module = f"verifier.toolchain.embedded.commands.{program}"
    lines = ["#!/bin/sh", "# Runs Lemmata's embedded Lean; `lemmata toolchain` tells more."]
    if chosen := os.environ.get(layout.CACHE_VARIABLE):
        folder = shlex.quote(str(Path(chosen).expanduser().resolve()))
        lines.append(f": ${{{layout.CACHE_VARIABLE}:={folder}}}; export {layout.CACHE_VARIABLE}")
    lines.append(f'exec {shlex.quote(sys.executable)} -X utf8 -E -P -m {module} "$@"')
    return "\n".join(lines) + "\n"


def install_commands(folder: Path) -> tuple[Path, ...]:
    """Writes the executables into a folder, which is made if it is missing.

    A program of that name that is not one of ours is never replaced.

    Returns:
        The paths of the executables.

    Raises:
        StorageError: The folder cannot be written, or it has another program of that name.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_install(folder / name, script(name)) for name in PROGRAMS)
    except OSError as error:
        raise StorageError(
            f"the commands cannot be written to {folder}: {error}", "Name another folder."
        ) from error


def ensure_commands() -> Path:
    """The folder of the executables in the cache, made if it is missing or out of date.

    Raises:
        StorageError: It cannot be written.
    """
    folder = commands_folder()
    install_commands(folder)
    return folder


def _install(path: Path, text: str) -> Path:
    current = _current(path)
    if current == text and os.access(path, os.X_OK):
        return path
    if current is not None and "Lemmata's embedded Lean" not in current:
        raise StorageError(
            f"{path} is another program, which is not replaced", "Name another folder."
        )
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).chmod(_EXECUTABLE)
    Path(name).replace(path)
    return path


def _current(path: Path) -> str | None:
    """What lies at a path as text, or ``None`` for nothing."""
    if not path.exists() and not path.is_symlink():
        return None
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
