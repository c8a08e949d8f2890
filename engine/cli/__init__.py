"""The command line tool ``lemmata``. Each command has a file of its own; heavy imports wait."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.bench import bench_app
from engine.cli.discover import discover
from engine.cli.doctor import doctor
from engine.cli.explain import explain
from engine.cli.ingest import ingest
from engine.cli.library import library_app
from engine.cli.prove import prove
from engine.cli.search import search
from engine.cli.toolchain import toolchain_app
from engine.cli.trees import trees_app
from verifier.errors import ExitCode, LemmataError

app = typer.Typer(
    name="lemmata",
    help="Theorem discovery that puts formal verification first.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(discover)
app.command()(prove)
app.command()(explain)
app.command()(search)
app.command()(ingest)
app.add_typer(trees_app, name="trees")
app.add_typer(library_app, name="library")
app.add_typer(bench_app, name="bench")
app.add_typer(toolchain_app, name="toolchain")
app.command()(doctor)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"lemmata {version('lemmata')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Theorem discovery that puts formal verification first."""


def main() -> None:
    """Runs the tool; failures that a user can meet become a message and an exit code."""
    try:
        app()
    except LemmataError as error:
        _report(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(ExitCode.INTERRUPTED)


def _report(error: LemmataError) -> None:
    if "--json" in sys.argv:
        import orjson

        document = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
        sys.stdout.write(orjson.dumps(document).decode() + "\n")
        return
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"hint: {error.hint}", file=sys.stderr)
