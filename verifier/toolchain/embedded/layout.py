"""Where the embedded Lean lies, and the quick question whether it is there.

An installation is one folder, shaped like a native Lean::

    <cache>/embedded-lean/<pins>/bin/      node, lean.js, lean.wasm
                                 lib/lean/ Init.olean, ...
                                 manifest.json, stamp.json
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from verifier.toolchain.embedded import pins

CACHE_VARIABLE = "LEMMATA_CACHE"
STAMP = "stamp.json"
NODE = "bin/node.exe" if os.name == "nt" else "bin/node"
LEAN_JS = "bin/lean.js"
LEAN_WASM = "bin/lean.wasm"
LIBRARY = "lib/lean"
KEY_FILES = (NODE, LEAN_JS, LEAN_WASM, f"{LIBRARY}/Init.olean")


@dataclass(frozen=True)
class EmbeddedLean:
    """An installed embedded Lean.

    Attributes:
        root: The folder that holds it all.
        node: The Node.js program that runs it.
        lean_js: The slim JavaScript; ``lean.wasm`` lies beside it, where it looks for it.
        lean_wasm: Lean itself.
        lib: The folder of the compiled library, which holds ``Init.olean``.
        lean_version: The version of Lean.
        commit: The commit of Lean's repository that it was built from.
    """

    root: Path
    node: Path
    lean_js: Path
    lean_wasm: Path
    lib: Path
    lean_version: str = pins.LEAN_VERSION
    commit: str = pins.LEAN_COMMIT

    @classmethod
    def at(cls, root: Path) -> EmbeddedLean:
        """Describe the installation that lies in ``root``, without looking at it."""
        return cls(root, root / NODE, root / LEAN_JS, root / LEAN_WASM, root / LIBRARY)

    def has_module(self, name: str) -> bool:
        """Whether a module such as ``Std.Data.HashMap`` comes with the installation."""
        return self.lib.joinpath(*name.split(".")).with_suffix(".olean").is_file()


def cache_root() -> Path:
    """Return the folder of all embedded Leans, which need not exist.

    It lies in the folder that ``LEMMATA_CACHE`` names, else in the user's cache folder. Links are
    resolved, since Node's permission model compares real paths.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    base = Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("lemmata", False)
    return base.resolve() / "embedded-lean"


def installation_root() -> Path:
    """Return the folder of the installation that the pins ask for, which need not exist."""
    return cache_root() / pins.pins_digest()[:16]


def locate() -> EmbeddedLean | None:
    """Find the installation in a few milliseconds, or return None if it is missing or damaged.

    It trusts the stamp that the installer wrote last, and looks at the sizes of the main files
    only. `verifier.toolchain.embedded.inspection.inspect` looks at all of them.
    """
    root = installation_root()
    try:
        stamp = json.loads((root / STAMP).read_text("utf-8"))
        intact = stamp["pins"] == pins.pins_digest() and all(
            (root / name).stat().st_size == stamp["sizes"][name] for name in KEY_FILES
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None  # Whatever is wrong with it, an installation that cannot be read is none.
    return EmbeddedLean.at(root) if intact else None
