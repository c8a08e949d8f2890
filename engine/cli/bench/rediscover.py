"""``lemmata bench rediscover``: core's own lemmas, found again from the definitions alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.bench.discovery import Budget, Jobs, chosen_theories, open_bench
from engine.cli.bench.output import AsJson, show

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from engine.evaluation.rediscover_bench import CopyFigures, RediscoverFigures

FOREIGN = 6
"""Constants that put most lemmas out of scope, as many as are printed; the JSON has all."""


def rediscover(
    theory: Annotated[
        list[str] | None,
        typer.Option(help="Only this one: Naturals, Lists, Filters, Options, Bools; repeatable."),
    ] = None,
    budget: Budget = "120s",
    jobs: Jobs = 0,
    missing: Annotated[bool, typer.Option("--missing", help="List what was missed.")] = False,
    json: AsJson = False,
) -> None:
    """Discover in copies of core's definitions, and compare with core's own lemmas about them.

    The lemmas are read from the modules of the embedded Lean. The scoring comes on top of the time
    for discovery, and may take longer than it.
    """
    figures = _measure(theory, budget, jobs)
    show(figures, json, lambda f, console: print_figures(f, missing, console))


def _measure(theory: list[str] | None, budget: str, jobs: int) -> RediscoverFigures:
    from engine.evaluation.core_copies import COPIES
    from engine.evaluation.rediscover_bench import measure

    names = chosen_theories(theory, [copy.theory for copy in COPIES])
    with open_bench(budget, jobs) as bench:
        return measure(bench, [copy for copy in COPIES if copy.theory in names])


def print_figures(figures: RediscoverFigures, missing: bool, console: Console) -> None:
    """Prints recall and precision of each copy, and what is out of scope.

    Args:
        figures: What was measured.
        missing: Whether to list the lemmas of core that were missed.
        console: Where to.
    """
    console.print(_table(figures))
    for copy in figures.copies:
        console.print(f"{copy.theory}: {_scope(copy)}", markup=False)
        if missing:
            for law in copy.gold:
                if law.fate == "missing":
                    console.print(f"  missed: {law.text}", markup=False)


def _scope(copy: CopyFigures) -> str:
    """How many lemmas of core are about other constants as well, and which those are."""
    most = [f"{name} {n}" for name, n in list(copy.foreign.items())[:FOREIGN]]
    more = f", {len(copy.foreign) - FOREIGN} other constants" if len(copy.foreign) > FOREIGN else ""
    out = sum(copy.foreign.values())
    modules = ", ".join(copy.modules)
    return f"{out} lemmas of {modules} speak of other constants ({', '.join(most)}{more})"


def _table(figures: RediscoverFigures) -> Table:
    from rich.table import Table

    title = f"Core's own lemmas, {figures.budget:.0f} s of discovery for each copy"
    table = Table(title=title, title_justify="left", padding=0)
    columns = ("copy", "gold", "found", "implied", "by def.", "missing", "recall")
    for name in (*columns, "without def.", "lemmas", "precision", "s"):
        table.add_column(name, justify="left" if name == "copy" else "right")
    for copy in figures.copies:
        table.add_row(*_row(copy))
    return table


def _row(copy: CopyFigures) -> list[str]:
    from engine.evaluation.explore_bench import DEFINED, FOUND, IMPLIED, MISSING

    fates = [str(copy.count(fate)) for fate in (FOUND, IMPLIED, DEFINED, MISSING)]
    return [
        copy.theory,
        str(len(copy.gold)),
        *fates,
        f"{copy.recall:.0%}",
        f"{copy.hard_recall:.0%}",
        str(len(copy.lemmas)),
        f"{copy.precision:.0%}",
        f"{copy.seconds:.0f}",
    ]
