"""Runs a command that can change no file, open no TCP connection and signal no other process.

A native Lean has no sandbox: a theory, and in a roundabout way a candidate, can run programs while
it is elaborated. On Linux 5.13 and later a process can give up such rights for itself and for all
that it starts (Landlock); elsewhere the command runs as it is, and ``lemmata doctor`` says so.

This file is run as a program, ``python confine.py COMMAND…``, since what is given up is given up
for good. It imports the standard library alone.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all processors
VERSION_ONLY = 1
PATH_BENEATH = 1
NO_NEW_PRIVILEGES = 38

WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
CHANGES = WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # remove and make files of any kind
CHANGES_OF_VERSION = {2: 1 << 13, 3: TRUNCATE}  # move between folders, truncate
TCP = 0b11  # bind, connect
TCP_VERSION = 4
SCOPES = 0b11  # abstract sockets, signals
SCOPES_VERSION = 6
ALWAYS_WRITABLE = ("/dev/null",)


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """The version of Landlock that the system offers, 0 for none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(CREATE_RULESET, None, 0, VERSION_ONLY))


def confined(command: Sequence[str]) -> list[str]:
    """The command line that runs a command confined, or the command where that is not offered."""
    if version() == 0:
        return list(command)
    return [sys.executable, "-I", "-S", str(Path(__file__)), *command]


def confine() -> None:
    """Gives up, for this process and all that it starts, to change anything outside.

    Raises:
        OSError: The system offers it and yet refuses.
    """
    offered = version()
    changes = CHANGES
    for since, bit in CHANGES_OF_VERSION.items():
        changes |= bit if offered >= since else 0
    rules = _Ruleset(
        changes,
        TCP if offered >= TCP_VERSION else 0,
        SCOPES if offered >= SCOPES_VERSION else 0,
    )
    ruleset = _checked(_call(CREATE_RULESET, ctypes.byref(rules), _size(offered), 0))
    for path in ALWAYS_WRITABLE:
        _allow(ruleset, path, changes & (WRITE_FILE | TRUNCATE))
    library = ctypes.CDLL(None, use_errno=True)
    _checked(library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(_call(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _size(offered: int) -> int:
    """Bytes of the rules that a version knows."""
    return 8 * (1 + (offered >= TCP_VERSION) + (offered >= SCOPES_VERSION))


def _allow(ruleset: int, path: str, what: int) -> None:
    parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = _Beneath(what, parent)
    _checked(_call(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(rule), 0))
    os.close(parent)


def _call(number: int, *arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return int(library.syscall(ctypes.c_long(number), *arguments))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"the process cannot be confined: {os.strerror(code)}")
    return result


if __name__ == "__main__":
    confine()
    os.execvp(sys.argv[1], sys.argv[1:])
