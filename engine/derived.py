"""Files that can be made again from what is stored: indices, trees, encoders.

Each is written whole or not at all. A failure to read one says so and asks for a new build.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verifier.errors import StorageError


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A temporary file to write to, which takes the place of a file when the block ends well.

    Raises:
        StorageError: The file cannot be written; an old one is as it was.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=path.name, suffix=".tmp", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    except (OSError, RuntimeError) as error:  # faiss reports a full disk as a RuntimeError
        raise StorageError(
            f"{path} could not be written: {error}", "free some space or choose another folder"
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns every failure to read a file into one kind of error.

    Raises:
        StorageError: The file is missing or damaged.
    """
    try:
        yield
    except (OSError, RuntimeError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise StorageError(
            f"{path} could not be read: {error}", "build it anew with `lemmata ingest --rebuild`"
        ) from error
