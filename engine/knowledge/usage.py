"""How the proofs of a local project use constants: by which tactics, and whether they need them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.sources.lean_module import read_theory, theory_uses
from engine.sources.use_cache import UseCache
from engine.trees.evidence import Evidence
from verifier.errors import InputError
from verifier.progress import Progress
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean


class ProjectUses:
    """Looks at source files with a warm session; what it found of an unchanged file is kept.

    Args:
        lean: The installation. session: Elaborates the files.
        seconds: Wall-clock time a file for trying proofs without what they use.
        cache: Where the findings are kept.
        progress: Told which file is looked at.
    """

    def __init__(
        self,
        lean: EmbeddedLean,
        session: Session,
        seconds: float,
        cache: UseCache,
        progress: Progress,
    ) -> None:
        self._lean = lean
        self._session = session
        self._seconds = seconds
        self._cache = cache
        self._progress = progress

    def __call__(self, document: Path) -> Mapping[str, Mapping[str, Evidence]]:
        """What each declaration of a file and of its local imports uses, by full names.

        A file that this Lean does not elaborate tells nothing: the compiled module was read.
        """
        self._progress.stage(f"looking at the proofs of {document.name}", None)
        try:
            theory = read_theory(document, self._session, self._lean.has_module)
        except InputError:
            return {}
        return theory_uses(theory, self._session, self._seconds, self._cache)
