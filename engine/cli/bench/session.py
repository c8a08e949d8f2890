"""``lemmata bench session``: a warm session beside a process for each theorem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.evaluation.session_bench import SessionFigures


def session(
    count: Annotated[int, typer.Option(min=10, help="Theorems in the warm session.")] = 200,
    processes: Annotated[int, typer.Option(min=1, help="Theorems that get a process each.")] = 5,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare a warm Lean session with one process for each theorem, in one run."""
    from engine.cli.progress import terminal_progress
    from engine.evaluation.session_bench import measure
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed

    lean = ensure_installed(terminal_progress())
    figures = measure(lambda: Session(lean), count, processes, terminal_progress())
    if json:
        import orjson

        typer.echo(orjson.dumps(figures.as_dict(), option=orjson.OPT_INDENT_2).decode())
        return
    _print(figures)


def _print(figures: SessionFigures) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="A warm session", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    rows = (
        ("ready after", f"{figures.ready:.1f} s"),
        ("import Init", f"{figures.imported:.1f} s"),
        ("simple theorems checked in one process", f"{figures.checked}"),
        ("  a second, kernel's second look included", f"{figures.per_second:.1f}"),
        ("  a second, without it", f"{figures.per_second_without_replay:.1f}"),
        ("  median of one", f"{figures.median_milliseconds:.1f} ms"),
        (f"a process for each (median of {figures.processes})", f"{figures.process_each:.1f} s"),
        ("ratio", f"{figures.ratio:.0f} times"),
    )
    for row in rows:
        table.add_row(*row)
    Console().print(table)
