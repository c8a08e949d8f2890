"""Reads a ``lakefile.toml``: the part of Lake's configuration that the embedded Lean can follow."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.errors import InputError

LAKEFILE = "lakefile.toml"
LEAN_LAKEFILE = "lakefile.lean"
ONLY_SUBMODULES = ".+"
WITH_SUBMODULES = ".*"


@dataclass(frozen=True)
class Settings:
    """What Lean is told for the modules of a package or library.

    Attributes:
        options: Settings ``name=value``.
        arguments: Further arguments of ``lean``.
    """

    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    def __add__(self, other: Settings) -> Settings:
        return Settings(self.options + other.options, self.arguments + other.arguments)


@dataclass(frozen=True)
class Library:
    """A ``[[lean_lib]]``.

    Attributes:
        name: Its name, which is also its target.
        source: The folder from which its module names count.
        roots: Modules below which its modules lie.
        globs: What is built for it: ``A``, ``A.*`` (A and below) or ``A.+`` (below A).
        settings: What Lean is told for its modules.
    """

    name: str
    source: Path
    roots: tuple[str, ...]
    globs: tuple[str, ...]
    settings: Settings

    def owns(self, module: str) -> bool:
        """Whether a module belongs to the library."""
        return any(is_below(module, root) for root in self.roots) or any(
            _matches(module, glob) for glob in self.globs
        )

    def file_of(self, module: str) -> Path:
        """Where the source of a module lies or would lie."""
        return self.source.joinpath(*module.split(".")).with_suffix(".lean")

    def modules(self) -> Iterator[str]:
        """The modules that are built for the library, in the order of its globs."""
        for glob in self.globs:
            base = glob.removesuffix(ONLY_SUBMODULES).removesuffix(WITH_SUBMODULES)
            if not glob.endswith(ONLY_SUBMODULES):
                yield base
            if base != glob:
                yield from self._below(base)

    def _below(self, base: str) -> Iterator[str]:
        folder = self.source.joinpath(*base.split("."))
        files = (file.relative_to(self.source) for file in folder.rglob("*.lean"))
        yield from sorted(".".join(file.with_suffix("").parts) for file in files)


@dataclass(frozen=True)
class Package:
    """A Lake package.

    Attributes:
        name: Its name.
        folder: Where its lakefile lies.
        build: The folder of all that is built.
        output: The folder of its .olean files.
        libraries: Its libraries.
        executables: Names of its executables, which cannot be built here.
        default_targets: What ``lake build`` builds.
        requires: Folders of the packages that it needs, by name.
    """

    name: str
    folder: Path
    build: Path
    output: Path
    libraries: tuple[Library, ...]
    executables: tuple[str, ...]
    default_targets: tuple[str, ...]
    requires: Mapping[str, Path]

    def olean_of(self, module: str) -> Path:
        """Where the .olean file of a module lies or would lie."""
        return self.output.joinpath(*module.split(".")).with_suffix(".olean")


def is_below(module: str, root: str) -> bool:
    """Whether a module is a root or lies below it."""
    return module == root or module.startswith(f"{root}.")


def read_package(folder: Path) -> Package:
    """Reads the lakefile of a package.

    Raises:
        InputError: There is none, it is no TOML, or it asks for what cannot be done here.
    """
    table = _read_toml(folder)
    name = _text(table, "name", folder.name)
    build = folder / _text(table, "buildDir", ".lake/build")
    common = _settings(table)
    source = folder / _text(table, "srcDir", ".")
    libraries = tuple(_library(entry, source, common) for entry in _tables(table, "lean_lib"))
    return Package(
        name=name,
        folder=folder,
        build=build,
        output=build / _text(table, "leanLibDir", "lib/lean"),
        libraries=libraries,
        executables=tuple(_text(entry, "name", "") for entry in _tables(table, "lean_exe")),
        default_targets=_texts(table, "defaultTargets"),
        requires=dict(_requirement(entry, folder) for entry in _tables(table, "require")),
    )


def _read_toml(folder: Path) -> dict[str, Any]:
    path = folder / LAKEFILE
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise _no_lakefile(folder) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}", "Correct the file.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _no_lakefile(folder: Path) -> InputError:
    if (folder / LEAN_LAKEFILE).is_file():
        return InputError(
            f"{folder / LEAN_LAKEFILE} is a program, which the embedded Lean cannot run",
            f"Write the configuration as {LAKEFILE} (a native Lake can: `lake translate-config "
            "toml`).",
        )
    return InputError(
        f"{folder} has no {LAKEFILE}", "Go to a Lean project, or name one with `lake -d DIR`."
    )


def _library(table: dict[str, Any], source: Path, common: Settings) -> Library:
    name = _text(table, "name", "")
    if not name:
        raise InputError("a [[lean_lib]] has no name", f"Give it one in the {LAKEFILE}.")
    roots = _texts(table, "roots") or (name,)
    return Library(
        name=name,
        source=source / _text(table, "srcDir", "."),
        roots=roots,
        globs=_texts(table, "globs") or roots,
        settings=common + _settings(table),
    )


def _requirement(table: dict[str, Any], folder: Path) -> tuple[str, Path]:
    name = _text(table, "name", "")
    path = table.get("path")
    if isinstance(path, str):
        return name, (folder / path).resolve()
    raise InputError(
        f"{folder / LAKEFILE} requires {name} from another place, which is not fetched here",
        f'Get it yourself and name its folder: path = "../{name}" in its [[require]].',
    )


def _settings(table: dict[str, Any]) -> Settings:
    return Settings(
        tuple(_options(table.get("leanOptions", ()))),
        _texts(table, "moreLeanArgs") + _texts(table, "weakLeanArgs"),
    )


def _options(value: Any, prefix: str = "") -> Iterator[str]:
    """``name=value`` for each option, from a table of them or from an array of pairs."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(inner, Mapping):
                yield from _options(inner, f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}={_option_text(inner)}"
        return
    for entry in value:
        yield f"{entry['name']}={_option_text(entry['value'])}"


def _option_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _matches(module: str, glob: str) -> bool:
    if glob.endswith(ONLY_SUBMODULES):
        return module.startswith(glob.removesuffix("+"))
    return is_below(module, glob.removesuffix(WITH_SUBMODULES)) and (
        glob.endswith(WITH_SUBMODULES) or module == glob
    )


def _text(table: dict[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise InputError(f"{key} is not a text in the {LAKEFILE}", "Correct the file.")
    return value


def _texts(table: dict[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise InputError(f"{key} is not an array of texts in the {LAKEFILE}", "Correct the file.")
    return tuple(value)


def _tables(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = table.get(key, [])
    if not (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
        raise InputError(f"{key} is not an array of tables in the {LAKEFILE}", "Correct the file.")
    return value
