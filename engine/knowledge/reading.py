"""Reads libraries into a knowledge base: what has changed since the last time, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.knowledge.declarations import Declarations, Row, StoredModule
from engine.sources.lean_library import library_node, mentions_of
from engine.trees.evidence import Evidence
from verifier.errors import InputError
from verifier.progress import Progress
from verifier.reading.facts import Failure, ModuleContents
from verifier.reading.files import ModuleFile
from verifier.reading.libraries import CompiledLibrary
from verifier.reading.reader import read_modules

KEPT_FAILURES = 20

Uses = Callable[[Path], Mapping[str, Mapping[str, Evidence]]]


@dataclass
class ReadingReport:
    """What was read of a source.

    Attributes:
        modules: All modules of the source. read: Those that were new or had changed.
        dropped: Modules that are no longer there. declarations: Read from the modules.
        failures: Declarations that Lean could not describe, at most ``KEPT_FAILURES`` of them.
    """

    source: str
    modules: int
    read: int = 0
    dropped: int = 0
    declarations: int = 0
    failures: list[Failure] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether the knowledge base is another one than before."""
        return bool(self.read or self.dropped)


def read_source(
    declarations: Declarations,
    source: CompiledLibrary,
    processes: int,
    progress: Progress,
    uses: Uses | None = None,
) -> ReadingReport:
    """Brings the declarations of a source up to date.

    Each module becomes durable by itself: an interrupted reading goes on where it stopped.

    Args:
        declarations: Where they are kept.
        source: What to read.
        processes: How many processes of Lean read at the same time.
        progress: Advances by bytes of compiled modules.
        uses: Tells how the declarations of a source file use constants, by their names.

    Raises:
        InputError: A module belongs to another source already, or Lean refuses the modules.
        ToolchainError: This Lean does not run the reader.
        SessionLost: Lean ran out of time or memory; what was read before stays.
        StorageError: The knowledge base cannot be written.
    """
    known = declarations.modules()
    _refuse_foreign(source, known)
    report = ReadingReport(source.name, len(source.files))
    gone = {m.name for m in known.values() if m.source == source.name} - {
        file.name for file in source.files
    }
    declarations.drop_modules(sorted(gone))
    report.dropped = len(gone)
    changed = dict(_changed(declarations, source.files, known))
    if not changed:
        return report
    files = {file.name: file for file in source.files}
    progress.stage(f"reading {source.name}", sum(files[name].size for name in changed))
    chosen = [files[name] for name in changed]
    for contents in read_modules(
        source.toolchain, source.imports, chosen, processes, not source.trusted
    ):
        file = files[contents.module]
        rows = list(_rows(contents, source.documents.get(contents.module), uses))
        declarations.replace_module(source.name, file, changed[file.name], rows)
        report.read += 1
        report.declarations += len(rows)
        report.failures += contents.failures[: KEPT_FAILURES - len(report.failures)]
        progress.advance(file.size)
    return report


def _rows(contents: ModuleContents, document: Path | None, uses: Uses | None) -> Iterator[Row]:
    told = uses(document) if uses is not None and document is not None else {}
    for declaration in contents.declarations:
        node = library_node(declaration, contents.module, str(document or ""))
        yield Row(node, mentions_of(declaration, told.get(declaration.name)))


def _changed(
    declarations: Declarations, files: Sequence[ModuleFile], known: dict[str, StoredModule]
) -> Iterator[tuple[str, str]]:
    """The modules to read, with the digests of their files.

    A file with the old size and time is the old one; of any other the contents decide.
    """
    touched: list[ModuleFile] = []
    for file in files:
        before = known.get(file.name)
        if before is not None and (before.size, before.changed) == (file.size, file.changed):
            continue
        digest = file.digest()
        if before is not None and before.digest == digest:
            touched.append(file)
        else:
            yield file.name, digest
    if touched:
        declarations.note_unchanged(touched)


def _refuse_foreign(source: CompiledLibrary, known: dict[str, StoredModule]) -> None:
    for file in source.files:
        before = known.get(file.name)
        if before is not None and before.source != source.name:
            raise InputError(
                f"the module {file.name} was read from {before.source} already",
                f"Forget that first: lemmata ingest --forget {before.source}",
            )
