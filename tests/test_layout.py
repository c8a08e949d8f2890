"""Rules of the house that a reader relies on."""

from __future__ import annotations

import ast
from pathlib import Path

VERIFIER = Path(__file__).parents[1] / "verifier"


def test_the_verifier_never_imports_the_engine() -> None:
    for file in VERIFIER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not any(name.split(".")[0] == "engine" for name in names), file
