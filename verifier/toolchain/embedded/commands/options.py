"""The options of the command ``lean``, read as the native program reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

FLAGS = {
    "--json": "json",
    "--stdin": "stdin",
    "--deps": "deps",
    "--src-deps": "src_deps",
    "--deps-json": "deps_json",
    "--run": "run",
    "--stats": "stats",
    "-q": "quiet",
    "--quiet": "quiet",
    "-h": "help",
    "--help": "help",
    "-v": "version",
    "--version": "version",
    "-V": "short_version",
    "--short-version": "short_version",
    "-g": "githash",
    "--githash": "githash",
    "--features": "features",
    "--print-prefix": "print_prefix",
    "--print-libdir": "print_libdir",
}
VALUES = {
    "-o": "olean",
    "--o": "olean",
    "-i": "ilean",
    "--i": "ilean",
    "-R": "root",
    "--root": "root",
    "-D": "options",
    "-E": "error_kinds",
    "--error": "error_kinds",
    "-j": "threads",
    "--threads": "threads",
    "-s": "stack",
    "--tstack": "stack",
    "-M": "memory",
    "--memory": "memory",
    "-T": "timeout",
    "--timeout": "timeout",
    "-t": "trust",
    "--trust": "trust",
}
UNAVAILABLE = (
    "-c",
    "--c",
    "-b",
    "--bc",
    "--server",
    "--worker",
    "--plugin",
    "--load-dynlib",
    "--setup",
    "--profile",
    "--debug",
)
NUMBERS = frozenset({"threads", "stack", "memory", "timeout", "trust"})
LISTS = frozenset({"options", "error_kinds"})
LARGEST_NUMBER = 2**32


class UsageError(Exception):
    """The command line is not one that ``lean`` takes; the text says why."""


@dataclass(frozen=True)
class LeanOptions:
    """A command line of ``lean``.

    Attributes:
        file: The file to read, ``None`` for none or for standard input.
        args: What stands behind the file; for ``main`` under ``--run``.
        options: Settings ``name=value`` of ``-D``, in order.
        error_kinds: Kinds of messages that count as errors.
        memory: Megabytes that Lean may use, or ``None``.
        timeout: Thousands of memory allocations that a task may make, or ``None``.
        trust: Trust level, or ``None`` for the default.
    """

    file: str | None = None
    args: tuple[str, ...] = ()
    json: bool = False
    stdin: bool = False
    deps: bool = False
    src_deps: bool = False
    deps_json: bool = False
    run: bool = False
    stats: bool = False
    quiet: bool = False
    help: bool = False
    version: bool = False
    short_version: bool = False
    githash: bool = False
    features: bool = False
    print_prefix: bool = False
    print_libdir: bool = False
    olean: str | None = None
    ilean: str | None = None
    root: str | None = None
    options: tuple[str, ...] = ()
    error_kinds: tuple[str, ...] = ()
    threads: int | None = None
    stack: int | None = None
    memory: int | None = None
    timeout: int | None = None
    trust: int | None = None


def read_options(arguments: Sequence[str]) -> LeanOptions:
    """Reads a command line, without the name of the program.

    As with the native program, options may follow the file, ``--`` ends them, a short option takes
    its value with or without a space, and under ``--run`` all behind the file is for ``main``.

    Raises:
        UsageError: An option is unknown, lacks its value or has one that is no number.
    """
    found: dict[str, object] = {}
    rest: list[str] = []
    pending = list(arguments)
    while pending:
        word = pending.pop(0)
        if word == "--":
            rest += pending
            break
        if not word.startswith("-") or word == "-":
            rest.append(word)
            if found.get("run"):
                rest += pending
                break
            continue
        name, value = _split(word)
        if name in FLAGS and value is None:
            found[FLAGS[name]] = True
        elif name in VALUES:
            if value is None:
                value = _next(name, pending)
            _keep(found, name, VALUES[name], value)
        else:
            raise UsageError(_refusal(name))
    return _with_files(replace(LeanOptions(), **found), rest)  # type: ignore[arg-type]


def _split(word: str) -> tuple[str, str | None]:
    """``--root=DIR`` and ``-RDIR`` as an option and its value, if the word holds one."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    if len(word) > 2:
        return word[:2], word[2:]
    return word, None


def _next(name: str, pending: list[str]) -> str:
    if not pending:
        raise UsageError(f"argument missing for option '{name}'")
    return pending.pop(0)


def _keep(found: dict[str, object], name: str, field: str, value: str) -> None:
    if field in NUMBERS:
        if not (value.isascii() and value.isdigit()):
            raise UsageError(f"expected numeric argument for option '{name}'")
        if int(value) >= LARGEST_NUMBER:
            raise UsageError(f"argument value for '{name}' is too large")
        found[field] = int(value)
    elif field in LISTS:
        earlier = found.get(field, ())
        assert isinstance(earlier, tuple)
        found[field] = (*earlier, value)
    else:
        found[field] = value


def _refusal(name: str) -> str:
    if name in UNAVAILABLE:
        return f"the embedded Lean has no option '{name}'"
    return f"Unknown command line option '{name}'"


def _with_files(options: LeanOptions, words: list[str]) -> LeanOptions:
    if not words:
        return options
    if words[0] == "-":
        options = replace(options, stdin=True)
        return replace(options, args=tuple(words[1:]))
    return replace(options, file=words[0], args=tuple(words[1:]))
