"""``lemmata bench refute``: false statements refuted, and true ones that must not be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.bench.output import AsJson, notify, show

if TYPE_CHECKING:
    from rich.console import Console

    from engine.evaluation.refute_bench import RefuteFigures

SHOWN = 100


def refute(
    sample: Annotated[int, typer.Option(min=0, help="So many of each folder; 0 means all.")] = 0,
    seconds: Annotated[float, typer.Option(min=0.1, help="Limit of a search.")] = 8.0,
    true: Annotated[bool, typer.Option(help="Also the statements that are true.")] = True,
    json: AsJson = False,
) -> None:
    """Measure the falsifier: TIP's false problems refuted, its true ones not."""
    show(_measure(sample, seconds, true), json, print_figures)


def _measure(sample: int, seconds: float, true: bool) -> RefuteFigures:
    from engine.cli.progress import terminal_progress
    from engine.evaluation.refute_bench import FALSE, TRUE, measure, problems
    from engine.kernels import second_kernel
    from engine.settings import load_settings
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.verifier import Verifier

    files = problems((FALSE, *TRUE) if true else (FALSE,), sample)
    progress = terminal_progress()
    lean = ensure_installed(progress)
    second = second_kernel(load_settings(), lean, progress)
    try:
        with Session(lean) as session:
            session.warm_up()
            verifier = Verifier(session, second)
            return measure(session, verifier, files, progress, notify, seconds)
    finally:
        if second is not None:
            second.close()


def print_figures(figures: RefuteFigures, console: Console) -> None:
    """Prints the numbers, and by name what should have come out otherwise."""
    from rich.table import Table

    from engine.evaluation.refute_bench import CONFIRMED, FALSE, TRUE, UNCONFIRMED

    table = Table(
        title="Counterexamples, confirmed by Lean", title_justify="left", show_header=False
    )
    table.add_column()
    table.add_column(justify="right")
    for row in _rows(figures):
        table.add_row(*row)
    console.print(table)
    for o in figures.outcomes:
        wrong = o.folder in TRUE and o.outcome in (CONFIRMED, UNCONFIRMED)
        missing = o.folder == FALSE and o.outcome != CONFIRMED
        if wrong or missing:
            said = o.counterexample.replace("\n", " ")[:SHOWN]
            console.print(f"  {o.folder}/{o.name}: {o.outcome} {said}".rstrip(), markup=False)


def _rows(figures: RefuteFigures) -> list[tuple[str, str]]:
    f = figures.as_dict()
    rows = [
        ("false statements", str(f["false"])),
        ("refuted", str(f["refuted"])),
        ("values found, no proof of the negation", str(f["unconfirmed"])),
        ("without a translation", str(f["untranslated"])),
        ("time of a refutation, mean", _seconds(f["seconds_mean"])),
        ("  longest", _seconds(f["seconds_max"])),
    ]
    if f["true"]:
        rows += [
            ("true statements", str(f["true"])),
            ("refuted (must be 0)", str(f["true_refuted"])),
            ("values found, no proof", str(f["true_unconfirmed"])),
            ("time of a search, mean", _seconds(f["true_seconds_mean"])),
        ]
    return rows


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"
