"""The child process of the second kernel: answers one JSON request a line with one JSON line.

usage: python -m verifier.kernel.child LIBRARY FOLDER NAME DIGEST
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import orjson

from verifier.errors import LemmataError
from verifier.kernel import format as fmt
from verifier.kernel.base import Base, BaseFiles
from verifier.kernel.native import NativeLean
from verifier.kernel.replay import Foundation, Refused, Replayer
from verifier.kernel.statement import says

FATAL_STATUS = 70


def _foundation(found: Foundation) -> dict[str, Any]:
    return {"axioms": sorted(found.axioms), "assumed": sorted(found.assumed)}


class _Service:
    def __init__(self, replayer: Replayer) -> None:
        self._replayer = replayer

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = {"scope": self._scope, "check": self._check, "forget": self._forget}
        try:
            return operation[request["op"]](request)
        except fmt.Malformed as fault:
            return {"malformed": str(fault)}
        except Refused as refusal:
            return {"refused": str(refusal)}

    def _scope(self, request: dict[str, Any]) -> dict[str, Any]:
        key, below = request["key"], request["below"]
        if below is None:
            self._replayer.root(key)
            return {"left_out": {}}
        return {"left_out": self._replayer.extend(key, below, request["delta"])}

    def _check(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request["theorem"]
        found, export = self._replayer.check(request["key"], request["delta"], name)
        if fault := says(export, name, request["type"], request["levels"]):
            return {"refused": fault}
        return _foundation(found)

    def _forget(self, request: dict[str, Any]) -> dict[str, Any]:
        self._replayer.forget(request["keys"])
        return {}


def main(library: str, folder: str, name: str, digest: str) -> None:
    """Serves requests until standard input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no answer
    try:
        service = _Service(
            Replayer(NativeLean(Path(library)), Base(BaseFiles(Path(folder), name), digest))
        )
    except (LemmataError, OSError, AttributeError) as error:
        out.write(orjson.dumps({"fatal": str(error)}) + b"\n")
        out.flush()
        sys.exit(FATAL_STATUS)
    out.write(orjson.dumps({"ready": True}) + b"\n")
    out.flush()
    for line in sys.stdin.buffer:
        request = orjson.loads(line)
        answer = service.answer(request)
        out.write(orjson.dumps({"id": request["id"], **answer}) + b"\n")
        out.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
