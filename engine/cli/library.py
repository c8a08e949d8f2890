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
    from engine.store import LemmaRecord
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
    """List the lemmas in the order in which they compile."""
    from engine.library.records import library_module

    with _read(library) as opened:
        module = library_module(theory) if theory else None
        if module and module not in {a.module for a in opened.contents.adoptions.values()}:
            known = ", ".join(opened.contents.adoptions) or "none"
            raise InputError(f"no lemmas about {theory!r}", f"The theories here: {known}.")
        records = opened.store.lemmas(module, retracted=retracted)
        rows = [_summary(opened, record) for record in records]
    if json:
        _print_json({"library": str(library), "lemmas": rows})
    elif rows:
        _print_list(rows)
    else:
        typer.echo("The library has no lemmas yet.")


@library_app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a lemma, short or full, or its node id.")],
    library: Folder = DEFAULT_FOLDER,
    json: Json = False,
) -> None:
    """Show a lemma: its Lean text, where it comes from, and what it rests on."""
    with _read(library) as opened:
        details = _details(opened, opened.find(name))
    if json:
        _print_json(details)
    else:
        _print_details(details)


@library_app.command()
def check(
    library: Folder = DEFAULT_FOLDER,
    restore: Annotated[
        bool,
        typer.Option("--restore", help="First put back changed files; yours are kept beside."),
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
    from engine.library.check import check_library
    from engine.library.installation import installation_findings
    from engine.library.library import Library
    from engine.library.native_check import check_natively

    _require_library(library)
    with Library.open(library, lenient=True) as opened:
        aside = opened.restore() if restore else []
        if toolchain is Toolchain.NATIVE:
            report = check_natively(opened, _native(library), terminal_progress())
        else:
            with _verifier() as verifier:
                known = installation_findings(verifier.second is not None)
                report = check_library(opened, verifier, terminal_progress(), known=known)
    if json:
        kept = [str(path) for path in aside]
        _print_json({"ok": report.ok, "kept": kept, **report.model_dump(mode="json")})
    else:
        for path in aside:
            typer.echo(f"Your version is kept as {path}.")
        _print_report(report)
    raise typer.Exit(ExitCode.OK if report.ok else ExitCode.CHECK_FAILED)


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


def _summary(library: Library, record: LemmaRecord) -> dict[str, Any]:
    node = library.store.node(record.node)
    return {
        "name": record.name,
        "module": record.module,
        "statement": node.statement,
        "label": record.label.value,
        "operator": node.operator,
        "axioms": list(node.axioms),
        "verified": record.appended.isoformat(),
    }


def _details(library: Library, record: LemmaRecord) -> dict[str, Any]:
    node = library.store.node(record.node)
    return {
        **_summary(library, record),
        "id": record.node,
        "text": record.text,
        "summary": node.summary,
        "premises": list(node.premises),
        "toolchain": node.toolchain,
        "kernels": list(node.kernels),
        "assumed": list(node.assumed),
        "file": str(library.package.path_of(record.module)),
        "parents": [
            {"node": edge.parent, "rating": edge.rating, "explanation": edge.explanation}
            for edge in library.store.contributions_into(record.node)
        ],
    }


def _print_json(value: dict[str, Any]) -> None:
    import orjson

    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def _print_list(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("lemma", "statement", "found by", box=None, pad_edge=False)
    for row in rows:
        fallen = row["label"] != "verified"
        name = Text(row["name"], style="red strike" if fallen else "green")
        table.add_row(name, Text(row["statement"]), Text(row["operator"]))
    Console(highlight=False).print(table)
    typer.echo(f"{len(rows)} lemmas")


def _print_details(details: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(details["text"]))
    facts = {
        "label": details["label"],
        "file": details["file"],
        "axioms": ", ".join(details["axioms"]) or "none",
        "premises": ", ".join(details["premises"]) or "none",
        "found by": details["operator"] or "nobody recorded",
        "checked by": details["toolchain"],
    }
    console.print()
    for key, value in facts.items():
        console.print(Text.assemble((f"{key:<11}", "bold"), value))
    for parent in details["parents"]:
        line = f"from       {parent['node']} ({parent['rating']}/5): {parent['explanation']}"
        console.print(Text(line))


def _print_report(report: CheckReport) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for each in report.findings:
        style = "red" if each.severity == "error" else "yellow"
        console.print(Text.assemble((each.code, style), f"  {each.where}: {each.message}"))
        console.print(Text(f"    {each.remedy}", style="dim"))
    verdict = ("sound", "green") if report.ok else ("not sound", "red")
    counted = f"  {report.proved} lemmas in {report.modules} modules proved again by "
    kernels = " and ".join(f"Lean {kernel}" for kernel in report.kernels)
    tail = f"{counted}{kernels} in {report.seconds:.1f} s"
    console.print(Text.assemble(verdict, tail))
