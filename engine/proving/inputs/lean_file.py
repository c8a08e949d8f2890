"""Lean files whose holes are to be filled, with the local modules that they import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.proving.ground import written
from engine.proving.problem import Document, problems_of
from engine.proving.source import Reading, error_texts
from verifier.errors import InputError
from verifier.modules import load_graph, read_graph
from verifier.session import Session

WORDS = (b"sorry", b"admit")
SKIPPED = frozenset({".lake", "build", "lake-packages"})


@dataclass(frozen=True)
class LeanFile:
    """A file, read when its turn comes.

    Attributes:
        path: As the user gave it. root: The folder from which copies are named.
        installed: Whether a module comes with the installation.
    """

    path: Path
    root: Path
    installed: Callable[[str], bool]
    line: int = 1

    @property
    def name(self) -> str:
        """Its path."""
        return str(self.path)

    @property
    def document(self) -> str:
        """The path of the file."""
        return str(self.path)

    def read(self, session: Session) -> Reading:
        """Elaborates the file as it is.

        Raises:
            InputError: It is missing or unreadable, an import is unknown, or a module that it
                imports does not compile. Errors in the file itself are no reason to stop.
        """
        graph = read_graph(self.path, session, self.installed)
        target = graph.target
        below = load_graph(replace(graph, modules=graph.modules[:-1]), session)
        document = Document(self.name, target.text, below.environment, target.body_start)
        outline = session.outline(document.environment, document.text, document.start)
        known = tuple(name for module in below.modules for name in written(module.declared))
        return Reading(document, problems_of(document, outline), error_texts(outline), known)


def lean_files(folder: Path, results: Path | None = None) -> Iterator[Path]:
    """The Lean files of a folder that can have a hole, in order.

    Args:
        folder: Where to look, folders below included.
        results: A folder that is left out: where an earlier run has put its copies.

    Raises:
        InputError: A file cannot be read.
    """
    for path in sorted(folder.rglob("*.lean")):
        parts = path.relative_to(folder).parts
        if SKIPPED.intersection(parts) or any(part.startswith(".") for part in parts):
            continue
        if results is not None and path.resolve().is_relative_to(results.resolve()):
            continue
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from None
        if any(word in content for word in WORDS):
            yield path
