"""The library as a Lake package without its database, for those who want the Lean only."""

from __future__ import annotations

from pathlib import Path

from engine.library.contents import LAKEFILE, path_in
from engine.library.files import read_if_there, write_whole
from engine.library.library import Library
from engine.library.package import TOOLCHAIN
from verifier.errors import InputError


def export_package(library: Library, target: Path) -> list[Path]:
    """Writes the Lean files of a library, as the database says, into a new or empty folder.

    Returns:
        The files, relative to the folder.

    Raises:
        InputError: The folder is not empty, or is a file.
        StorageError: It could not be written.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} is not an empty folder", "Name a new folder with --to.")
    files = {path_in(Path(), module): text for module, text in library.contents.modules()}
    for name in (LAKEFILE, TOOLCHAIN):
        if (text := read_if_there(library.folder / name)) is not None:
            files[Path(name)] = text
    for path, text in files.items():
        write_whole(target / path, text)
    return sorted(files)
