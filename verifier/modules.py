"""Local Lean modules: find a file's imports, put them in order, elaborate them.

A module is local when the project that the file belongs to has it as a file; every other import
must come with the installation. Lean reads the headers; nothing here parses Lean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from verifier.errors import InputError
from verifier.lean import DeclaredAt, Environment, Lean, Message

PROJECT_MARKS = ("lakefile.toml", "lakefile.lean", "lean-toolchain")
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Module:
    """One module: its name, its text with LF line ends, and what its header says.

    Attributes:
        body_start: The byte of ``text`` at which the commands begin, behind the imports.
    """

    name: str
    text: str
    imports: tuple[str, ...]
    body_start: int
    path: Path


@dataclass(frozen=True)
class ModuleGraph:
    """A module with the local modules that it needs.

    Attributes:
        modules: In an order in which they compile; the asked-for module is the last.
        external: Imports that come with the installation.
        root: The folder from which module names are counted.
    """

    modules: tuple[Module, ...]
    external: tuple[str, ...]
    root: Path

    @property
    def target(self) -> Module:
        """The module that was asked for."""
        return self.modules[-1]


@dataclass(frozen=True)
class LoadedModule:
    """A module after its elaboration: what it declared, and what Lean said."""

    module: Module
    declared: tuple[DeclaredAt, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class LoadedGraph:
    """All modules elaborated, one upon the other."""

    environment: Environment
    modules: tuple[LoadedModule, ...]


def project_root(path: Path) -> Path:
    """The nearest folder above a file that is a Lean project, else the file's own folder."""
    for folder in path.resolve().parents:
        if any((folder / mark).is_file() for mark in PROJECT_MARKS):
            return folder
    return path.resolve().parent


def module_name(path: Path, root: Path) -> str:
    """``root/A/B.lean`` is the module ``A.B``."""
    return ".".join(path.resolve().relative_to(root).with_suffix("").parts)


def read_text(path: Path) -> str:
    """The text of a Lean file with LF line ends.

    Raises:
        InputError: The file is missing, unreadable or not UTF-8 text.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}", "Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder", "Name a .lean file in it.") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text: {error.reason} at byte {error.start}"
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if "\0" in text:
        raise InputError(f"{path} contains a NUL byte; it is not a Lean file")
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")


def read_graph(path: Path, lean: Lean, installed: Callable[[str], bool]) -> ModuleGraph:
    """Reads a file and, recursively, the local modules that it imports.

    Args:
        path: The .lean file.
        lean: Reads the headers.
        installed: Whether a module comes with the installation.

    Raises:
        InputError: A file is missing or unreadable, a header does not parse, an import is unknown,
            or imports form a cycle.
    """
    root = project_root(path)
    ordered: dict[str, Module] = {}
    external: dict[str, None] = {}

    def visit(file: Path, above: tuple[str, ...]) -> None:
        name = module_name(file, root)
        if name in above:
            raise InputError(f"imports form a cycle: {' -> '.join((*above, name))}")
        if name in ordered:
            return
        module = _read_module(file, name, lean)
        for wanted in module.imports:
            local = root.joinpath(*wanted.split(".")).with_suffix(".lean")
            if local.is_file():
                visit(local, (*above, name))
            elif installed(wanted):
                external.setdefault(wanted)
            else:
                raise _unknown_import(module, wanted, root)
        ordered[name] = module

    visit(path, ())
    return ModuleGraph(tuple(ordered.values()), tuple(external), root)


def load_graph(graph: ModuleGraph, lean: Lean) -> LoadedGraph:
    """Elaborates the modules of a graph in order.

    Raises:
        InputError: A module does not compile; the message gives file, line and Lean's words.
    """
    environment = Environment(graph.external or ("Init",))
    loaded: list[LoadedModule] = []
    for module in graph.modules:
        extension = lean.extend(environment, module.text, module.body_start)
        errors = [m for m in extension.messages if m.is_error]
        if errors:
            raise _does_not_compile(module, errors)
        environment = extension.environment
        loaded.append(LoadedModule(module, extension.declarations, extension.messages))
    return LoadedGraph(environment, tuple(loaded))


def line_of(text: str, byte: int) -> int:
    """The 1-based line of a byte offset."""
    return text.encode()[:byte].count(b"\n") + 1


def _read_module(path: Path, name: str, lean: Lean) -> Module:
    text = read_text(path)
    header = lean.header(text)
    errors = [m for m in header.messages if m.is_error]
    if errors:
        raise InputError(f"{path}:{errors[0].line}: the imports do not parse: {errors[0].text}")
    imports = tuple(dict.fromkeys(header.imports))
    return Module(name, text, imports, header.body_start, path)


def _unknown_import(module: Module, wanted: str, root: Path) -> InputError:
    return InputError(
        f"{module.path}: unknown import {wanted}",
        f"Neither {root} nor the Lean installation has it. The embedded Lean comes with Init, "
        "Std, Lean and Lake, and without Mathlib.",
    )


def _does_not_compile(module: Module, errors: list[Message]) -> InputError:
    shown = "\n".join(_positions(module.path, errors[:5]))
    more = f"\n({len(errors) - 5} more)" if len(errors) > 5 else ""
    return InputError(f"{module.path} does not compile:\n{shown}{more}", "Correct the file first.")


def _positions(path: Path, messages: list[Message]) -> Iterator[str]:
    for message in messages:
        yield f"{path.name}:{message.line}:{message.column}: {message.text}"
