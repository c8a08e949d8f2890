"""What declarations use, kept on disk by content: an unchanged module is not elaborated again.

The cache is for speed alone. A file that cannot be read is written again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engine.derived import writing
from engine.trees.evidence import Evidence

VERSION = 1
"""Raised with every change of what is read off a module."""

_FORMAT = TypeAdapter(dict[str, dict[str, Evidence]])


class UseCache:
    """A folder with a JSON file for each module.

    Args:
        folder: It is made when something is written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> dict[str, Mapping[str, Evidence]] | None:
        """What was put under a key, or ``None``."""
        try:
            return {**_FORMAT.validate_json(self._path(key).read_bytes())}
        except (OSError, ValidationError):
            return None

    def put(self, key: str, uses: Mapping[str, Mapping[str, Evidence]]) -> None:
        """Writes what the declarations of a module use.

        Raises:
            StorageError: It cannot be written.
        """
        with writing(self._path(key)) as unfinished:
            unfinished.write_bytes(_FORMAT.dump_json({n: dict(u) for n, u in uses.items()}))

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(f"{VERSION}\n{key}".encode()).hexdigest()
        return self._folder / f"{name}.json"
