"""``lemmata doctor``: what there is to work with, what is missing, and how to get it."""

from __future__ import annotations

import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.errors import ExitCode, ToolchainError

if TYPE_CHECKING:
    from rich.text import Text

    from verifier.toolchain.embedded.inspection import Component

ONE_KERNEL = "LEMMATA_SECOND_KERNEL is off: results rest on one kernel, and their labels say so."
_STYLES = {"ok": "green", "missing": "yellow", "damaged": "red"}


@dataclass(frozen=True)
class Native:
    """The user's own Lean as it was found from the current folder.

    Attributes:
        version: Its version.
        lean: The program.
        origin: How it was found.
        wanted: What the project's ``lean-toolchain`` file asks for.
        confined: Whether its processes are kept from changing anything outside.
        problem: Why there is none, and what to do; then the rest is empty.
    """

    version: str = ""
    lean: Path | None = None
    origin: str = ""
    wanted: str = ""
    confined: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Report:
    """What the doctor found.

    Attributes:
        ok: Whether the embedded Lean can be used.
        python: The version of Python that runs Lemmata.
        python_path: The Python program.
        platform: The operating system and processor.
        cache: The folder of the embedded Lean.
        free_bytes: The free space of its disk.
        lean_version: The version of the embedded Lean.
        lean_commit: The commit that it was built from.
        components: Its parts as they were found.
        second_kernel: The kernel that replays proofs, or ``None`` where it is switched off.
        native: The user's own Lean, which nothing else depends on.
        warnings: What the user should know though nothing is broken.
    """

    ok: bool
    python: str
    python_path: Path
    platform: str
    cache: Path
    free_bytes: int
    lean_version: str
    lean_commit: str
    components: list[Component]
    second_kernel: Component | None
    native: Native
    warnings: list[str]


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Install what is missing or damaged.")
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Compare every byte, not only the sizes.")
    ] = False,
) -> None:
    """Show whether Lean can run here, what is missing and how to get it.

    Exits with 0 if all is well, and with 4 if a part of Lean, or the second kernel, is missing or
    damaged.
    """
    if repair:
        from engine.cli.progress import terminal_progress
        from verifier.toolchain.embedded import install

        install.repair(terminal_progress())
    report = examine(deep)
    if json:
        _print_json(report)
    else:
        _print_text(report)
    raise typer.Exit(ExitCode.OK if report.ok else ExitCode.TOOLCHAIN)


def examine(deep: bool) -> Report:
    """Look at this machine and at the embedded Lean; change nothing.

    Args:
        deep: Whether to compare the content of files, which takes seconds, or only their sizes.
    """
    from verifier.toolchain.embedded import inspection, layout, pins

    components = inspection.verify_deep() if deep else inspection.inspect()
    if all(component.state == "ok" for component in components):
        components.append(_start_node())
    cache = layout.cache_root()
    free = _free_bytes(cache)
    installed = all(component.state == "ok" for component in components)
    second = _second_kernel(deep)
    native, native_warnings = _native()
    return Report(
        ok=installed and (second is None or second.state == "ok"),
        python=platform.python_version(),
        python_path=Path(sys.executable),
        platform=platform.platform(),
        cache=cache,
        free_bytes=free,
        lean_version=pins.LEAN_VERSION,
        lean_commit=pins.LEAN_COMMIT,
        components=components,
        second_kernel=second,
        native=native,
        warnings=[
            *_space_warnings(free, installed),
            *([ONE_KERNEL] if second is None else []),
            *_soundness_warnings("The embedded Lean", pins.LEAN_VERSION),
            *native_warnings,
        ],
    )


def _second_kernel(deep: bool) -> Component | None:
    from engine.settings import load_settings
    from verifier.kernel.second import inspect

    return inspect(deep) if load_settings().second_kernel == "on" else None


def _native() -> tuple[Native, list[str]]:
    """The user's Lean, and what there is to say of it."""
    from engine.settings import load_settings
    from verifier.toolchain.native import confine
    from verifier.toolchain.native.discovery import discover

    try:
        found = discover(Path.cwd(), load_settings().lean, ask_lake=False)
        warnings = _soundness_warnings("Your own Lean", found.version)
    except ToolchainError as error:
        return Native(problem=f"{error.message}. {error.hint}"), []
    is_confined = confine.version() > 0
    if found.differs_from_wanted:
        warnings.append(f"The project asks for {found.wanted}; {found.lean} is {found.version}.")
    if not is_confined:
        warnings.append(
            "Your own Lean has no sandbox here: a theory that it elaborates can run programs "
            "with your rights."
        )
    return Native(found.version, found.lean, found.origin, found.wanted, is_confined), warnings


def _start_node() -> Component:
    from verifier.toolchain.embedded import inspection, layout, pins

    lean = layout.EmbeddedLean.at(layout.installation_root())
    name, remedy = "Node.js start", inspection.HOW_TO_GET
    try:
        version = inspection.node_version(lean)
    except ToolchainError as error:
        return inspection.Component(name, "damaged", lean.node, error.message, remedy)
    if version != f"v{pins.NODE_VERSION}":
        return inspection.Component(name, "damaged", lean.node, f"reports {version}", remedy)
    return inspection.Component(name, "ok", lean.node, version)


def _free_bytes(folder: Path) -> int:
    """Return the free space of the disk where a folder is, or where it would be made."""
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    return shutil.disk_usage(existing).free


def _space_warnings(free: int, installed: bool) -> list[str]:
    from verifier.toolchain.embedded.pins import NEEDED_BYTES

    if installed or free >= NEEDED_BYTES:
        return []
    return [f"Installing Lean takes {NEEDED_BYTES / 1e9:.1f} GB of disk, more than is free."]


def _soundness_warnings(which: str, lean_version: str) -> list[str]:
    from verifier.toolchain.native.discovery import FIRST_WITHOUT_KNOWN_BUGS, release

    if release(lean_version) >= FIRST_WITHOUT_KNOWN_BUGS:
        return []
    return [
        f"{which}, {lean_version}, is older than 4.34 and has known soundness bugs in its kernel. "
        "Each result names the toolchain that checked it, and a later Lean can check it again."
    ]


def _print_json(report: Report) -> None:
    import orjson

    typer.echo(orjson.dumps(report, default=str, option=orjson.OPT_INDENT_2))


def _print_text(report: Report) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    lines = [
        Text(f"Python {report.python}  {report.python_path}  ({report.platform})"),
        Text(f"Lean {report.lean_version}  embedded, commit {report.lean_commit}"),
        Text(_native_line(report.native)),
        Text(f"Disk {report.free_bytes / 1e9:.1f} GB free  {report.cache}"),
        Text(),
        *(_component_line(component) for component in report.components),
        *([_component_line(report.second_kernel)] if report.second_kernel else []),
        Text(),
        *(Text.assemble(("warning", "yellow"), f"  {warning}") for warning in report.warnings),
    ]
    for line in lines:
        console.print(line)


def _native_line(native: Native) -> str:
    if native.problem:
        return f"Lean of your own: {native.problem}"
    return f"Lean {native.version}  native, {native.lean}, found through {native.origin}"


def _component_line(component: Component) -> Text:
    from rich.text import Text

    remedy = f"; {component.remedy}" if component.remedy else ""
    return Text.assemble(
        (f"{component.state:<9}", _STYLES[component.state]),
        f"{component.name:<22}{component.detail}{remedy}  {component.path}",
    )
