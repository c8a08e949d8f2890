"""What exactly the embedded Lean is made of.

The publisher of the npm package is not the Lean project, so nothing is taken on trust: a file is
used only if it is the one that was examined when these pins were written. The downloads
themselves are pinned in ``node-requirements.txt`` and ``package-lock.json``.
"""

from __future__ import annotations

import hashlib
import sysconfig
from dataclasses import dataclass
from pathlib import Path

LEAN_VERSION = "4.28.0-pre"
LEAN_COMMIT = "38f3c0c45b8df6da2652faff6dcaa15afb5a6981"
NODE_VERSION = "24.19.0"

NODE_REQUIREMENTS = Path(__file__).with_name("node-requirements.txt")
NPM_PACKAGE = Path(__file__).with_name("package.json")
NPM_LOCK = Path(__file__).with_name("package-lock.json")


@dataclass(frozen=True)
class Pin:
    """The size in bytes and the SHA-256 of a file."""

    size: int
    sha256: str


LEAN_JS = Pin(89_496_071, "0baaafd5d088d288ec44ff57d5ced4146e95ff6ba975c19787fcfcd26f89f87d")
LEAN_WASM = Pin(137_434_848, "7ba15bd90d4ab6d8344a9662d6fd190f8326c9b6a79bbd935ef26c4063dbba02")
LEAN_LIBRARY = Pin(98_274_498, "b8e0434fe207e25b2c9d3af280bfbaf8a6db0451d381c52196553262ede18453")

# What is made of them: a change of slim.py comes with a new pin, and so with a new installation.
SLIM_JS = Pin(731_585, "b6ae2233879d9692e0ddd7b486c1238c6ed061ab7c139a9b050a8456a57faa5d")
# The digest of the listing that `record.library_digest` makes of the unpacked library.
LIBRARY_DIGEST = "601541e62bd1118de249922f4e8e8b3e48e7b6794fa7d23f1a035a6cf5f2b68d"

NEEDED_BYTES = 1_000_000_000
"""Free disk that an installation needs while it is made: 0.7 GB, and 0.2 GB in client caches."""


def pins_digest() -> str:
    """Return one SHA-256 over every pin and the platform: the identity of an installation."""
    files = (LEAN_JS, LEAN_WASM, LEAN_LIBRARY, SLIM_JS)
    parts = [sysconfig.get_platform(), LIBRARY_DIGEST, *(pin.sha256 for pin in files)]
    parts += [path.read_text("utf-8") for path in (NODE_REQUIREMENTS, NPM_PACKAGE, NPM_LOCK)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
