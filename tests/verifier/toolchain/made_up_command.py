"""A program that behaves like ``lean`` for a build, and writes down how it was called."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

CALLS = Path("calls.txt")


def main(arguments: list[str]) -> int:
    """Answers ``--deps-json`` and compiles; the word ERROR in a file is an error in line 1."""
    if arguments[0] == "--deps-json":
        files = [Path(name).read_text() for name in arguments[1:]]
        imports = [[{"module": m} for m in re.findall(r"import (\S+)", text)] for text in files]
        print(json.dumps({"imports": [{"result": {"imports": i}, "errors": []} for i in imports]}))
        log("deps")
        return 0
    file, root, olean, *_ = arguments
    log(file)
    text = Path(file).read_text()
    if "WARN" in text:
        print(json.dumps(message(file, "warning")))
    if "ERROR" in text:
        print(json.dumps(message(file, "error")))
        return 1
    Path(olean.removeprefix("-o")).write_text(root)
    return 0


def message(file: str, severity: str) -> dict[str, object]:
    return {
        "fileName": file,
        "pos": {"line": 1, "column": 2},
        "severity": severity,
        "data": f"this is one {severity}",
    }


def log(call: str) -> None:
    with CALLS.open("a") as file:
        file.write(f"{call}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
