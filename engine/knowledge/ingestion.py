"""Libraries and projects into a knowledge base, from files to index."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.knowledge.base import TABLE
from engine.knowledge.declarations import Declarations
from engine.knowledge.index import Index, IndexReport, update_index
from engine.knowledge.place import base_folder
from engine.knowledge.reading import ReadingReport, Uses, read_source
from engine.knowledge.traced import read_traced
from engine.settings import Settings
from engine.trees.dedup import Prove
from verifier.errors import InputError
from verifier.progress import Progress
from verifier.reading.libraries import PACKAGES, project_library, toolchain_library
from verifier.toolchain.native.discovery import NativeToolchain


@dataclass(frozen=True)
class IngestReport:
    """What was read and what became of the index.

    Attributes:
        folder: The knowledge base. sources: What was read of each source.
        clusters: Inner nodes of T_C. seconds: Wall-clock time of it all.
    """

    folder: Path
    sources: tuple[ReadingReport, ...]
    index: IndexReport
    clusters: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "folder": str(self.folder),
            "sources": [
                {**asdict(source), "failures": [f.model_dump() for f in source.failures]}
                for source in self.sources
            ],
            "index": asdict(self.index),
            "clusters": self.clusters,
            "seconds": round(self.seconds, 3),
        }


def ingest(
    toolchain: NativeToolchain,
    projects: Sequence[Path],
    packages: Sequence[str],
    settings: Settings,
    processes: int,
    progress: Progress,
    *,
    rebuild: bool = False,
    library: bool = True,
    traced: Sequence[Path] = (),
    prove: Prove | None = None,
    uses: Uses | None = None,
) -> IngestReport:
    """Brings the knowledge base of a toolchain up to date.

    Args:
        toolchain: The Lean that reads.
        projects: Lake projects.
        packages: Libraries of Lean; Init and Std where none are named.
        settings: Of the index.
        processes: How many processes of Lean read at the same time.
        progress: Watches.
        rebuild: Build the index anew.
        library: Whether to look at the libraries of Lean; otherwise projects only.
        traced: Repositories that LeanDojo traced, and corpora of ReProver.
        prove: Asks Lean about likely duplicates; see :func:`update_index`.
        uses: Tells how the proofs in a source file of a project use constants.

    Raises:
        InputError: A package or project is not there, does not build, or cannot be loaded.
        ToolchainError: This Lean does not run the reader.
        SessionLost: Lean ran out of time or memory; what was read before stays.
        StorageError: The knowledge base cannot be written.
    """
    started = time.monotonic()
    folder = base_folder(settings, toolchain)
    sources = [toolchain_library(toolchain, tuple(packages) or PACKAGES)] if library else []
    sources += [project_library(path, toolchain, progress) for path in projects]
    with Declarations(folder / TABLE) as declarations:
        reports = [
            read_source(declarations, s, processes, progress, None if s.trusted else uses)
            for s in sources
        ]
        reports += [read_traced(declarations, path, progress) for path in traced]
        index = update_index(folder, declarations, settings, progress, rebuild, prove)
    return _report(folder, reports, index, started)


def forget_sources(
    toolchain: NativeToolchain, names: Sequence[str], settings: Settings, progress: Progress
) -> IngestReport:
    """Takes sources out of a knowledge base.

    Args:
        toolchain: The Lean whose knowledge base it is.
        names: ``lean``, or folders of projects.
        settings: Of the index.
        progress: Watches.

    Raises:
        InputError: A source was never read.
        StorageError: The knowledge base cannot be written.
    """
    started = time.monotonic()
    folder = base_folder(settings, toolchain)
    reports = []
    with Declarations(folder / TABLE) as declarations:
        known = declarations.sources()
        for name in names:
            source = name if name in known else str(Path(name).resolve())
            if source not in known:
                raise InputError(
                    f"nothing was read from {name}", f"What was read: {', '.join(known) or '-'}."
                )
            modules = declarations.modules(source)
            declarations.drop_modules(modules)
            reports.append(ReadingReport(source, 0, dropped=len(modules)))
        index = update_index(folder, declarations, settings, progress)
    return _report(folder, reports, index, started)


def _report(
    folder: Path, reports: Sequence[ReadingReport], index: IndexReport, started: float
) -> IngestReport:
    tree = Index(folder / "index").tree
    clusters = sum(len(level) for level in tree.levels)
    return IngestReport(folder, tuple(reports), index, clusters, time.monotonic() - started)
