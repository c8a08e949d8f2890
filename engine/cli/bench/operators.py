"""``lemmata bench operators``: what is lost when an operator is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from engine.evaluation.operators_bench import OperatorFigures


def operators(
    theory: Annotated[
        list[str] | None,
        typer.Option(help="Only this theory: Arith, Bools, Lists, ListHOF, Sorted; repeatable."),
    ] = None,
    budget: Annotated[str, typer.Option(help="Time for each discovery: 90s, 2m.")] = "60s",
    jobs: Annotated[int, typer.Option(help="Provers in parallel; 0 means one a core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Discover in QuickSpec's theories with all operators, and with all but one.

    Each arm is a run of its own with the same budget. The arm with all operators runs twice: what
    it differs by from itself is noise.
    """
    figures = _measure(theory, budget, jobs)
    if json:
        import orjson

        typer.echo(orjson.dumps(figures.as_dict(), option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    print_figures(figures, Console(highlight=False, soft_wrap=True))


def _measure(theory: list[str] | None, budget: str, jobs: int) -> OperatorFigures:
    from engine.cli.bench.discovery import chosen_theories, open_workshop
    from engine.cli.discover import seconds_of
    from engine.cli.progress import terminal_progress
    from engine.evaluation.benchmarks import benchmark_folder
    from engine.evaluation.goldens import BENCHMARK, DICTIONARIES
    from engine.evaluation.operators_bench import measure

    seconds = seconds_of(budget)
    names = chosen_theories(theory, list(DICTIONARIES))
    folder = benchmark_folder(BENCHMARK)
    progress = terminal_progress()
    with open_workshop(jobs, progress) as workshop:
        return measure(workshop, folder, names, seconds, progress)


def print_figures(figures: OperatorFigures, console: Console) -> None:
    """Prints the arms over all theories, then each theory."""
    console.print(_totals(figures))
    console.print(_by_theory(figures))


def _totals(figures: OperatorFigures) -> Table:
    from rich.table import Table

    from engine.evaluation.operators_bench import MILESTONES

    title = f"Operators, {figures.budget:.0f} s of discovery for each theory and arm"
    table = Table(title=title, title_justify="left")
    table.add_column("without")
    for name in ("lemmas", "laws found", "laws covered"):
        table.add_column(name, justify="right", no_wrap=True)
    for n in MILESTONES:
        table.add_column(f"time to {n}", justify="right", no_wrap=True)
    for total in figures.totals:
        ratios = [total.milestones.get(n) for n in MILESTONES]
        table.add_row(
            _arm(total.arm),
            *(
                f"{value} ({total.more[what]:+d})"
                for what, value in (
                    ("lemmas", total.lemmas),
                    ("found", total.found),
                    ("covered", total.covered),
                )
            ),
            *("-" if r is None else f"{r:.2f} times" for r in ratios),
        )
    return table


def _by_theory(figures: OperatorFigures) -> Table:
    from rich.table import Table

    table = Table(title="Laws covered and lemmas, by theory", title_justify="left")
    names = list(dict.fromkeys(run.theory for run in figures.runs))
    table.add_column("without")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for arm in (total.arm for total in figures.totals):
        runs = {run.theory: run for run in figures.runs if run.arm == arm}
        cells = (f"{runs[n].covered}/{runs[n].goldens}, {runs[n].lemmas}" for n in names)
        table.add_row(_arm(arm), *cells)
    return table


def _arm(arm: str) -> str:
    from engine.evaluation.operators_bench import AGAIN, ALL

    return {ALL: "nothing", AGAIN: "nothing, again"}.get(arm, arm)
