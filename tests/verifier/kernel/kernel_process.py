"""A direct line to the child process of the second kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import verifier as package
from verifier.kernel.base import pinned
from verifier.kernel.second import MEMORY_LIMIT, STACK_KILOBYTES, SecondKernel, child_command
from verifier.toolchain.embedded.process import ChildProcess


class Child:
    """The child process with the base library in the scope ``base``."""

    def __init__(self, second: SecondKernel) -> None:
        files = second.ensure_base()
        self.process = ChildProcess(
            child_command(second.library, files, pinned(files.name)),
            Path(package.__file__).parent.parent,
            MEMORY_LIMIT,
            "the second kernel",
            "",
            STACK_KILOBYTES,
        )
        self.ask(op="scope", key="base", below=None)

    def ask(self, seconds: float = 30.0, **request: Any) -> dict[str, Any]:
        return self.process.request(request, seconds)

    def check(
        self, delta: str, theorem: str, type_: Any = None, key: str = "base", **rest: Any
    ) -> dict[str, Any]:
        request = {"op": "check", "key": key, "delta": delta, "theorem": theorem, "type": type_}
        return self.ask(**{"levels": [], **request, **rest})
