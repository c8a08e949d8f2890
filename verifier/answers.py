"""Verdicts that were given before: equal requests are answered from a store on disk.

Only what was decided is kept: a timeout or a crash says nothing about the next try. The key covers
all that a verdict depends on: environment, scope, name, statement, proof, the toolchain, the second
kernel, and the version of the rules. The store is for speed, in batches that are run again; what
goes into a library is checked by Lean each time, and so is everything in `library check`.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from pathlib import Path

from pydantic import ValidationError

from verifier.closing import Closing
from verifier.errors import StorageError
from verifier.lean import Statement
from verifier.verdict import Outcome, Verdict

RULES_VERSION = 2
"""Raised with every change of the audit that could turn a verdict."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
  key     TEXT PRIMARY KEY,
  verdict TEXT NOT NULL,
  digest  TEXT NOT NULL
) WITHOUT ROWID
"""
_BUSY_SECONDS = 10.0


def key_of(statement: Statement, proof: str, kernels: tuple[str, ...]) -> str:
    """SHA-256 over everything that a verdict depends on.

    Args:
        statement: The statement in its place.
        proof: Lean text after ``:=``.
        kernels: The toolchain, and the second kernel where there is one.
    """
    parts = (
        str(RULES_VERSION),
        *kernels,
        statement.environment.key,
        statement.context,
        statement.name,
        statement.signature,
        proof,
    )
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


class Answers(Closing):
    """A store of verdicts in one SQLite file; several processes and threads may use it.

    Args:
        path: The file; its folder is made.

    Raises:
        StorageError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, _BUSY_SECONDS, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(_SCHEMA)
            self._database.commit()
        except (OSError, sqlite3.Error) as error:
            raise StorageError(
                f"the store of answers at {path} cannot be used: {error}",
                "Remove the file; it is written again.",
            ) from error

    def get(self, key: str) -> Verdict | None:
        """The verdict for a key; ``None`` where there is none, or none that can be read."""
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT verdict, digest FROM answers WHERE key = ?", (key,)
                ).fetchone()
        except sqlite3.Error as error:
            raise self._failed(error) from error
        if row is None or _digest(key, row[0]) != row[1]:
            return None
        try:
            return Verdict.model_validate_json(row[0])
        except ValidationError:
            return None

    def put(self, key: str, verdict: Verdict) -> None:
        """Keeps a verdict, unless it is undetermined.

        Raises:
            StorageError: It cannot be written.
        """
        if verdict.outcome is Outcome.UNDETERMINED:
            return
        text = verdict.model_dump_json()
        try:
            with self._lock, self._database:
                self._database.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)",
                    (key, text, _digest(key, text)),
                )
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._database.close()

    def _failed(self, error: sqlite3.Error) -> StorageError:
        return StorageError(
            f"the store of answers at {self._path} failed: {error}",
            "Remove the file; it is written again.",
        )


def _digest(key: str, text: str) -> str:
    """Over the key as well, so that a row does not answer another request."""
    return hashlib.sha256(f"{key}\n{text}".encode()).hexdigest()
