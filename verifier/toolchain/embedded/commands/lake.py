"""The program ``lake``: builds the workspace of a ``lakefile.toml`` with the embedded Lean."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from verifier.errors import InputError, LemmataError, ToolchainError
from verifier.toolchain.embedded import pins
from verifier.toolchain.embedded.commands.build import Builder, Lean, Outcome, Source
from verifier.toolchain.embedded.commands.lakefile import LAKEFILE, LEAN_LAKEFILE
from verifier.toolchain.embedded.commands.scripts import ensure_commands
from verifier.toolchain.embedded.commands.targets import default_targets, modules_of
from verifier.toolchain.embedded.commands.workspace import (
    Workspace,
    environment_of,
    load_workspace,
)
from verifier.toolchain.embedded.layout import EmbeddedLean, locate

FAILED = 1
INTERRUPTED = 130
NOT_FOUND = 127
NOT_EXECUTABLE = 126
TAKING_ALL = ("env", "exe", "exec", "lean")
IGNORED_OPTIONS = ("-v", "--verbose", "--ansi", "--no-ansi")
SHOWN_VARIABLES = (
    "LEAN",
    "LAKE",
    "LEAN_SYSROOT",
    "LEAN_GITHASH",
    "LEAN_PATH",
    "LEAN_SRC_PATH",
    "PATH",
)
VERSION = f"Lake version 5.0.0-lemmata (Lean version {pins.LEAN_VERSION})"
HELP = f"""{VERSION}
usage: lake [-d DIR] COMMAND

  build [TARGET...]      build modules: libraries, or +Module; default: the default targets
  env [CMD [ARG...]]     run a command in the environment of the workspace, or show it
  lean FILE [-- ARG...]  build what a file imports, then elaborate it
  clean                  remove what was built
  --version              print the version

Packages with a lakefile.toml and local [[require]]s are understood; nothing is fetched.
"""


@dataclass(frozen=True)
class Call:
    """A command line of ``lake``.

    Attributes:
        folder: The folder of the package.
        command: What to do, or an empty text.
        arguments: What stands behind the command.
        quiet: Whether progress is left out.
    """

    folder: Path
    command: str
    arguments: tuple[str, ...]
    quiet: bool = False


def main(arguments: Sequence[str]) -> int:
    """Runs ``lake`` with arguments and returns its exit code."""
    try:
        code = run(read_call(arguments))
        sys.stdout.flush()
        return code
    except LemmataError as error:
        print(f"error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # nobody reads any more, and closing must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def read_call(arguments: Sequence[str]) -> Call:
    """Reads a command line, without the name of the program.

    Raises:
        InputError: An option is unknown.
    """
    folder, quiet = Path(), False
    words: list[str] = []
    pending = list(arguments)
    while pending:
        word = pending.pop(0)
        if words and words[0] in TAKING_ALL:
            words += [word, *pending]
            break
        if word in ("-d", "--dir"):
            if not pending:
                raise InputError(f"missing argument for {word}")
            folder = Path(pending.pop(0))
        elif word.startswith("--dir="):
            folder = Path(word.removeprefix("--dir="))
        elif word in ("-q", "--quiet"):
            quiet = True
        elif word in ("-h", "--help", "--version") or not word.startswith("-"):
            words.append(word)
        elif word not in IGNORED_OPTIONS:
            raise InputError(f"unknown option {word}", "See `lake --help`.")
    command, *rest = words or [""]
    return Call(folder, command, tuple(rest), quiet)


def run(call: Call) -> int:
    """Does what was asked for and returns the exit code.

    Raises:
        LemmataError: It cannot be done.
    """
    commands = {
        "build": build,
        "env": env,
        "lean": lean_file,
        "clean": clean,
        "update": update,
        "exe": exe,
        "exec": exe,
        "cache": exe,
    }
    if call.command in ("", "-h", "--help", "help"):
        sys.stdout.write(HELP)
        return 0 if call.command else FAILED
    if call.command in ("--version", "version"):
        print(VERSION)
        return 0
    if call.command not in commands:
        raise InputError(f"unknown command '{call.command}'", "See `lake --help`.")
    return commands[call.command](call)


def env(call: Call) -> int:
    """``lake env``: becomes the command, or prints the variables."""
    lean, commands = installed(), ensure_commands()
    variables = environment_of(_workspace_if_any(call.folder), lean, commands, os.environ)
    if not call.arguments:
        for name in SHOWN_VARIABLES:
            print(f"{name}={variables.get(name, '')}")
        return 0
    program = shutil.which(call.arguments[0], path=variables["PATH"])
    if program is None:
        print(f"could not execute external process '{call.arguments[0]}'", file=sys.stderr)
        return NOT_FOUND
    try:
        os.execve(program, list(call.arguments), variables)
    except OSError as error:
        print(f"could not execute external process '{program}': {error.strerror}", file=sys.stderr)
        return NOT_EXECUTABLE


def build(call: Call) -> int:
    """``lake build``: builds targets, or the default targets of the package."""
    workspace = load_workspace(call.folder)
    modules = modules_of(workspace, call.arguments or default_targets(workspace))
    return _build(workspace, modules, call.quiet)


def lean_file(call: Call) -> int:
    """``lake lean``: builds what a file imports, and becomes ``lean`` on the file."""
    if not call.arguments:
        raise InputError("no file", "See `lake --help`.")
    file, *rest = call.arguments
    workspace = load_workspace(call.folder)
    imports = _builder(workspace, quiet=True).imports_of([Path(file).absolute()])[0]
    modules = [name for name in dict.fromkeys(imports) if workspace.find(name) is not None]
    if modules and (code := _build(workspace, modules, quiet=True)):
        return code
    arguments = rest[1:] if rest[:1] == ["--"] else rest
    return env(replace(call, arguments=("lean", file, *arguments)))


def update(call: Call) -> int:
    """``lake update``: has nothing to fetch, since only local packages are understood."""
    load_workspace(call.folder)
    return 0


def _build(workspace: Workspace, modules: Sequence[str], quiet: bool) -> int:
    builder = _builder(workspace, quiet)
    failed = builder.build(modules)
    if failed:
        print("Some required targets logged failures:")
        print("".join(f"- {name}\n" for name in failed), end="", flush=True)
        print("error: build failed", file=sys.stderr)
        return FAILED
    if not quiet:
        print(f"Build completed successfully ({len(modules)} jobs).")
    return 0


def _builder(workspace: Workspace, quiet: bool) -> Builder:
    lean, commands = installed(), ensure_commands()
    variables = environment_of(workspace, lean, commands, os.environ)
    runner = Lean([str(commands / "lean")], workspace.root.folder, variables)
    return Builder(workspace, runner, pins.pins_digest(), partial(show, quiet))


def show(quiet: bool, source: Source, outcome: Outcome, number: int, total: int) -> None:
    """Prints what became of a module, in the form of native Lake."""
    log = [entry for entry in outcome.log if not (quiet and entry.severity == "info")]
    if (outcome.failed and not log) or (not outcome.built and not log):
        return
    if quiet and not log:
        return
    action = ("Building" if outcome.failed else "Built") if outcome.built else "Replayed"
    took = f" ({outcome.seconds:.1f}s)" if outcome.built else ""
    print(f"{_mark(outcome)} [{number}/{total}] {action} {source.name}{took}")
    for entry in log:
        print(f"{entry.severity}: {entry.text}")
    sys.stdout.flush()


def _mark(outcome: Outcome) -> str:
    if outcome.failed:
        return "✖"
    severities = {entry.severity for entry in outcome.log}
    return "⚠" if "warning" in severities else "ℹ" if severities else "✔"


def clean(call: Call) -> int:
    """``lake clean``: removes what was built of the package."""
    root = load_workspace(call.folder).root
    shutil.rmtree(root.build, ignore_errors=True)
    return 0


def exe(call: Call) -> int:
    """``lake exe``: refuses, since the embedded Lean makes no programs."""
    name = " ".join(call.arguments) or "exe"
    raise InputError(
        f"`lake exe {name}` needs a program, and the embedded Lean compiles none",
        "Run a file by `lake env lean --run FILE`. Nothing is fetched from caches.",
    )


def installed() -> EmbeddedLean:
    """The installed embedded Lean.

    Raises:
        ToolchainError: It is missing.
    """
    lean = locate()
    if lean is None:
        raise ToolchainError("the embedded Lean is not installed", "Run `lemmata doctor --repair`.")
    return lean


def _workspace_if_any(folder: Path) -> Workspace | None:
    has_configuration = any((folder / name).is_file() for name in (LAKEFILE, LEAN_LAKEFILE))
    return load_workspace(folder) if has_configuration else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
