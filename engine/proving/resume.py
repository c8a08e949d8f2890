"""The journal of a run: what is settled is on disk at once and need not be done again.

Each line stands for one statement, under a key made of all that its answer depends on. A line that
a crash has cut off is dropped; all lines before it hold.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.proving.problem import Document, Problem
from engine.proving.result import Attempted, Label
from verifier.errors import StorageError


class Record(BaseModel):
    """A line of the journal: a statement, or a document after the last look at it.

    Attributes:
        seconds: The time that the search of the statement was given.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    key: str
    seconds: float
    attempted: tuple[Attempted, ...]


def key_of(problem: Problem, toolchain: str) -> str:
    """A hash of toolchain, everything before the statement, scope, statement and proof."""
    document = problem.document
    ground = document.environment.extended(document.before(problem.command[0]), document.start)
    return _hash(
        toolchain,
        ground.key,
        problem.context,
        problem.name,
        problem.signature,
        problem.proof,
    )


def key_of_document(document: Document, attempted: Sequence[Attempted], toolchain: str) -> str:
    """A hash of toolchain, document, and what was found for each of its statements."""
    ground = document.environment.extended(document.text, document.start)
    found = (f"{a.result.label} {a.result.reason} {a.fills}" for a in attempted)
    return _hash(toolchain, ground.key, *found)


def _hash(*parts: str) -> str:
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()


class Journal:
    """An append-only file of settled statements; use it as a context manager.

    Args:
        path: The file; its folder is made.
        fresh: Forget what it holds.

    Raises:
        StorageError: It cannot be opened, or another run has it.
    """

    def __init__(self, path: Path, fresh: bool = False) -> None:
        self._path = path
        self._fresh = fresh
        self._records: dict[str, Record] = {}
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        from filelock import FileLock, Timeout

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(f"{self._path}.lock")
            self._lock.acquire(timeout=0)
            self._file = self._opened()
        except Timeout:
            raise StorageError(
                f"another run writes to {self._path.parent}", "Wait for it, or give another --out."
            ) from None
        except OSError as error:
            raise StorageError(f"{self._path} cannot be written: {error.strerror}") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
        self._lock.release()

    def settled(self, key: str, seconds: float) -> Attempted | None:
        """What an earlier run found, unless it gave up sooner than this one would.

        Args:
            key: Of the statement.
            seconds: What a search would be given now.
        """
        record = self._records.get(key)
        if record is None or len(record.attempted) != 1:
            return None
        (attempted,) = record.attempted
        if attempted.result.label is Label.OPEN and record.seconds < seconds:
            return None
        return _resumed(attempted)

    def closed(self, key: str) -> tuple[Attempted, ...] | None:
        """The statements of a document as an earlier run left them after its last look."""
        record = self._records.get(key)
        return None if record is None else tuple(map(_resumed, record.attempted))

    def add(self, key: str, seconds: float, *attempted: Attempted) -> None:
        """Puts a settled statement, or all of a document, on disk.

        Raises:
            StorageError: The disk does not take it.
        """
        assert self._file is not None
        record = Record(key=key, seconds=seconds, attempted=attempted)
        self._records[key] = record
        try:
            self._file.write(record.model_dump_json().encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StorageError(f"{self._path} cannot be written: {error.strerror}") from None

    def _opened(self) -> BinaryIO:
        content = b"" if self._fresh or not self._path.exists() else self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        for line in whole.splitlines():
            try:
                record = Record.model_validate_json(line)
            except ValidationError:
                continue  # of an older version, or damaged: done again
            self._records[record.key] = record
        file = self._path.open("ab")
        file.truncate(len(whole))
        return file


def _resumed(attempted: Attempted) -> Attempted:
    result = attempted.result.model_copy(update={"resumed": True})
    return attempted.model_copy(update={"result": result})
