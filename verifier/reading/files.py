"""Compiled modules as files: where they lie, and whether one is another than before."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from verifier.errors import InputError, StorageError

SUFFIX = ".olean"


@dataclass(frozen=True)
class ModuleFile:
    """A compiled module.

    Attributes:
        name: Such as ``Init.Data.List.Lemmas``.
        path: The .olean file. size: In bytes. changed: Its modification time in nanoseconds.
    """

    name: str
    path: Path
    size: int
    changed: int

    def digest(self) -> str:
        """SHA-256 of the file.

        Raises:
            StorageError: It cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {error}") from error


def module_files(folder: Path, packages: Iterable[str]) -> list[ModuleFile]:
    """The compiled modules of some packages below a folder, by name.

    Args:
        folder: Such as ``lib/lean`` of a toolchain, or ``.lake/build/lib/lean`` of a project.
        packages: First components of module names: ``Init``, ``Std``.

    Raises:
        InputError: A package has no module there.
    """
    found: list[ModuleFile] = []
    for package in packages:
        files = sorted(_files(folder, package), key=lambda file: file.name)
        if not files:
            raise InputError(
                f"{folder} has no compiled module of {package}",
                "Check the name; a project must be built first (`lake build`).",
            )
        found += files
    return found


def _files(folder: Path, package: str) -> Iterator[ModuleFile]:
    root = folder / f"{package}{SUFFIX}"
    if root.is_file():
        yield _file(package, root)
    for place, _, names in os.walk(folder / package):
        for name in names:
            path = Path(place, name)
            if path.suffix == SUFFIX and "." not in path.stem:  # not X.private.olean
                parts = path.relative_to(folder).with_suffix("").parts
                yield _file(".".join(parts), path)


def _file(name: str, path: Path) -> ModuleFile:
    status = path.stat()
    return ModuleFile(name, path, status.st_size, status.st_mtime_ns)
