"""Finds the user's Lean: a setting, the project around a folder, or ``lean`` on the PATH.

Nothing is downloaded: a toolchain that a project asks for and that is not installed is an error
with the command that installs it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from verifier.errors import ToolchainError
from verifier.lean import ToolchainInfo
from verifier.toolchain.embedded.process import SessionLost
from verifier.toolchain.native.process import LeanProcess, kept_environment

SETTING = "LEMMATA_LEAN"
VERSION_SECONDS = 30.0
LAKE_SECONDS = 120.0
LAKE_FILES = ("lakefile.toml", "lakefile.lean")
TOOLCHAIN_FILE = "lean-toolchain"
FIRST_WITHOUT_KNOWN_BUGS = (4, 34)
OLDEST = (4, 20)
HOW_TO_SET = (
    f"Set {SETTING} to a `lean` program, a toolchain's folder or a Lake project, or run in a "
    "project that has a `lean-toolchain` file."
)
_VERSION = re.compile(r"Lean \(version ([^,\s)]+)(?:.*?commit ([0-9a-f]+))?")
_TELL_ENVIRONMENT = "import json, os; print(json.dumps(dict(os.environ)))"


@dataclass(frozen=True)
class NativeToolchain:
    """A Lean that can be started.

    Attributes:
        lean: The program.
        directory: Where it runs: the project's folder, or ``None`` outside of one.
        version: Such as ``4.35.0``. commit: Of Lean's repository, or empty.
        origin: How it was found, for a reader.
        wanted: What the project's ``lean-toolchain`` file says, or empty.
        environment: Its environment variables; in a Lake project those of ``lake env``.
    """

    lean: Path
    directory: Path | None
    version: str
    commit: str
    origin: str
    wanted: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def info(self) -> ToolchainInfo:
        """What a verdict says of it."""
        return ToolchainInfo("native", self.version, self.commit)

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor version."""
        return release(self.version)

    @property
    def differs_from_wanted(self) -> bool:
        """Whether the project asks for another version than the one that was found."""
        asked = re.search(r"\d+\.\d+\.\S*", self.wanted)
        return asked is not None and asked[0] != self.version


@dataclass(frozen=True)
class _Place:
    """Where a Lean was found, before it is asked for its version."""

    lean: Path
    origin: str
    project: Path | None = None
    lake: Path | None = None
    wanted: str = ""


def discover(folder: Path, setting: str = "", ask_lake: bool = True) -> NativeToolchain:
    """Finds the Lean of a folder.

    The order is: the setting; the nearest folder above with a Lake file or a ``lean-toolchain``;
    ``lean`` on the PATH.

    Args:
        folder: Where the user works.
        setting: A ``lean`` program, a toolchain's folder, or a project; empty for none.
        ask_lake: Whether a Lake project's search path is asked for, which takes as long as Lake
            needs to read the project; without it only modules of the toolchain are found.

    Raises:
        ToolchainError: There is none, it does not start, or its version cannot be read.
    """
    place = _from_setting(Path(setting).expanduser()) if setting else _from_folder(folder)
    if place is None:
        raise ToolchainError(f"no Lean was found for {folder}", HOW_TO_SET)
    environment = kept_environment()
    version, commit = read_version(place.lean, place.project or folder, environment)
    if release(version) < OLDEST:
        raise ToolchainError(
            f"{place.lean} is Lean {version}, and the oldest that can be used is 4.20",
            "Use a later toolchain for this project, or the embedded Lean.",
        )
    if ask_lake and place.project is not None and place.lake is not None:
        environment = lake_environment(place.lake, place.project, environment)
    return NativeToolchain(
        place.lean, place.project, version, commit, place.origin, place.wanted, environment
    )


def release(version: str) -> tuple[int, int]:
    """``4.35.0-rc1`` is release ``(4, 35)``.

    Raises:
        ToolchainError: The text is no version.
    """
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is None:
        raise ToolchainError(f"{version!r} is no version of Lean", HOW_TO_SET)
    return int(match[1]), int(match[2])


def read_version(
    lean: Path, directory: Path, environment: Mapping[str, str], seconds: float = VERSION_SECONDS
) -> tuple[str, str]:
    """Version and commit as ``lean --version`` tells them.

    Raises:
        ToolchainError: It does not start, does not answer in time, or says something else.
    """
    text = _output([str(lean), "--version"], directory, environment, seconds)
    match = _VERSION.search(text)
    if match is None:
        raise ToolchainError(f"{lean} does not tell its version: {text[:200]!r}", HOW_TO_SET)
    return match[1], match[2] or ""


def elan_home(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of elan, which need not exist."""
    source = os.environ if environment is None else environment
    return Path(source.get("ELAN_HOME") or Path.home() / ".elan")


def _from_setting(path: Path) -> _Place:
    if path.is_file():
        return _Place(_absolute(path), f"the setting {SETTING}")
    if (inside := _program(path / "bin", "lean")) is not None:
        return _Place(inside, f"the toolchain {path} of the setting {SETTING}")
    if path.is_dir() and (place := _from_project(path)) is not None:
        return place
    what = "holds neither a toolchain nor a project" if path.is_dir() else "does not exist"
    raise ToolchainError(f"the setting {SETTING}: {path} {what}", HOW_TO_SET)


def _from_folder(folder: Path) -> _Place | None:
    for project in (folder.resolve(), *folder.resolve().parents):
        if (place := _from_project(project)) is not None:
            return place
    lean = shutil.which("lean")
    return None if lean is None else _Place(Path(lean), "`lean` on the PATH")


def _from_project(project: Path) -> _Place | None:
    """The Lean of a project, or ``None`` when the folder is not one."""
    uses_lake = any((project / name).is_file() for name in LAKE_FILES)
    wanted = _wanted(project)
    if not uses_lake and not wanted:
        return None
    home = _installed(wanted) if wanted else None
    lean = _program(home / "bin", "lean") if home else _on_path("lean", wanted)
    if lean is None:
        raise ToolchainError(f"{project} is a Lean project, and no Lean was found", HOW_TO_SET)
    lake = (_program(lean.parent, "lake") or _on_path("lake", wanted)) if uses_lake else None
    if uses_lake and lake is None:
        raise ToolchainError(f"{project} is a Lake project, and there is no `lake`", HOW_TO_SET)
    kind = "Lake project" if uses_lake else "project"
    return _Place(lean, f"the {kind} {project}", project, lake, wanted)


def _wanted(project: Path) -> str:
    try:
        return (project / TOOLCHAIN_FILE).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _installed(wanted: str) -> Path | None:
    """The folder where elan has a toolchain, by the names that a ``lean-toolchain`` file gives."""
    name = wanted if ":" in wanted else f"leanprover/lean4:{wanted}"
    origin, _, tag = name.partition(":")
    tags = (tag, f"v{tag}")
    names = [f"{origin}:{t}".replace("/", "--").replace(":", "---") for t in tags]
    folders = (elan_home() / "toolchains" / n for n in (*names, wanted) if "/" not in n)
    return next((f for f in folders if _program(f / "bin", "lean")), None)


def _on_path(program: str, wanted: str) -> Path | None:
    """A program on the PATH; elan's own stand-in would download what is not installed."""
    found = shutil.which(program)
    if found is None:
        return None
    if wanted and Path(found).resolve().is_relative_to(elan_home().resolve()):
        raise ToolchainError(
            f"the toolchain {wanted} is not installed", f"Run `elan toolchain install {wanted}`."
        )
    return _absolute(Path(found))


def _program(folder: Path, name: str) -> Path | None:
    for file in (folder / name, folder / f"{name}.exe"):
        if file.is_file() and os.access(file, os.X_OK):
            return _absolute(file)
    return None


def _absolute(path: Path) -> Path:
    """Absolute, with links left as they are: elan's programs go by the name they are called."""
    return Path.cwd() / path


def lake_environment(lake: Path, project: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that ``lake env`` gives to a program: where modules are, among others."""
    command = [str(lake), "env", sys.executable, "-c", _TELL_ENVIRONMENT]
    text = _output(command, project, environment, LAKE_SECONDS)
    try:
        told = json.loads(text.strip().rpartition("\n")[2])
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise ToolchainError(
            f"`lake env` in {project} says: {text[:500]!r}", "Run `lake build` in the project."
        )
    return kept_environment({str(name): str(value) for name, value in told.items()})


def _output(
    command: Sequence[str], directory: Path, environment: Mapping[str, str], seconds: float
) -> str:
    """Standard output of a program that ends well.

    Raises:
        ToolchainError: It does not start, does not end in time, or fails.
    """
    said = " ".join(command[:2])
    try:
        with LeanProcess(command, directory, environment) as process:
            text = b"\n".join(process.lines(time.monotonic() + seconds)).decode("utf-8", "replace")
            if process.status() != 0:
                raise ToolchainError(f"`{said}` failed: {process.last_words()}", HOW_TO_SET)
            return text
    except SessionLost as lost:
        raise ToolchainError(f"`{said}`: {lost.message} ({seconds:.0f} s)", HOW_TO_SET) from lost
