"""The connection: opening, transactions, and SQLite's errors in Lemmata's terms."""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from verifier.closing import Closing
from verifier.errors import InputError, StorageError

SCHEMA_VERSION: Final = 3
APPLICATION_ID: Final = 0x4C454D41  # "LEMA"
_OLDEST_SQLITE: Final = (3, 37)  # STRICT tables

Clock = Callable[[], datetime]
IdSource = Callable[[], str]
ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True)
class Schema:
    """The shape of a database.

    Attributes:
        package: Where its SQL lies. file: Name of that.
        version: Written into the file; a file of another version is refused.
        application: SQLite's number for the kind of file.
    """

    package: str
    file: str
    version: int
    application: int

    @property
    def text(self) -> str:
        """The SQL that makes it."""
        return files(self.package).joinpath(self.file).read_text(encoding="utf-8")


STORE: Final = Schema("engine.store", "schema.sql", SCHEMA_VERSION, APPLICATION_ID)

_HINTS: Final = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space and repeat; nothing was lost"),
    sqlite3.SQLITE_CORRUPT: ("the file is damaged", "restore it from a backup or an export"),
    sqlite3.SQLITE_NOTADB: ("the file is no database", "give the path of a Lemmata database"),
    sqlite3.SQLITE_READONLY: ("the file or its folder is read-only", "make both writable"),
    sqlite3.SQLITE_PERM: ("access is denied", "check the owner and the permissions"),
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened",
        "check that the folder exists and that file and folder are writable",
    ),
    sqlite3.SQLITE_BUSY: (
        "another process holds the database",
        "wait until it has finished, or stop it, and repeat",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        "an entry contradicts the database",
        "refer only to runs and nodes that exist, and use each id once",
    ),
    sqlite3.SQLITE_IOERR: ("the disk reports an error", "check the disk; nothing was lost"),
}


def utc_now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """A fresh random identifier of 32 hexadecimal digits."""
    return uuid.uuid4().hex


def encode_json(value: Any) -> str:
    """Canonical JSON text: sorted keys, no spaces, UTF-8.

    Raises:
        InputError: The value holds text that is no Unicode (a lone surrogate) or a number that
            JSON cannot express.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError as error:
        raise InputError(
            f"a value cannot be stored: {error}", "remove lone surrogates and oversized numbers"
        ) from error


def encode_model(model: BaseModel) -> str:
    """Canonical JSON text of a model."""
    return encode_json(model.model_dump(mode="python"))


def decode_model(kind: type[ModelT], text: str) -> ModelT:
    """Read a model back.

    Raises:
        StorageError: The text is no such model; somebody else wrote it.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise StorageError(
            f"a stored {kind.__name__} cannot be read: {error.error_count()} fields are wrong",
            "the database was edited by hand or is damaged; restore a backup",
        ) from error


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into errors that a user can act on.

    Raises:
        StorageError: SQLite failed.
        InputError: A text is no Unicode.
    """
    try:
        yield
    except sqlite3.Error as error:
        # The low byte is the primary code; errors of the Python layer have none.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        what, hint = _HINTS.get(code, (str(error), "report this together with the command"))
        raise StorageError(f"{path}: {what} ({error})", hint) from error
    except UnicodeEncodeError as error:
        raise InputError(
            "a text holds a lone surrogate and cannot be stored", "remove the character"
        ) from error


class Database(Closing):
    """A connection to one Lemmata database; safe to share between threads.

    Write-ahead logging with ``synchronous=FULL``: what a finished transaction wrote survives a
    killed process and a power cut. A missing file is created, with its folders.

    Args:
        path: The database file.
        clock: Source of the time stamps.
        ids: Source of identifiers for runs.
        busy_seconds: How long to wait for another process before giving up.

    Raises:
        StorageError: The file is no Lemmata database, is damaged, was written by another
            version, or cannot be opened for writing.
    """

    schema: ClassVar[Schema] = STORE

    def __init__(
        self,
        path: Path | str,
        *,
        clock: Clock = utc_now,
        ids: IdSource = new_id,
        busy_seconds: float = 30.0,
    ) -> None:
        self.path = Path(path)
        self._clock = clock
        self._ids = ids
        self._lock = threading.RLock()
        self._connection = self._connect(busy_seconds)
        try:
            with storage_errors(self.path):
                self._prepare(busy_seconds)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the connection; the store is of no use afterwards."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: commit at the end of the block, undo everything if it raises.

        A transaction inside another one is a savepoint: it can fail by itself, and becomes
        durable together with the outer one. Other threads wait.

        Raises:
            StorageError: SQLite failed; the database is as it was before the block.
        """
        with self._lock, storage_errors(self.path):
            inner = self._connection.in_transaction
            self._connection.execute("SAVEPOINT nested" if inner else "BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("RELEASE nested" if inner else "COMMIT")
            except BaseException:
                self._undo(inner)
                raise

    def check_integrity(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file: pages, indexes, types, references.

        Returns:
            One sentence for each problem; empty for a sound file.

        Raises:
            StorageError: The damage prevents even the check.
        """
        pages = [row[0] for row in self._rows("PRAGMA integrity_check") if row[0] != "ok"]
        dangling = self._rows("PRAGMA foreign_key_check")
        return (*pages, *(f"a row of {row[0]} refers to no row of {row[2]}" for row in dangling))

    def _undo(self, inner: bool) -> None:
        # A full disk makes SQLite roll the whole transaction back by itself.
        if not self._connection.in_transaction:
            return
        if inner:
            self._connection.execute("ROLLBACK TO nested")
            self._connection.execute("RELEASE nested")
        else:
            self._connection.execute("ROLLBACK")

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock, storage_errors(self.path):
            return self._connection.execute(sql, values).fetchall()

    def _write(self, sql: str, *values: Any) -> sqlite3.Cursor:
        # Without this check a statement that follows a swallowed failure would commit alone.
        if not self._connection.in_transaction:
            raise StorageError("a write outside a transaction was refused", "repeat the command")
        with storage_errors(self.path):
            return self._connection.execute(sql, values)

    def _now(self) -> str:
        return self._clock().isoformat()

    def _connect(self, busy_seconds: float) -> sqlite3.Connection:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise StorageError(
                f"SQLite {sqlite3.sqlite_version} is too old",
                "use a Python that comes with SQLite 3.37 or later",
            )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"{self.path.parent}: the folder cannot be made ({error.strerror})",
                "choose another folder or make its parent writable",
            ) from error
        with storage_errors(self.path):
            return sqlite3.connect(
                self.path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )

    def _prepare(self, busy_seconds: float) -> None:
        # Looked at before anything is written: a foreign database must stay as it is.
        fresh = self._pragma("schema_version") == 0
        if not fresh and self._pragma("application_id") != self.schema.application:
            raise StorageError(
                f"{self.path}: this database belongs to another program",
                "give the path of a Lemmata database, or of a file that does not exist yet",
            )
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._enter_wal(busy_seconds)
        if fresh:
            self._create()
        self._check_version()

    def _enter_wal(self, busy_seconds: float) -> None:
        # SQLite does not wait by itself when two processes switch a new file at once.
        deadline = time.monotonic() + busy_seconds
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    def _pragma(self, name: str) -> int:
        (value,) = self._connection.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    def _create(self) -> None:
        version = f"INSERT OR IGNORE INTO meta VALUES ('schema', '{self.schema.version}');"
        self._connection.executescript(f"BEGIN IMMEDIATE;{self.schema.text}{version}COMMIT;")

    def _check_version(self) -> None:
        rows = self._rows("SELECT value FROM meta WHERE key = 'schema'")
        found = rows[0][0] if rows else "none"
        if found != str(self.schema.version):
            raise StorageError(
                f"{self.path}: the database has schema {found}, this Lemmata reads "
                f"{self.schema.version}",
                "use the Lemmata that wrote it, or export there and import here",
            )
