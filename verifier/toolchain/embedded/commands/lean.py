"""The program ``lean``: answers what needs no Lean, and becomes Lean for the rest."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifier.toolchain.embedded import pins
from verifier.toolchain.embedded.commands.launch import (
    Access,
    absolute,
    become,
    node_command,
    project_folder,
    search_path,
)
from verifier.toolchain.embedded.commands.options import LeanOptions, UsageError, read_options
from verifier.toolchain.embedded.layout import EmbeddedLean, locate

FAILED = 1
TARGET = "wasm32-unknown-emscripten"
VERSION = f"Lean (version {pins.LEAN_VERSION}, {TARGET}, commit {pins.LEAN_COMMIT}, Release)"
HELP = f"""{VERSION}
usage: lean [options] FILE
  -h, --help             display this message
  -v, --version          display version information
  -V, --short-version    display short version number
  -g, --githash          display the commit of Lean's repository
      --features         display features of the compiler
      --run FILE ARG…    call the `main` definition in the file with the remaining arguments
  -o, --o=FILE           create olean file
  -i, --i=FILE           create ilean file
      --stdin            take input from stdin
  -R, --root=DIR         folder from which the module name is counted (default: current folder)
  -t, --trust=NUM        trust level (default: max)
  -q, --quiet            do not print verbose messages
  -M, --memory=NUM       maximum amount of memory that Lean should use (in megabytes)
  -T, --timeout=NUM      maximum number of memory allocations per task (in thousands)
  -j, --threads=NUM      accepted; one thread elaborates
  -s, --tstack=NUM       accepted; the stack has a fixed size
      --json             report messages as JSON (one per line)
  -E, --error=KIND       report messages of a kind as errors
      --deps             just print dependencies of a Lean input
      --src-deps         just print dependency sources of a Lean input
      --deps-json        just print the imports of the given files as JSON
      --print-prefix     print the installation prefix for Lean and exit
      --print-libdir     print the folder of Lean's library and exit
      --stats            display environment statistics
  -D NAME=VALUE          set a configuration option (see set_option command)
"""


def main(arguments: Sequence[str]) -> int:
    """Runs ``lean`` with arguments and returns its exit code, unless it becomes Lean."""
    try:
        options = read_options(arguments)
    except UsageError as error:
        return _usage(str(error))
    lean = locate()
    if lean is None:
        print("lean: the embedded Lean is not installed", file=sys.stderr)
        print("hint: run `lemmata doctor --repair`", file=sys.stderr)
        return FAILED
    text = answer(options, lean)
    if text is not None:
        sys.stdout.write(text)
        return 0
    return _run(options, lean)


def answer(options: LeanOptions, lean: EmbeddedLean) -> str | None:
    """The answer to a question that needs no Lean, or ``None`` for another command line."""
    answers = (
        (options.help, HELP),
        (options.version, f"{VERSION}\n"),
        (options.short_version, f"{pins.LEAN_VERSION}\n"),
        (options.githash, f"{pins.LEAN_COMMIT}\n"),
        (options.features, "[]\n"),
        (options.print_prefix, f"{lean.root}\n"),
        (options.print_libdir, f"{lean.lib}\n"),
    )
    return next((text for wanted, text in answers if wanted), None)


def _run(options: LeanOptions, lean: EmbeddedLean) -> int:
    if options.file is None and not options.stdin:
        return _usage("Expected exactly one file name")
    if options.args and not (options.run or options.deps_json):
        return _usage("Expected exactly one file name")
    if options.file is not None and not options.stdin and (fault := _fault(Path(options.file))):
        print(f"uncaught exception: {fault}\n  file: {options.file}", file=sys.stderr)
        return FAILED
    become(node_command(lean, access_of(options), request_of(options)))


def access_of(options: LeanOptions) -> Access:
    """The folders that a command needs, and the files that it writes."""
    folders = list(search_path(os.environ.get("LEAN_PATH")))
    inputs = tuple(absolute(Path(name)) for name in _files(options))
    folders += map(project_folder, inputs)
    outputs = (_written(name) for name in (options.olean, options.ilean))
    written = tuple(Path(name) for name in outputs if name is not None)
    return Access(tuple(folders), inputs, written)


def _written(name: str | None) -> str | None:
    """The real path of a file to be written: Node compares real paths."""
    if name is None:
        return None
    path = Path(name)
    return str(path.parent.resolve() / path.name)


def _files(options: LeanOptions) -> list[str]:
    files = [options.file] if options.file is not None else []
    return files + list(options.args) if options.deps_json else files


def request_of(options: LeanOptions) -> dict[str, Any]:
    """What ``main.js`` is to do, files and folders apart."""
    return {
        "task": _task(options),
        "file": options.file,
        "shown": options.file or "<stdin>",
        "stdin": options.stdin,
        "files": _files(options),
        "args": list(options.args),
        "run": options.run,
        "json": options.json,
        "stats": options.stats,
        "root": options.root,
        "olean": _written(options.olean),
        "ilean": _written(options.ilean),
        "options": list(options.options) + (["verbose=false"] if options.quiet else []),
        "errorKinds": list(options.error_kinds),
        "memory": options.memory,
        "timeout": options.timeout,
        "trust": options.trust,
        "leanPath": os.pathsep.join(map(str, search_path(os.environ.get("LEAN_PATH")))),
    }


def _task(options: LeanOptions) -> str:
    if options.deps_json:
        return "deps-json"
    if options.deps:
        return "deps"
    return "src-deps" if options.src_deps else "check"


def _fault(file: Path) -> str:
    """Why a file cannot be read, in the words of native Lean, or nothing."""
    try:
        with file.open("rb"):
            return ""
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        return f"{words} (error code: {error.errno})"


def _usage(complaint: str) -> int:
    print(complaint, file=sys.stderr)
    sys.stderr.write(HELP)
    return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
