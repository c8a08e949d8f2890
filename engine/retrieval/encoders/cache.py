"""Vectors on disk, by the content that they were computed from.

A vector is kept under the SHA-256 of the model's identity and the text, so that nothing has to be
invalidated: another model or another text is another key. One SQLite file, which several processes
may use at once; each batch is a transaction, and an interruption loses the batch that was running.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from engine.retrieval.encoders.interface import Vectors
from verifier.errors import StorageError

_CHUNK: Final = 500  # keys a question; SQLite takes no more than 999 in an old version
_BUSY_SECONDS: Final = 60.0
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
_FLOAT: Final = np.dtype("<f4")


class VectorCache:
    """Vectors by key.

    Args:
        path: The SQLite file; made with its folder when something is first written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are known.

        Args:
            keys: From ``key_of``.

        Raises:
            StorageError: The file cannot be read.
        """
        if not self._path.exists():
            return {}
        with self._connected() as connection:
            return {
                key: np.frombuffer(vector, dtype=_FLOAT).astype(np.float32)
                for chunk in _chunks(keys)
                for key, vector in connection.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(chunk))})",
                    chunk,
                )
            }

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keeps vectors; one that is there already stays.

        Args:
            keys: n keys.
            vectors: Shape (n, d).

        Raises:
            StorageError: The file cannot be written.
        """
        rows = zip(keys, (row.astype(_FLOAT).tobytes() for row in vectors), strict=True)
        with self._connected() as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(_SCHEMA)
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise StorageError(
                f"the cache of vectors {self._path} cannot be used: {error}",
                "delete the file, its vectors are computed again; or free some space",
            ) from error


def key_of(identity: str, text: str) -> bytes:
    """The key of a text under a model's identity."""
    content = f"{identity}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).digest()


def _chunks(keys: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (keys[start : start + _CHUNK] for start in range(0, len(keys), _CHUNK))
