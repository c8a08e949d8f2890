"""A Lake workspace: a package with the packages that it requires."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verifier.errors import InputError
from verifier.toolchain.embedded import pins
from verifier.toolchain.embedded.commands.lakefile import Library, Package, read_package
from verifier.toolchain.embedded.commands.launch import absolute
from verifier.toolchain.embedded.layout import EmbeddedLean


@dataclass(frozen=True)
class Workspace:
    """All packages, the one that was asked for first.

    Attributes:
        packages: Each package once.
    """

    packages: tuple[Package, ...]

    @property
    def root(self) -> Package:
        """The package that was asked for."""
        return self.packages[0]

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The folders of .olean files, as ``LEAN_PATH`` has them."""
        return tuple(dict.fromkeys(package.output for package in self.packages))

    @property
    def sources(self) -> tuple[Path, ...]:
        """The folders of sources, as ``LEAN_SRC_PATH`` has them."""
        libraries = (library for package in self.packages for library in package.libraries)
        return tuple(dict.fromkeys(absolute(library.source) for library in libraries))

    def find(self, module: str) -> tuple[Package, Library] | None:
        """The package and the library that a module belongs to, if it is one of the workspace."""
        for package in self.packages:
            for library in package.libraries:
                if library.owns(module):
                    return package, library
        return None


def load_workspace(folder: Path) -> Workspace:
    """Reads a package and, recursively, those that it requires.

    Raises:
        InputError: A lakefile is missing or asks for what cannot be done here, or a required
            package has another name.
    """
    found: dict[str, Package] = {}
    pending = [("", absolute(folder))]
    while pending:
        wanted, place = pending.pop(0)
        package = read_package(place)
        if wanted and package.name != wanted:
            raise InputError(
                f"{place} is the package {package.name}, and {wanted} is required from there",
                "Correct the name or the path in the [[require]].",
            )
        if package.name not in found:
            found[package.name] = package
            pending += package.requires.items()
    return Workspace(tuple(found.values()))


def environment_of(
    workspace: Workspace | None, lean: EmbeddedLean, commands: Path, current: Mapping[str, str]
) -> dict[str, str]:
    """The variables under which ``lake env`` runs a program.

    Args:
        workspace: The workspace, or ``None`` outside of any.
        lean: The installation.
        commands: The folder of the executables, which comes first in ``PATH``.
        current: The variables there are.
    """
    variables = dict(current)
    variables |= {
        "LEAN": str(commands / "lean"),
        "LAKE": str(commands / "lake"),
        "LEAN_SYSROOT": str(lean.root),
        "LEAN_GITHASH": pins.LEAN_COMMIT,
        "PATH": _joined((commands,), current.get("PATH")),
    }
    if workspace is not None:
        variables["LEAN_PATH"] = _joined(workspace.outputs, current.get("LEAN_PATH"))
        variables["LEAN_SRC_PATH"] = _joined(workspace.sources, current.get("LEAN_SRC_PATH"))
    return variables


def _joined(folders: tuple[Path, ...], further: str | None) -> str:
    return os.pathsep.join([*map(str, folders), *([further] if further else [])])
