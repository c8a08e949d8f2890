"""``lemmata library``: look at the lemmas, prove them all again, take the Lean package away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verifier.errors import ExitCode, InputError, ToolchainError

if TYPE_CHECKING:
    from engine.library.library import Library
    from engine.library.records import CheckReport
    from engine.library.retraction import RetractionReport
    from verifier.session import Session
    from verifier.toolchain.embedded.layout import EmbeddedLean
    from verifier.toolchain.native.lean import NativeLean
    from verifier.verifier import Verifier

library_app = typer.Typer(
    name="library",
    help="Look at the library of verified lemmas, check it, or export it.",
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Option("--library", metavar="DIR", help="Folder of the library.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
DEFAULT_FOLDER = Path("library")


class Toolchain(StrEnum):
    """Which Lean proves everything again."""

    EMBEDDED = "embedded"
    NATIVE = "native"


class Outcome(StrEnum):
    """What became of a candidate."""

    VERIFIED = "verified"
    CONJECTURE = "conjecture"
    REFUTED = "refuted"
    RETRACTED = "retracted"
    PRUNED = "pruned"


class Format(StrEnum):
    """What an export consists of."""

    LEAN = "lean"
    NDJSON = "ndjson"


@library_app.command("list")
def list_lemmas(
    library: Folder = DEFAULT_FOLDER,
    theory: Annotated[str, typer.Option("--theory", help="Only lemmas about this module.")] = "",
    retracted: Annotated[
        bool, typer.Option("--retracted", help="Also lemmas that no longer hold.")
    ] = False,
    json: Json = False,
) -> None:
    """List the lemmas in the order in which they compile, and how often proofs use them."""
    from engine.library.records import library_module
    from engine.report import library as report

    with _read(library) as opened:
        module = library_module(theory) if theory else None
        if module and module not in {a.module for a in opened.contents.adoptions.values()}:
            known = ", ".join(opened.contents.adoptions) or "none"
            raise InputError(f"no lemmas about {theory!r}", f"The theories here: {known}.")
        rows = report.summaries(opened, module, retracted)
    if json:
        _print_json({"library": str(library), "lemmas": rows})
    elif rows:
        report.print_list(rows)
    else:
        typer.echo("The library has no lemmas yet.")


@library_app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a lemma, short or full, or its node id.")],
    library: Folder = DEFAULT_FOLDER,
    json: Json = False,
) -> None:
    """Show a lemma: its Lean text, where it comes from, what it rests on and what rests on it."""
    from engine.report import library as report

    with _read(library) as opened:
        details = report.details(opened, opened.find(name))
    if json:
        _print_json(details)
    else:
        report.print_details(details)


@library_app.command()
def candidates(
    library: Folder = DEFAULT_FOLDER,
    outcome: Annotated[
        Outcome | None,
        typer.Option("--outcome", help="Only those with this outcome; all, if omitted."),
    ] = None,
    theory: Annotated[str, typer.Option("--theory", help="Only those about this module.")] = "",
    run: Annotated[str, typer.Option("--run", help="Only those that this run decided.")] = "",
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="At most so many, the latest; 0 for all.")
    ] = 0,
    json: Json = False,
) -> None:
    """List what was drafted, with its fate: proved, refuted, pruned or open, and why."""
    from engine.report import candidates as report

    with _read(library) as opened:
        if run:
            opened.store.run(run)
        rows = report.rows(opened.store, outcome.value if outcome else "", theory, run)
        rows = rows[-limit:] if limit else rows
        conflicts = report.conflicts(opened.store, theory)
    if json:
        _print_json({"library": str(library), "candidates": rows, "contradictions": conflicts})
    elif rows or conflicts:
        report.print_candidates(rows, conflicts)
    else:
        typer.echo("No such candidate.")


@library_app.command()
def check(
    library: Folder = DEFAULT_FOLDER,
    restore: Annotated[
        bool,
        typer.Option("--restore", help="First put back changed files; yours are kept beside."),
    ] = False,
    retract: Annotated[
        bool,
        typer.Option(
            "--retract",
            help="Take lemmas that fail out, prove what used them without, check again.",
        ),
    ] = False,
    toolchain: Annotated[
        Toolchain,
        typer.Option("--toolchain", help="The embedded Lean, or your own (see docs/native.md)."),
    ] = Toolchain.EMBEDDED,
    json: Json = False,
) -> None:
    """Prove every lemma again, and compare files, database and history.

    The embedded Lean replays everything in a second kernel as well. `--toolchain native` proves it
    all in your own Lean. Exits with 0 if all is well, and with 6 if anything is wrong.
    """
    from engine.cli.progress import terminal_progress
    from engine.library.library import Library
    from engine.library.native_check import check_natively
    from engine.library.retraction import RetractionReport
    from engine.report import library as report

    if retract and toolchain is Toolchain.NATIVE:
        raise InputError(
            "--retract goes with the embedded Lean", "Leave --toolchain native out, or --retract."
        )
    _require_library(library)
    with Library.open(library, lenient=True) as opened:
        aside = opened.restore() if restore else []
        changed = RetractionReport()
        if toolchain is Toolchain.NATIVE:
            checked = check_natively(opened, _native(library), terminal_progress())
        else:
            with _verifier() as verifier:
                checked, changed = _examine(opened, verifier, retract)
    kept = [*aside, *changed.aside]
    if json:
        _print_json(report.check_json(checked, changed, kept))
    else:
        for path in kept:
            typer.echo(f"Your version is kept as {path}.")
        report.print_check(checked, changed)
    raise typer.Exit(ExitCode.OK if checked.ok else ExitCode.CHECK_FAILED)


@library_app.command()
def export(
    library: Folder = DEFAULT_FOLDER,
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="A new or empty folder.")] = Path(
        "lemmata-export"
    ),
    format: Annotated[
        Format,
        typer.Option("--format", help="A Lake package, or proofs for another checker (ndjson)."),
    ] = Format.LEAN,
    json: Json = False,
) -> None:
    """Copy the library to another folder: the Lake package, or its proofs.

    `--format ndjson` writes, for each module, its lemmas with all that they rest on in the format
    of lean4export, which independent checkers of Lean's logic read.
    """
    from engine.cli.progress import terminal_progress
    from engine.library.export import export_package, export_proofs

    with _read(library) as opened:
        if format is Format.LEAN:
            files = export_package(opened, to)
        else:
            with _session() as session:
                files = export_proofs(opened, to, session, terminal_progress())
    if json:
        listed = [path.as_posix() for path in files]
        _print_json({"to": str(to), "format": format.value, "files": listed})
    else:
        then = " Build them with `lake build`." if format is Format.LEAN else ""
        typer.echo(f"Wrote {len(files)} files to {to}.{then}")


def _read(folder: Path) -> Library:
    from engine.library.library import Library

    return Library.read(folder)


def _examine(
    opened: Library, verifier: Verifier, retract: bool
) -> tuple[CheckReport, RetractionReport]:
    """The check with the embedded Lean, and with it the retraction, if that is wanted."""
    from engine.cli.progress import terminal_progress
    from engine.library.check import examine
    from engine.library.installation import installation_findings
    from engine.library.retraction import RetractionReport, retract_failed
    from engine.library.reverification import note_trials

    progress = terminal_progress()
    known = installation_findings(verifier.second is not None)
    found = examine(opened, verifier, progress, known=known)
    toolchain = str(verifier.lean.toolchain)
    note_trials(opened.store, found.trials, toolchain)
    if not retract or known or not found.failed:  # a damaged Lean's word retracts nothing
        return found.report, RetractionReport()
    changed = retract_failed(opened, found.failed, verifier, progress=progress)
    again = examine(opened, verifier, progress, known=known)
    note_trials(opened.store, again.trials, toolchain)
    return again.report, changed


def _require_library(folder: Path) -> None:
    """Opening for writing would make a library where there is none."""
    _read(folder).close()


def _native(folder: Path) -> NativeLean:
    from engine.settings import load_settings
    from verifier.toolchain.native.discovery import discover
    from verifier.toolchain.native.lean import NativeLean

    return NativeLean(discover(folder, load_settings().lean))


def _installed() -> EmbeddedLean:
    from verifier.toolchain.embedded import layout

    lean = layout.locate()
    if lean is None:
        raise ToolchainError("the embedded Lean is not installed", "Run `lemmata doctor --repair`.")
    return lean


@contextmanager
def _session() -> Iterator[Session]:
    from verifier.session import Session

    with Session(_installed()) as session:
        yield session


@contextmanager
def _verifier() -> Iterator[Verifier]:
    from engine.cli.progress import terminal_progress
    from engine.kernels import second_kernel
    from engine.settings import load_settings
    from verifier.verifier import Verifier

    second = second_kernel(load_settings(), _installed(), terminal_progress())
    try:
        with _session() as session:
            yield Verifier(session, second)
    finally:
        if second is not None:
            second.close()


def _print_json(value: dict[str, Any]) -> None:
    import orjson

    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))
