"""What a run leaves on disk: results, filled copies, a patch, or the files themselves."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from engine.proving.batch import Outcome
from engine.proving.filling import as_lean_sees, filled_file
from engine.proving.inputs.lean_file import LeanFile
from engine.proving.inputs.tip.problem import TipFile
from engine.proving.result import Result
from verifier.errors import InputError, StorageError

RESULTS = "results.jsonl"
JOURNAL = "journal.jsonl"
PATCH = "proofs.patch"


class ResultsFile:
    """The results as they arrive, one a line; at the end once more in the order of the input.

    Args:
        folder: Where it lies; it is made.

    Raises:
        StorageError: It cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / RESULTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = self.path.open("wb")
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror}") from None

    def add(self, result: Result) -> None:
        """Writes a line."""
        try:
            self._file.write(_line(result))
            self._file.flush()
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror}") from None

    def finish(self, results: Iterable[Result]) -> None:
        """Replaces the file by the results in order."""
        self._file.close()
        write(self.path, b"".join(_line(r) for r in results))


def _line(result: Result) -> bytes:
    return result.model_dump_json().encode() + b"\n"


def write(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all; an existing one keeps its permissions.

    Raises:
        StorageError: It cannot be written.
    """
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
            Path(name).chmod(mode)
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from None


def filled_bytes(path: Path, outcome: Outcome) -> tuple[bytes, bytes]:
    """A file's bytes before and after.

    Raises:
        InputError: The file has changed since it was read.
    """
    assert outcome.closed is not None
    raw = path.read_bytes()
    if as_lean_sees(raw).decode() != outcome.closed.document.text:
        raise InputError(f"{path} was changed during the run", "Run the command again.")
    new = filled_file(raw, outcome.closed.fills)
    assert as_lean_sees(new).decode() == outcome.closed.text
    return raw, new


def copies(outcomes: Sequence[Outcome], folder: Path) -> list[Path]:
    """Writes the filled copy of each text that has new proofs; returns their paths."""
    written: list[Path] = []
    for outcome in outcomes:
        if not _has_fills(outcome):
            continue
        match outcome.source:
            case LeanFile(path, root):
                name = path.resolve().relative_to(root.resolve())
                if folder / name in written:  # two inputs with files of one name
                    name = Path(*path.resolve().parts[1:])
                _, content = filled_bytes(path, outcome)
            case TipFile(path):
                assert outcome.closed is not None
                name = Path(f"{path.stem}.lean")
                content = outcome.closed.text.encode()
            case _:
                continue
        write(folder / name, content)
        written.append(folder / name)
    return written


def in_place(outcomes: Sequence[Outcome]) -> list[Path]:
    """Puts the proofs into the user's files; returns those that were changed."""
    changed = []
    for outcome in outcomes:
        if _has_fills(outcome) and isinstance(outcome.source, LeanFile):
            _, new = filled_bytes(outcome.source.path, outcome)
            write(outcome.source.path, new)
            changed.append(outcome.source.path)
    return changed


def patch(outcomes: Sequence[Outcome], folder: Path) -> Path:
    """Writes one patch with all proofs, for ``git apply`` or ``patch -p1``; returns its path."""
    parts: list[bytes] = []
    for outcome in outcomes:
        if _has_fills(outcome) and isinstance(outcome.source, LeanFile):
            old, new = filled_bytes(outcome.source.path, outcome)
            parts += diff(_relative(outcome.source.path).as_posix(), old, new)
    path = folder / PATCH
    write(path, b"".join(parts))
    return path


def diff(name: str, old: bytes, new: bytes) -> Iterator[bytes]:
    """The lines of a unified diff, line ends as they are in the file."""
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _lines(old),
        _lines(new),
        f"a/{name}".encode(),
        f"b/{name}".encode(),
        lineterm=b"\n",
    )
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _lines(content: bytes) -> list[bytes]:
    *whole, last = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([last] if last else [])


def _has_fills(outcome: Outcome) -> bool:
    return outcome.closed is not None and bool(outcome.closed.fills)


def _relative(path: Path) -> Path:
    """The path from the working folder, or the bare name when it lies outside of it."""
    try:
        return path.resolve().relative_to(Path.cwd())
    except ValueError:
        return Path(path.name)
