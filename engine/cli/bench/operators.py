"""``lemmata bench operators``: what is lost when an operator is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.bench.discovery import (
    Budget,
    Jobs,
    QuickSpecTheories,
    chosen_theories,
    open_bench,
)
from engine.cli.bench.output import AsJson, show

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from engine.evaluation.operators_bench import OperatorFigures


def operators(
    theory: QuickSpecTheories = None,
    operator: Annotated[
        list[str] | None, typer.Option(help="Switch off only this operator; repeatable.")
    ] = None,
    budget: Budget = "60s",
    jobs: Jobs = 0,
    json: AsJson = False,
) -> None:
    """Discover in QuickSpec's theories with all operators, and with all but one.

    Each arm is a run of its own with the same budget. The arm with all operators runs twice: what
    it differs by from itself is noise.
    """
    show(_measure(theory, operator, budget, jobs), json, print_figures)


def _measure(
    theory: list[str] | None, operator: list[str] | None, budget: str, jobs: int
) -> OperatorFigures:
    from engine.evaluation.benchmarks import benchmark_folder
    from engine.evaluation.goldens import BENCHMARK, DICTIONARIES
    from engine.evaluation.operators_bench import measure
    from engine.strategy.operators import chosen_operators

    names = chosen_theories(theory, list(DICTIONARIES))
    left_out = chosen_operators(operator or ())
    folder = benchmark_folder(BENCHMARK)
    with open_bench(budget, jobs) as bench:
        return measure(bench, folder, names, left_out)


def print_figures(figures: OperatorFigures, console: Console) -> None:
    """Prints the arms over all theories, then each theory."""
    console.print(_totals(figures))
    console.print(_by_theory(figures))


def _totals(figures: OperatorFigures) -> Table:
    from rich.table import Table

    from engine.evaluation.operators_bench import MILESTONES

    title = f"Lemmas, and laws found and covered, {figures.budget:.0f} s for each theory and arm"
    table = Table(title=title, title_justify="left", padding=0)
    table.add_column("without", no_wrap=True)
    for name in ("lemmas", "found", "covered"):
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
    table.add_column("without", no_wrap=True)
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
