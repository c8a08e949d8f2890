"""Files of a library: written whole or not at all, and one writer at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from verifier.errors import StorageError

LOCK = ".lemmata.lock"
HOLDER = ".lemmata.holder"
LEFTOVER = ".lemmata-"


def sha256(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_if_there(path: Path) -> str | None:
    """The text of a file, or ``None`` if there is none; foreign bytes are kept as surrogates.

    Raises:
        StorageError: It is there and cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failure(path, "read", error) from error


def write_whole(path: Path, text: str) -> None:
    """Puts a text into a file so that a reader, or a crash, sees the old text or the new one.

    Raises:
        StorageError: It could not be written; the old file is as it was.
    """
    try:
        _make_folder(path.parent)
        _replace(path, text.encode())
    except OSError as error:
        raise _failure(path, "written", error) from error


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=LEFTOVER, suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def remove_leftovers(folder: Path) -> None:
    """Removes the temporary files of writers that were killed. Only the holder of the lock may."""
    for leftover in folder.rglob(f"{LEFTOVER}*.tmp"):
        leftover.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows has no handle on a folder to flush.
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _failure(path: Path, verb: str, error: OSError) -> StorageError:
    return StorageError(
        f"{path} could not be {verb}: {error.strerror or error}",
        "Free space or mend the permissions and repeat; what was verified is in the database.",
    )


class WriterLock:
    """The right to write a library, held by one process at a time and freed when it dies.

    Args:
        folder: The library.
        seconds: How long to wait for another writer.

    Raises:
        StorageError: Another process holds it; the message says which.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self._holder = folder / HOLDER
        self._lock = FileLock(folder / LOCK, thread_local=False)
        try:
            _make_folder(folder)
            self._lock.acquire(timeout=seconds)
        except Timeout:
            raise self._refusal(folder) from None
        except OSError as error:
            raise _failure(folder, "locked", error) from error
        with contextlib.suppress(StorageError):  # a full disk must not forbid to look
            write_whole(self._holder, _self_description())

    def release(self) -> None:
        """Lets the next writer in."""
        self._holder.unlink(missing_ok=True)
        self._lock.release()

    def _refusal(self, folder: Path) -> StorageError:
        holder: dict[str, object] = {}
        with contextlib.suppress(OSError, ValueError):
            holder = json.loads(self._holder.read_bytes())
        who = "process {pid} on {host} (`{command}`, since {since})".format_map(
            {"pid": "?", "host": "?", "command": "?", "since": "?"} | holder
        )
        return StorageError(
            f"the library {folder} is being written by {who}",
            "Wait until it has finished, or stop it, and repeat.",
        )


def _self_description() -> str:
    command = " ".join([Path(sys.argv[0] or "python").name, *sys.argv[1:]])[:200]
    since = datetime.now(UTC).isoformat(timespec="seconds")
    me = {"pid": os.getpid(), "host": socket.gethostname(), "command": command, "since": since}
    return json.dumps(me)
