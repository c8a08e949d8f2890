"""``lemmata toolchain``: the embedded Lean as the commands ``lean`` and ``lake``."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

toolchain_app = typer.Typer(
    name="toolchain",
    help="Use the embedded Lean as the commands lean and lake.",
    invoke_without_command=True,
)


@toolchain_app.callback()
def show(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Use the embedded Lean as the commands lean and lake; show where they are."""
    if context.invoked_subcommand is not None:
        return
    from verifier.toolchain.embedded import layout, pins

    commands = _commands()
    lean = layout.EmbeddedLean.at(layout.installation_root())
    if json:
        import orjson

        facts = {
            "commands": str(commands),
            "prefix": str(lean.root),
            "lean_version": pins.LEAN_VERSION,
            "lean_commit": pins.LEAN_COMMIT,
        }
        typer.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    typer.echo(f"Lean      {pins.LEAN_VERSION}, commit {pins.LEAN_COMMIT}")
    typer.echo(f"prefix    {lean.root}")
    typer.echo(f"commands  {commands}")
    typer.echo('In this shell: eval "$(lemmata toolchain env)"')
    typer.echo("For good:      lemmata toolchain install ~/.local/bin")


@toolchain_app.command()
def path() -> None:
    """Print the folder that holds the commands lean and lake."""
    typer.echo(_commands())


@toolchain_app.command()
def env() -> None:
    """Print a line of shell that puts the commands first on PATH."""
    typer.echo(f"export PATH={shlex.quote(str(_commands()))}{os.pathsep}$PATH")


@toolchain_app.command()
def install(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder on your PATH.")],
) -> None:
    """Write the commands lean and lake into a folder.

    Another program of one of these names, a native Lean for instance, is never replaced.
    """
    from verifier.toolchain.embedded.commands.scripts import install_commands

    _ensure_lean()
    for program in install_commands(folder.expanduser().absolute()):
        typer.echo(program)


def _commands() -> Path:
    from verifier.toolchain.embedded.commands.scripts import ensure_commands

    _ensure_lean()
    return ensure_commands()


def _ensure_lean() -> None:
    from engine.cli.progress import terminal_progress
    from verifier.toolchain.embedded import install

    install.ensure_installed(terminal_progress())
