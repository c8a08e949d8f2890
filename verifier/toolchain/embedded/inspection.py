"""What is there of the embedded Lean, part by part, and whether it is what it should be."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from verifier.errors import ToolchainError
from verifier.toolchain.embedded import layout, pins, record
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.embedded.pins import Pin
from verifier.toolchain.embedded.record import Manifest

State = Literal["ok", "missing", "damaged"]

HOW_TO_GET = "run `lemmata doctor --repair`"
_NODE_START_LIMIT_S = 20.0


@dataclass(frozen=True)
class Component:
    """One part of the embedded Lean as it was found.

    Attributes:
        name: What the part is.
        state: Whether it can be used.
        path: Where it lies or should lie.
        detail: What was found there.
        remedy: How to get it; empty if it is fine.
    """

    name: str
    state: State
    path: Path
    detail: str
    remedy: str = ""


def inspect() -> list[Component]:
    """Look whether each file is there and has the right size: a fraction of a second."""
    return _examine(layout.installation_root(), _differs_in_size)


def verify_deep() -> list[Component]:
    """Compare the content of each file with what was installed: a second or a few."""
    return _examine(layout.installation_root(), _differs_in_content)


def node_version(lean: EmbeddedLean) -> str:
    """Start Node.js and return the version that it reports.

    Raises:
        ToolchainError: Node.js cannot be started, fails or does not answer in time.
    """
    try:
        answer = subprocess.run(
            [lean.node, "--version"],
            capture_output=True,
            text=True,
            check=True,
            timeout=_NODE_START_LIMIT_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainError(f"Node.js does not start: {error}", HOW_TO_GET) from error
    return answer.stdout.strip()


def _differs_in_size(path: Path, pin: Pin) -> bool:
    return path.stat().st_size != pin.size


def _differs_in_content(path: Path, pin: Pin) -> bool:
    return _differs_in_size(path, pin) or record.sha256_of(path) != pin.sha256


def _examine(root: Path, differs: Callable[[Path, Pin], bool]) -> list[Component]:
    files = set(record.list_files(root))
    manifest, record_component = _examine_record(root)
    parts = (
        (f"Node.js {pins.NODE_VERSION}", layout.NODE),
        ("Lean's JavaScript", layout.LEAN_JS),
        ("Lean's WebAssembly", layout.LEAN_WASM),
        ("Lean's library", layout.LIBRARY),
    )
    found = []
    for name, place in parts:
        expected = {file: pin for file, pin in manifest.items() if _lies_in(place, file)}
        present = {file for file in files if _lies_in(place, file)}
        if not present:
            found.append(Component(name, "missing", root / place, "not installed", HOW_TO_GET))
            continue
        faults = _faults(root, expected, present, differs)
        found.append(_component(name, root / place, faults, _extent(expected)))
    return [*found, record_component]


def _examine_record(root: Path) -> tuple[Manifest, Component]:
    name, path = "Installation record", root / layout.STAMP
    try:
        return record.read_record(root), Component(name, "ok", path, "agrees with the pins")
    except FileNotFoundError:
        return {}, Component(name, "missing", path, "not installed", HOW_TO_GET)
    except (ToolchainError, OSError) as error:
        return {}, Component(name, "damaged", path, str(error), HOW_TO_GET)


def _lies_in(place: str, file: str) -> bool:
    return file == place or file.startswith(f"{place}/")


def _faults(
    root: Path, expected: Manifest, present: set[str], differs: Callable[[Path, Pin], bool]
) -> list[str]:
    """List what is wrong with the files of one part, in the order of their names."""
    faults = {file: "missing" for file in expected.keys() - present}
    faults |= {file: "not part of the installation" for file in present - expected.keys()}
    for file in expected.keys() & present:
        try:
            if differs(root / file, expected[file]):
                faults[file] = "changed"
        except OSError as error:
            faults[file] = error.strerror or str(error)
    return [f"{file}: {fault}" for file, fault in sorted(faults.items())]


def _component(name: str, path: Path, faults: list[str], extent: str) -> Component:
    if not faults:
        return Component(name, "ok", path, extent)
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return Component(name, "damaged", path, faults[0] + more, HOW_TO_GET)


def _extent(files: Manifest) -> str:
    megabytes = sum(pin.size for pin in files.values()) / 1e6
    count = f"{len(files):,} files, " if len(files) > 1 else ""
    return f"{count}{megabytes:,.1f} MB"
