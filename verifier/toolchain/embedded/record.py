"""The record of an installation: a manifest of every file, and the stamp that completes it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from verifier.errors import ToolchainError
from verifier.progress import Progress
from verifier.toolchain.embedded import layout, pins
from verifier.toolchain.embedded.pins import Pin

MANIFEST = "manifest.json"

Manifest = Mapping[str, Pin]
"""Each file of an installation, by its path from the root with forward slashes."""


def list_files(root: Path) -> Iterator[str]:
    """Yield the path from ``root`` of every program, engine and library file below it."""
    for top in ("bin", "lib"):
        for folder, _, names in os.walk(root / top):
            for name in names:
                yield (Path(folder) / name).relative_to(root).as_posix()


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def take_manifest(root: Path, progress: Progress) -> Manifest:
    """Measure every file of the installation in ``root``; progress advances by bytes."""
    manifest = {}
    for name in sorted(list_files(root)):
        size = (root / name).stat().st_size
        manifest[name] = Pin(size, sha256_of(root / name))
        progress.advance(size)
    return manifest


def library_digest(manifest: Manifest) -> str:
    """Return one SHA-256 over the names and the contents of the library's files."""
    prefix = f"{layout.LIBRARY}/"
    library = sorted((name, pin) for name, pin in manifest.items() if name.startswith(prefix))
    lines = "".join(f"{pin.sha256}  {name}\n" for name, pin in library)
    return hashlib.sha256(lines.encode()).hexdigest()


def require_pinned(manifest: Manifest) -> None:
    """Compare a manifest with the pins.

    Node.js is left out: its files differ between platforms, and its wheel is pinned instead.

    Raises:
        ToolchainError: The manifest describes other files than the pins.
    """
    pinned = {
        layout.LEAN_JS: manifest.get(layout.LEAN_JS) == pins.SLIM_JS,
        layout.LEAN_WASM: manifest.get(layout.LEAN_WASM) == pins.LEAN_WASM,
        layout.LIBRARY: library_digest(manifest) == pins.LIBRARY_DIGEST,
    }
    others = [name for name, same in pinned.items() if not same]
    if others:
        raise ToolchainError(f"not the pinned files of the embedded Lean: {', '.join(others)}")


def write_record(root: Path, manifest: Manifest) -> None:
    """Write the manifest, then the stamp that declares the installation complete."""
    files = {name: [pin.size, pin.sha256] for name, pin in manifest.items()}
    text = json.dumps(files, indent=0)
    stamp = {
        "pins": pins.pins_digest(),
        "lean": pins.LEAN_VERSION,
        "commit": pins.LEAN_COMMIT,
        "node": pins.NODE_VERSION,
        "sizes": {name: manifest[name].size for name in layout.KEY_FILES},
        "manifest": hashlib.sha256(text.encode()).hexdigest(),
    }
    (root / MANIFEST).write_text(text, "utf-8", newline="\n")
    (root / layout.STAMP).write_text(json.dumps(stamp, indent=2), "utf-8", newline="\n")


def read_record(root: Path) -> Manifest:
    """Read the manifest of a complete installation.

    Raises:
        FileNotFoundError: The stamp or the manifest does not exist.
        ToolchainError: One of them is damaged, or they describe other files than the pins.
    """
    text = (root / MANIFEST).read_bytes()
    stamp_text = (root / layout.STAMP).read_bytes()
    try:
        stamp = json.loads(stamp_text)
        identity = stamp["pins"], stamp["manifest"]
        manifest = {name: Pin(size, digest) for name, (size, digest) in json.loads(text).items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ToolchainError("the record cannot be read") from error
    if identity != (pins.pins_digest(), hashlib.sha256(text).hexdigest()):
        raise ToolchainError("the record belongs to another installation")
    require_pinned(manifest)
    return manifest
