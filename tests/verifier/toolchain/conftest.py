"""Fixtures for the embedded Lean that need neither a network nor Lean."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from verifier.progress import SilentProgress
from verifier.toolchain.embedded import clients, layout, pins, record
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.embedded.slim import derive_slim

sys.path.insert(0, str(Path(__file__).parent))  # the import mode of pytest leaves it out

from made_up_lean import LEAN_JS, LEAN_WASM, LIBRARY, NODE, PACKED_LIBRARY, Registries, pin_of


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, with pins that ask for the made-up files."""
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(pins, "LEAN_JS", pin_of(LEAN_JS.encode()))
    monkeypatch.setattr(pins, "LEAN_WASM", pin_of(LEAN_WASM))
    monkeypatch.setattr(pins, "LEAN_LIBRARY", pin_of(PACKED_LIBRARY))
    monkeypatch.setattr(pins, "SLIM_JS", pin_of(derive_slim(LEAN_JS).encode()))
    library = {f"{layout.LIBRARY}/{name}": pin_of(content) for name, content in LIBRARY.items()}
    monkeypatch.setattr(pins, "LIBRARY_DIGEST", record.library_digest(library))
    return layout.cache_root()


@pytest.fixture
def installation(cache: Path) -> EmbeddedLean:
    """A complete installation of the made-up files."""
    lean = EmbeddedLean.at(layout.installation_root())
    contents = {
        lean.node: NODE.encode(),
        lean.lean_js: derive_slim(LEAN_JS).encode(),
        lean.lean_wasm: LEAN_WASM,
    }
    contents |= {lean.lib / name: content for name, content in LIBRARY.items()}
    for path, content in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    lean.node.chmod(0o755)
    record.write_record(lean.root, record.take_manifest(lean.root, SilentProgress()))
    return lean


@pytest.fixture
def registries(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Registries:
    """Registries that serve the made-up files at once."""
    served = Registries()
    monkeypatch.setattr(clients, "fetch_node_wheel", served.fetch_node_wheel)
    monkeypatch.setattr(clients, "fetch_lean_package", served.fetch_lean_package)
    return served
