"""The library without its database: as a Lake package, or as proofs for another checker."""

from __future__ import annotations

from pathlib import Path

import orjson

from engine.library.adoption import base_environment
from engine.library.contents import LAKEFILE, path_in
from engine.library.files import read_if_there, write_whole
from engine.library.library import Library
from engine.library.package import TOOLCHAIN
from engine.library.records import Adoption
from engine.library.render import lemma_commands
from verifier.errors import InputError
from verifier.kernel.format import VERSION
from verifier.progress import Progress
from verifier.session import Session

EXPORTER = {"name": "lemmata", "version": "1"}


def export_package(library: Library, target: Path) -> list[Path]:
    """Writes the Lean files of a library, as the database says, into a new or empty folder.

    Returns:
        The files, relative to the folder.

    Raises:
        InputError: The folder is not empty, or is a file.
        StorageError: It could not be written.
    """
    _require_empty(target)
    files = {path_in(Path(), module): text for module, text in library.contents.modules()}
    for name in (LAKEFILE, TOOLCHAIN):
        if (text := read_if_there(library.folder / name)) is not None:
            files[Path(name)] = text
    for path, text in files.items():
        write_whole(target / path, text)
    return sorted(files)


def export_proofs(
    library: Library, target: Path, session: Session, progress: Progress
) -> list[Path]:
    """Writes the proofs of each module, with all that they rest on, in lean4export's format.

    Each file can be checked by itself by any checker that reads the format. What Lean's library
    carries without a body stands as an axiom in it; ``assumed.json`` lists those.

    Args:
        library: Its lemmas are exported as the database has them.
        target: A new or empty folder.
        session: Elaborates them.
        progress: Advances by lemmas.

    Returns:
        The files, relative to the folder.

    Raises:
        InputError: The folder is not empty, or is a file.
        StorageError: It could not be written.
    """
    _require_empty(target)
    target.mkdir(parents=True, exist_ok=True)
    written: dict[Path, list[str]] = {}
    for adoption in library.contents.adoptions.values():
        if names := [record.name for record in library.store.lemmas(adoption.module)]:
            path = Path(f"{adoption.module}.ndjson")
            progress.stage(f"Exporting {adoption.module}", None)
            written[path] = _write_proofs(library, adoption, names, target / path, session)
    progress.done()
    listed = {path.name: assumed for path, assumed in written.items()}
    assumed = Path("assumed.json")
    write_whole(target / assumed, orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode() + "\n")
    return sorted([*written, assumed])


def _write_proofs(
    library: Library, adoption: Adoption, names: list[str], path: Path, session: Session
) -> list[str]:
    """Writes one module's proofs; returns what they assume of Lean's library."""
    environment = base_environment(library.store, library.contents, adoption, {})
    for record in library.store.lemmas(adoption.module):
        commands = lemma_commands(adoption.context, adoption.namespace, record.text)
        environment = environment.extended(commands)
    lean = session.toolchain
    meta = {
        "exporter": EXPORTER,
        "lean": {"version": lean.version, "githash": lean.commit},
        "format": {"version": VERSION},
    }
    assumed: list[str] = []
    text = [orjson.dumps({"meta": meta}).decode() + "\n"]
    for part in session.closure(environment, names):
        text.append(part.text)
        assumed += part.assumed
    write_whole(path, "".join(text))
    return sorted(assumed)


def _require_empty(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} is not an empty folder", "Name a new folder with --to.")
