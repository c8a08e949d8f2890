"""``lemmata bench explore``: QuickSpec's published laws, found again and proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from engine.evaluation.explore_bench import ExploreFigures, TheoryFigures


def explore(
    theory: Annotated[
        list[str] | None,
        typer.Option(help="Only this theory: Arith, Bools, Lists, ListHOF, Sorted; repeatable."),
    ] = None,
    budget: Annotated[str, typer.Option(help="Time for each discovery: 90s, 2m.")] = "120s",
    jobs: Annotated[int, typer.Option(help="Provers in parallel; 0 means one a core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Discover in QuickSpec's theories, and compare with the laws that QuickSpec published.

    The laws are read from the benchmark folder `quickspec` (see LEMMATA_BENCHMARKS in
    docs/bench.md). The scoring comes on top of the time for discovery.
    """
    figures = _measure(theory, budget, jobs)
    if json:
        import orjson

        typer.echo(orjson.dumps(figures.as_dict(), option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    print_figures(figures, Console(highlight=False, soft_wrap=True))


def _measure(theory: list[str] | None, budget: str, jobs: int) -> ExploreFigures:
    from engine.cli.bench.discovery import chosen_theories, open_workshop
    from engine.cli.discover import seconds_of
    from engine.cli.progress import terminal_progress
    from engine.evaluation.benchmarks import benchmark_folder
    from engine.evaluation.explore_bench import measure
    from engine.evaluation.goldens import BENCHMARK, DICTIONARIES

    seconds = seconds_of(budget)
    names = chosen_theories(theory, list(DICTIONARIES))
    folder = benchmark_folder(BENCHMARK)
    progress = terminal_progress()
    with open_workshop(jobs, progress) as workshop:
        return measure(workshop, folder, names, seconds, progress)


def print_figures(figures: ExploreFigures, console: Console) -> None:
    """Prints the table, the missing laws by name, and the total."""
    console.print(_table(figures))
    for theory in figures.theories:
        for law in theory.missing:
            console.print(f"missing in {theory.theory}: {law.name}. {law.text}", markup=False)
    share = figures.covered / figures.laws if figures.laws else 0.0
    console.print(f"{figures.covered} of {figures.laws} laws found or implied: {share:.1%}")


def _table(figures: ExploreFigures) -> Table:
    from rich.table import Table

    title = f"QuickSpec's laws, {figures.budget:.0f} s of discovery for each theory"
    table = Table(title=title, title_justify="left", padding=0)
    columns = ("theory", "laws", "found", "implied", "by def.", "missing", "lemmas")
    for name in (*columns, "redundant", "s"):
        table.add_column(name, justify="left" if name == "theory" else "right")
    for theory in figures.theories:
        table.add_row(*_row(theory))
    return table


def _row(theory: TheoryFigures) -> list[str]:
    from engine.evaluation.explore_bench import DEFINED, FOUND, IMPLIED, MISSING

    fates = [str(theory.count(fate)) for fate in (FOUND, IMPLIED, DEFINED, MISSING)]
    return [
        theory.theory,
        str(len(theory.goldens)),
        *fates,
        str(len(theory.discovered)),
        str(len(theory.redundant)),
        f"{theory.seconds:.0f}",
    ]
