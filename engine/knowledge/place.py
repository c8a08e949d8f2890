"""Where the knowledge base of a Lean lies."""

from __future__ import annotations

import hashlib
from pathlib import Path

from engine.settings import Settings
from verifier.reading.libraries import EMBEDDED
from verifier.toolchain.embedded.layout import cache_root, installation_root
from verifier.toolchain.native.discovery import NativeToolchain


def base_folder(settings: Settings, toolchain: NativeToolchain | None = None) -> Path:
    """The folder of the knowledge base of a toolchain; of the embedded one without any.

    A base belongs to one Lean: names and statements of another differ.
    """
    if toolchain is None or toolchain.origin == EMBEDDED:
        name = f"embedded-{installation_root().name}"
    else:
        told = f"{toolchain.lean}\0{toolchain.version}\0{toolchain.commit}"
        name = f"native-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    chosen = Path(settings.knowledge).expanduser() if settings.knowledge else None
    return (chosen or cache_root().parent / "knowledge") / name
