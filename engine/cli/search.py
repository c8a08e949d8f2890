"""``lemmata search``: find declarations by words, by a Lean term, or by a goal."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.ingest import Toolchain

if TYPE_CHECKING:
    from engine.knowledge.query import ReadQuery
    from engine.model import MethodNode
    from engine.settings import Settings
    from verifier.toolchain.native.discovery import NativeToolchain


class Method(StrEnum):
    """How hits are found."""

    HYBRID = "hybrid"
    FUNNEL = "funnel"
    FLAT = "flat"
    BM25 = "bm25"


class Wanted(StrEnum):
    """What hits may be."""

    THEOREM = "theorem"
    DEFINITION = "definition"


def search(
    query: Annotated[
        str,
        typer.Argument(help="Words, a Lean term (`List.map _ (_ ++ _)`), or a goal (`h : … ⊢ …`)."),
    ],
    count: Annotated[int, typer.Option("-k", "--count", min=1, help="Hits to show.")] = 10,
    method: Annotated[Method, typer.Option(help="How to search.")] = Method.HYBRID,
    kind: Annotated[Wanted | None, typer.Option(help="Only theorems, or definitions.")] = None,
    module: Annotated[str, typer.Option(help="Only this module and those below it.")] = "",
    theory: Annotated[
        Path | None, typer.Option(help="A .lean file in whose scope the query is read.")
    ] = None,
    deprecated: Annotated[bool, typer.Option(help="Show deprecated declarations too.")] = False,
    explain: Annotated[
        bool, typer.Option(help="Show the way through T_C and the ancestors along T_M.")
    ] = False,
    library: Annotated[Path, typer.Option(help="Its lemmas are searched too.")] = Path("library"),
    toolchain: Annotated[Toolchain, typer.Option(help="Whose knowledge base.")] = (
        Toolchain.EMBEDDED
    ),
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find declarations of Lean's libraries, of projects that were read, and of the library.

    The first search reads Lean's libraries, which takes some minutes once.
    """
    import time

    from engine.knowledge.base import Filter, KnowledgeBase
    from engine.model import NodeKind
    from engine.report.search import print_search, search_dict
    from engine.settings import load_settings

    settings = load_settings()
    folder = _folder(toolchain, settings)
    wanted = Filter(kind=NodeKind(kind) if kind else None, module=module, deprecated=deprecated)
    with KnowledgeBase(folder, settings, _lemmas(library)) as base:
        read = _read(query, theory, toolchain)
        started = time.monotonic()
        found = base.search(read.query, count, method.value, wanted)
        seconds = time.monotonic() - started
        if json:
            import orjson

            typer.echo(orjson.dumps(search_dict(read, found, seconds), option=orjson.OPT_INDENT_2))
        else:
            print_search(read, found, seconds, explain)


def _folder(toolchain: Toolchain, settings: Settings) -> Path:
    """The knowledge base, made if there is none."""
    from engine.cli.progress import terminal_progress
    from engine.knowledge.index import Index
    from engine.knowledge.ingestion import ingest
    from engine.knowledge.place import base_folder
    from verifier.pool import cores

    lean = _native(settings) if toolchain is Toolchain.NATIVE else None
    folder = base_folder(settings, lean)
    if Index(folder / "index").exists:
        return folder
    from engine.cli.ingest import chosen_toolchain

    progress = terminal_progress()
    typer.echo("Reading Lean's libraries: some minutes, once.", err=True)
    try:
        ingest(chosen_toolchain(toolchain, settings.lean), [], [], settings, cores(), progress)
    finally:
        progress.done()
    return folder


def _native(settings: Settings) -> NativeToolchain:
    from verifier.toolchain.native.discovery import discover

    return discover(Path(), settings.lean)


def _lemmas(library: Path) -> list[MethodNode]:
    """The nodes of a library, where there is one."""
    from engine.library.library import Library
    from engine.library.package import DATABASE
    from engine.model import Label

    if not (library / DATABASE).is_file():
        return []
    with Library.read(library) as opened:
        return opened.store.nodes(label=Label.VERIFIED)


def _read(query: str, theory: Path | None, toolchain: Toolchain) -> ReadQuery:
    """The query as Lean reads it; words do without Lean."""
    from engine.knowledge.query import ReadQuery, looks_like_words, read_query
    from verifier.lean import Environment

    if looks_like_words(query):
        return ReadQuery(query, "words")
    from engine.cli.progress import terminal_progress
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed

    lean = ensure_installed(terminal_progress())
    with Session(lean) as session:
        if theory is None:
            return read_query(query, session, Environment(("Init", "Std")))
        from engine.sources.lean_module import read_theory

        scope = read_theory(theory, session, lean.has_module)
        return read_query(query, session, scope.environment, scope.context)
