"""Starts Lean for one command: what it may see and write, and the program that runs it."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from verifier.toolchain.embedded.layout import EmbeddedLean

MAIN = Path(__file__).with_name("main.js")
SESSION = MAIN.parent.parent / "session"
STACK_KILOBYTES = 16_000
JAVASCRIPT_HEAP_MEGABYTES = 1_024
PROJECT_MARKS = ("lakefile.toml", "lakefile.lean", "lean-toolchain")
WRITTEN_BESIDE = ("", ".tmp", ".server", ".server.tmp", ".private", ".private.tmp")


@dataclass(frozen=True)
class Access:
    """What of the machine's files a command may use.

    Attributes:
        folders: Folders that Lean sees, each at its own path.
        inputs: Files that are read without being in such a folder.
        outputs: Real paths of the files that it may write; their folders exist.
    """

    folders: tuple[Path, ...]
    inputs: tuple[Path, ...] = ()
    outputs: tuple[Path, ...] = ()


def project_folder(file: Path) -> Path:
    """The nearest folder above a file that is a Lean project, else the file's own folder."""
    own = absolute(file).parent
    for folder in (own, *own.parents):
        if any((folder / mark).is_file() for mark in PROJECT_MARKS):
            return folder
    return own


def search_path(variable: str | None) -> tuple[Path, ...]:
    """The folders that ``LEAN_PATH`` names, as absolute paths."""
    parts = (variable or "").split(os.pathsep)
    return tuple(absolute(Path(part)) for part in parts if part)


def absolute(path: Path) -> Path:
    """A path from the root, without ``..``; links stay what they are."""
    return Path(os.path.normpath(path.absolute()))


def node_command(
    lean: EmbeddedLean,
    access: Access,
    request: dict[str, Any],
    *,
    parent: int | None = None,
    directory: Path | None = None,
) -> list[str]:
    """The command line of Node for a request to ``main.js``, confined to what it needs.

    Args:
        lean: The installation.
        access: The files that the command may use.
        request: The members of the configuration that do not concern files.
        parent: The process that starts it; this one's parent if this one is to become it.
        directory: Where Lean believes to run; the current folder if omitted.
    """
    mounts = [
        {"at": str(folder), "folder": str(folder.resolve())}
        for folder in outermost((lean.lib, *access.folders))
    ]
    readable = [str(MAIN.parent), str(SESSION), str(lean.lean_js.parent)]
    readable += [mount["folder"] for mount in mounts]
    readable += [path for file in access.inputs for path in (str(file), str(file.resolve()))]
    writable = [f"{output}{end}" for output in access.outputs for end in WRITTEN_BESIDE]
    config = {
        **request,
        "leanJs": str(lean.lean_js),
        "program": str(lean.root / "bin" / "lean"),
        "mounts": mounts,
        "directory": str(directory or Path.cwd()),
        "parent": _watched_parent() if parent is None else parent,
    }
    return [
        str(lean.node),
        f"--stack-size={STACK_KILOBYTES}",
        f"--max-old-space-size={JAVASCRIPT_HEAP_MEGABYTES}",
        "--wasm-lazy-validation",
        "--disable-warning=SecurityWarning",
        "--permission",
        *(f"--allow-fs-read={path}" for path in dict.fromkeys(readable)),
        *(f"--allow-fs-write={path}" for path in writable),
        "--allow-worker",
        str(MAIN),
        json.dumps(config),
    ]


def outermost(folders: Iterable[Path]) -> tuple[Path, ...]:
    """The existing folders among some, without those that lie inside another one.

    The root of the file system is left out: Lean's own files lie there.
    """
    kept: list[Path] = []
    for folder in sorted(set(folders), key=lambda f: len(f.parts)):
        inside = any(folder.is_relative_to(outer) for outer in kept)
        if len(folder.parts) > 1 and folder.is_dir() and not inside:
            kept.append(folder)
    return tuple(kept)


def become(command: Sequence[str]) -> NoReturn:
    """Replaces this process by a command, with the stack that Lean's deep recursions need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = 2 * STACK_KILOBYTES * 1024
    larger = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < larger:
        resource.setrlimit(resource.RLIMIT_STACK, (larger, hard))
    os.execve(command[0], list(command), _environment())


def _watched_parent() -> int | None:
    """The process whose end is Lean's end too, unless someone asked to survive it (``nohup``)."""
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        return None
    return os.getppid() if os.getppid() > 1 else None


def _environment() -> dict[str, str]:
    """Node needs nothing of the user's environment; secrets in it stay outside."""
    keep = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
    return {name: os.environ[name] for name in keep if name in os.environ}
