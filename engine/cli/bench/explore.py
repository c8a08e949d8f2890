"""``lemmata bench explore``: QuickSpec's published laws, found again and proved."""

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

    from engine.evaluation.explore_bench import ExploreFigures, TheoryFigures


def explore(
    theory: QuickSpecTheories = None,
    budget: Budget = "120s",
    jobs: Jobs = 0,
    lemmas: Annotated[
        bool, typer.Option("--lemmas", help="List the verified lemmas of each theory as well.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Discover in QuickSpec's theories, and compare with the laws that QuickSpec published.

    The laws are read from the benchmark folder `quickspec` (see LEMMATA_BENCHMARKS in
    docs/bench.md). The scoring comes on top of the time for discovery.
    """
    figures = _measure(theory, budget, jobs)
    show(figures, json, lambda f, console: print_figures(f, lemmas, console))


def _measure(theory: list[str] | None, budget: str, jobs: int) -> ExploreFigures:
    from engine.evaluation.benchmarks import benchmark_folder
    from engine.evaluation.explore_bench import measure
    from engine.evaluation.goldens import BENCHMARK, DICTIONARIES

    names = chosen_theories(theory, list(DICTIONARIES))
    folder = benchmark_folder(BENCHMARK)
    with open_bench(budget, jobs) as bench:
        return measure(bench, folder, names)


def print_figures(figures: ExploreFigures, lemmas: bool, console: Console) -> None:
    """Prints the table, the missing laws by name, and the total.

    Args:
        figures: What was measured.
        lemmas: Whether to list the verified lemmas before the missing laws.
        console: Where to.
    """
    console.print(_table(figures))
    for theory in figures.theories:
        if lemmas:
            _print_lemmas(theory, console)
        for law in theory.missing:
            console.print(f"missing in {theory.theory}: {law.name}. {law.text}", markup=False)
    share = figures.covered / figures.laws if figures.laws else 0.0
    console.print(f"{figures.covered} of {figures.laws} laws found or implied: {share:.1%}")


def _print_lemmas(theory: TheoryFigures, console: Console) -> None:
    """Lists lemmas as they were found: when, by which operator, whether they say anything new."""
    console.print(f"lemmas of {theory.theory}:", markup=False)
    for lemma in theory.discovered:
        mark = "  (redundant)" if lemma.name in theory.redundant else ""
        line = f"{lemma.after:7.1f} s  {lemma.operator:<14}  {lemma.name} {lemma.statement}{mark}"
        console.print(line, markup=False)


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
