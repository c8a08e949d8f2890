"""Compiled libraries: those of a toolchain, embedded or the user's own, and Lake projects."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from verifier.errors import InputError, ToolchainError
from verifier.progress import Progress
from verifier.reading.files import ModuleFile, module_files
from verifier.toolchain.embedded.layout import installation_root
from verifier.toolchain.embedded.process import SessionLost
from verifier.toolchain.native.discovery import LAKE_FILES, NativeToolchain, lake_environment
from verifier.toolchain.native.process import LeanProcess

LIBRARY = "lean"
"""The name of the libraries that come with a toolchain."""
EMBEDDED = "embedded"
"""The origin of the embedded toolchain."""
PACKAGES = ("Init", "Std")
BUILD_SECONDS = 3600.0
_BUILT = Path(".lake", "build", "lib")
_SAID = 3000  # characters of what a build says that an error repeats


@dataclass(frozen=True)
class CompiledLibrary:
    """Compiled modules that belong together: libraries of a toolchain, or a project.

    Attributes:
        name: ``lean``, or the folder of the project.
        toolchain: The Lean that reads them; it finds them by its search path.
        imports: What is loaded to reach them.
        files: All of them.
        documents: Their source files, by module, as far as those are known.
        trusted: Whether they are taken as they are; otherwise Lean says what axioms each
            declaration rests on.
    """

    name: str
    toolchain: NativeToolchain
    imports: tuple[str, ...]
    files: tuple[ModuleFile, ...]
    documents: Mapping[str, Path] = field(default_factory=dict)
    trusted: bool = True


def embedded_toolchain(progress: Progress) -> NativeToolchain:
    """The embedded Lean as a ``lean`` command, installed if need be.

    Raises:
        ToolchainError: It cannot be installed.
    """
    from verifier.toolchain.embedded.commands.scripts import ensure_commands
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.toolchain.native.process import kept_environment

    lean = ensure_installed(progress)
    program = ensure_commands() / "lean"
    return NativeToolchain(
        program, None, lean.lean_version, lean.commit, EMBEDDED, "", kept_environment()
    )


def toolchain_library(
    toolchain: NativeToolchain, packages: tuple[str, ...] = PACKAGES
) -> CompiledLibrary:
    """The libraries of a toolchain.

    Raises:
        InputError: A package is not among them.
        ToolchainError: The toolchain does not say where they lie.
    """
    folder = library_folder(toolchain)
    files = tuple(module_files(folder, packages))
    return CompiledLibrary(LIBRARY, toolchain, tuple(f.name for f in files), files)


def library_folder(toolchain: NativeToolchain) -> Path:
    """The folder of a toolchain's compiled modules.

    Raises:
        ToolchainError: It does not say.
    """
    if toolchain.origin == EMBEDDED:
        return installation_root() / "lib" / "lean"
    try:
        with LeanProcess(
            [str(toolchain.lean), "--print-prefix"],
            toolchain.directory or Path(),
            toolchain.environment,
        ) as process:
            lines = list(process.lines(time.monotonic() + 60))
    except SessionLost as lost:
        raise ToolchainError(f"`lean --print-prefix`: {lost.message}") from lost
    folder = Path(lines[-1].decode("utf-8", "replace").strip() if lines else "") / "lib" / "lean"
    if not folder.is_dir():
        raise ToolchainError(
            f"{toolchain.lean} says that its library is at {folder}, and nothing is there"
        )
    return folder


def project_library(path: Path, toolchain: NativeToolchain, progress: Progress) -> CompiledLibrary:
    """A Lake project, or the one around a file.

    With the embedded Lean it is built first, which takes seconds for what has changed. A native
    project is built by its user: that may fetch its dependencies.

    Args:
        path: The project's folder, or something in it.
        toolchain: The Lean that reads it.
        progress: Watches the build.

    Raises:
        InputError: There is no project, or it is not built and cannot be.
        ToolchainError: Lake does not run.
    """
    project = _project_of(path)
    lake = toolchain.lean.with_name("lake")
    environment = lake_environment(lake, project, toolchain.environment)
    placed = replace(toolchain, directory=project, environment=environment)
    if toolchain.origin == EMBEDDED:
        progress.stage(f"building {project.name}", None)
        _build(placed, lake, project)
    files = tuple(_project_files(project))
    if not files:
        raise InputError(f"{project} has no compiled module", "Run `lake build` there.")
    documents = {f.name: _document(project, f.name) for f in files}
    known = {name: document for name, document in documents.items() if document.is_file()}
    imports = tuple(f.name for f in files)
    return CompiledLibrary(str(project), placed, imports, files, known, trusted=False)


def _project_of(path: Path) -> Path:
    if not path.exists():
        raise InputError(f"{path} does not exist", "Give the folder of a Lake project.")
    start = path.resolve()
    for folder in (start, *start.parents):
        if any((folder / name).is_file() for name in LAKE_FILES):
            return folder
    raise InputError(
        f"{path} is not in a Lake project",
        "Put a lakefile.toml beside it; `lean_project/` has an example.",
    )


def _build(toolchain: NativeToolchain, lake: Path, project: Path) -> None:
    deadline = time.monotonic() + BUILD_SECONDS
    try:
        with LeanProcess([str(lake), "build"], project, toolchain.environment) as process:
            said = b"\n".join(process.lines(deadline)).decode("utf-8", "replace")
            failed = process.status() != 0
            words = process.last_words() if failed else ""
    except SessionLost as lost:
        raise ToolchainError(f"`lake build` in {project}: {lost.message}") from lost
    if failed:
        raise InputError(
            f"{project} does not build:\n{said[-_SAID:]}\n{words}".strip(),
            "Correct the errors and repeat the command.",
        )


def _project_files(project: Path) -> list[ModuleFile]:
    for folder in (project / _BUILT / "lean", project / _BUILT):
        if folder.is_dir():
            roots = {p.stem if p.suffix == ".olean" else p.name for p in folder.iterdir()}
            packages = sorted(name for name in roots if name.isidentifier() or "." not in name)
            built = [p for p in packages if _has_modules(folder, p)]
            return module_files(folder, built)
    return []


def _has_modules(folder: Path, package: str) -> bool:
    root = folder / f"{package}.olean"
    return root.is_file() or next((folder / package).rglob("*.olean"), None) is not None


def _document(project: Path, module: str) -> Path:
    return project.joinpath(*module.split(".")).with_suffix(".lean")
