"""``lemmata ingest``: read libraries and projects into the knowledge base."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.knowledge.ingestion import IngestReport
    from engine.knowledge.reading import Uses
    from engine.settings import Settings
    from engine.trees.dedup import Prove
    from verifier.progress import Progress
    from verifier.toolchain.native.discovery import NativeToolchain


class Toolchain(StrEnum):
    """Which Lean reads."""

    EMBEDDED = "embedded"
    NATIVE = "native"


def ingest(
    projects: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PROJECT]...", help="Lake projects to read as well."),
    ] = None,
    packages: Annotated[
        list[str] | None,
        typer.Option("--package", help="Libraries of Lean itself; Init and Std by default."),
    ] = None,
    traced: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="A repository that LeanDojo traced, or a corpus.jsonl."),
    ] = None,
    library: Annotated[
        bool, typer.Option(help="Lean's own libraries; without them projects only.")
    ] = True,
    toolchain: Annotated[
        Toolchain, typer.Option(help="The embedded Lean, or your own (see docs/native.md).")
    ] = Toolchain.EMBEDDED,
    forget: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="Forget a project, or `lean`, and read nothing."),
    ] = None,
    evidence: Annotated[
        bool,
        typer.Option(
            "--evidence",
            help="Also by which tactics the proofs of projects use what, and what they need.",
        ),
    ] = False,
    prove_duplicates: Annotated[
        bool,
        typer.Option(
            "--prove-duplicates",
            help="Build anew, and let Lean prove that theorems which look alike say the same.",
        ),
    ] = False,
    rebuild: Annotated[bool, typer.Option(help="Build the index anew, whatever changed.")] = False,
    jobs: Annotated[int, typer.Option(help="Processes that read; 0 means one a core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read Lean's libraries and Lake projects into the knowledge base.

    Every declaration becomes a node of both trees. What has not changed is not read again; an
    interrupted reading goes on where it stopped.
    """
    from engine.cli.progress import terminal_progress
    from engine.knowledge.ingestion import forget_sources
    from engine.knowledge.ingestion import ingest as run
    from engine.settings import load_settings
    from verifier.pool import cores

    settings = load_settings()
    progress = terminal_progress()
    lean = chosen_toolchain(toolchain, settings.lean)
    try:
        if forget:
            report = forget_sources(lean, forget, settings, progress)
        else:
            with (
                _prover(prove_duplicates, settings) as prove,
                _uses(evidence, settings, progress) as uses,
            ):
                report = run(
                    lean,
                    projects or [],
                    packages or [],
                    settings,
                    jobs or cores(),
                    progress,
                    rebuild=rebuild or prove_duplicates,
                    library=library,
                    traced=traced or [],
                    prove=prove,
                    uses=uses,
                )
    finally:
        progress.done()
    if json:
        import orjson

        typer.echo(orjson.dumps(report.as_dict(), option=orjson.OPT_INDENT_2).decode())
        return
    _print(report)


@contextmanager
def _prover(wanted: bool, settings: Settings) -> Iterator[Prove | None]:
    """Asks Lean whether two theorems of Init and Std say the same, where that is wanted."""
    if not wanted:
        yield None
        return
    from engine.judgement.equivalence import Equivalence
    from verifier.lean import Environment
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.verifier import Verifier

    with Session(ensure_installed()) as session:
        yield Equivalence(Verifier(session), Environment(("Init", "Std")), settings.dedup.seconds)


@contextmanager
def _uses(wanted: bool, settings: Settings, progress: Progress) -> Iterator[Uses | None]:
    """Looks at the proofs of projects, where that is wanted."""
    if not wanted:
        yield None
        return
    from engine.cli.discover import USES
    from engine.knowledge.usage import ProjectUses
    from engine.sources.use_cache import UseCache
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.toolchain.embedded.layout import cache_root

    lean = ensure_installed()
    cache = UseCache(cache_root().parent / USES)
    with Session(lean) as session:
        seconds = settings.evidence.survival_seconds
        yield ProjectUses(lean, session, seconds, cache, progress)


def chosen_toolchain(toolchain: Toolchain, setting: str) -> NativeToolchain:
    """The Lean that a command was told to use."""
    from engine.cli.progress import terminal_progress
    from verifier.reading.libraries import embedded_toolchain
    from verifier.toolchain.native.discovery import discover

    if toolchain is Toolchain.EMBEDDED:
        return embedded_toolchain(terminal_progress())
    return discover(Path(), setting)


def _print(report: IngestReport) -> None:
    for source in report.sources:
        changes = f"{source.read} of {source.modules} modules read"
        if source.dropped:
            changes += f", {source.dropped} gone"
        typer.echo(f"{source.source}: {changes}, {source.declarations} declarations")
        for failure in source.failures:
            typer.echo(f"  not described: {failure.name}: {failure.failure.splitlines()[0]}")
    index = report.index
    typer.echo(
        f"index {index.change}: {index.nodes} nodes, {index.aliases} aliases, "
        f"{report.clusters} clusters; {report.seconds:.1f} s"
    )
    typer.echo(f"knowledge base: {report.folder}")
