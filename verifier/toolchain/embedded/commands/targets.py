"""What the targets of ``lake build`` mean: which modules they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from verifier.errors import InputError
from verifier.toolchain.embedded.commands.lakefile import Package
from verifier.toolchain.embedded.commands.launch import absolute
from verifier.toolchain.embedded.commands.workspace import Workspace

MODULE_FACETS = frozenset({"", "leanArts", "olean", "ilean", "deps"})


def default_targets(workspace: Workspace) -> tuple[str, ...]:
    """The default targets of the root package: those that it names, else all its libraries."""
    root = workspace.root
    return root.default_targets or tuple(library.name for library in root.libraries)


def modules_of(workspace: Workspace, targets: Iterable[str]) -> tuple[str, ...]:
    """The modules that targets stand for, each once.

    A target is a library, ``+Module`` or ``Module``, a source file, ``@package`` or
    ``package/target``; ``:olean`` and the like may follow.

    Raises:
        InputError: A target is unknown, or is a program, which cannot be built here.
    """
    return tuple(dict.fromkeys(name for target in targets for name in _modules(workspace, target)))


def _modules(workspace: Workspace, target: str) -> Iterator[str]:
    name, _, facet = target.partition(":")
    if facet not in MODULE_FACETS:
        raise InputError(
            f"unknown facet '{facet}' of the target '{name}'",
            f"The embedded Lean makes: {', '.join(sorted(MODULE_FACETS - {''}))}.",
        )
    if name.endswith(".lean"):
        return _of_file(workspace, name)
    package, name = _package(workspace, name)
    if package is not None and not name:
        libraries = package.default_targets or tuple(lib.name for lib in package.libraries)
        return (m for each in libraries for m in _in_packages(workspace, (package,), each))
    return _in_packages(workspace, workspace.packages if package is None else (package,), name)


def _package(workspace: Workspace, name: str) -> tuple[Package | None, str]:
    """The package that a target names, and what is left of the target."""
    wanted, slash, rest = name.partition("/")
    if not slash and not name.startswith("@"):
        return None, name
    wanted = wanted.removeprefix("@")
    for package in workspace.packages:
        if package.name == wanted:
            return package, rest
    raise InputError(f"unknown package '{wanted}'", "See the [[require]]s of the lakefile.toml.")


def _in_packages(workspace: Workspace, packages: tuple[Package, ...], name: str) -> Iterator[str]:
    for package in packages:
        for library in package.libraries:
            if library.name == name:
                return library.modules()
        if name in package.executables:
            raise InputError(
                f"{name} is a program, and the embedded Lean compiles none",
                "Run a file by `lake env lean --run FILE`, and build the libraries by name.",
            )
    module = name.removeprefix("+")
    if workspace.find(module) is not None:
        return iter((module,))
    raise InputError(f"unknown target '{name}'", "Name a library or a module of the workspace.")


def _of_file(workspace: Workspace, name: str) -> Iterator[str]:
    """The module whose source a file is."""
    path = absolute(Path(name))
    for package in workspace.packages:
        for library in package.libraries:
            folder = absolute(library.source)
            if path.is_relative_to(folder):
                module = ".".join(path.relative_to(folder).with_suffix("").parts)
                if library.owns(module):
                    return iter((module,))
    raise InputError(f"{name} is no module of the workspace", "Check the path.")
