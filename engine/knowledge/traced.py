"""Repositories that LeanDojo traced, and corpora of ReProver, into a knowledge base."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.knowledge.declarations import Declarations, Row
from engine.knowledge.reading import ReadingReport
from engine.model import Contribution, MethodNode
from engine.sources.traced_repository import (
    read_corpus,
    read_traced_repository,
    trace_files,
)
from verifier.errors import InputError
from verifier.progress import Progress
from verifier.reading.files import ModuleFile


def read_traced(declarations: Declarations, path: Path, progress: Progress) -> ReadingReport:
    """Brings the declarations of a traced repository, or of a ``corpus.jsonl``, up to date.

    Modules that another source has are left to that: a trace repeats its dependencies.

    Args:
        declarations: Where they are kept.
        path: The folder of the repository, or the corpus.
        progress: Told what is done.

    Raises:
        InputError: There is no trace, or it cannot be read.
        ToolchainError: LeanDojo is not installed.
        StorageError: The knowledge base cannot be written.
    """
    source = str(path.resolve())
    files = [path] if path.is_file() else trace_files(path)
    if not files:
        raise InputError(
            f"{path} has no trace of LeanDojo",
            "Name a folder that LeanDojo traced, or a corpus.jsonl of ReProver.",
        )
    digest = _digest(files)
    known = declarations.modules()
    mine = {name: module for name, module in known.items() if module.source == source}
    if mine and all(module.digest == digest for module in mine.values()):
        return ReadingReport(source, len(mine))
    progress.stage(f"reading {path}", None)
    nodes, edges = _contents(path)
    others = {name for name, module in known.items() if module.source != source}
    modules = _by_module(nodes, others)
    report = ReadingReport(source, len(modules))
    gone = sorted(mine.keys() - modules.keys())
    declarations.drop_modules(gone)
    report.dropped = len(gone)
    into = defaultdict(list)
    for edge in edges:
        into[edge.child].append(edge)
    for name, members in modules.items():
        file = ModuleFile(name, path, 0, 0)
        chosen = [edge for node in members for edge in into[node.id]]
        rows = [Row(node, {}) for node in members]
        declarations.replace_module(source, file, digest, rows, chosen)
        report.read += 1
        report.declarations += len(rows)
    return report


def _contents(path: Path) -> tuple[Sequence[MethodNode], Sequence[Contribution]]:
    if path.is_file():
        return read_corpus(path), ()
    repository = read_traced_repository(path)
    return repository.nodes, repository.contributions


def _by_module(nodes: Iterable[MethodNode], others: set[str]) -> dict[str, list[MethodNode]]:
    modules: defaultdict[str, list[MethodNode]] = defaultdict(list)
    for node in nodes:
        if node.module not in others:
            modules[node.module].append(node)
    return dict(modules)


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        try:
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror}") from error
    return digest.hexdigest()
