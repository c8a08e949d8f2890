"""``lemmata bench hints``: does retrieval help proving?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.bench.output import AsJson, show

if TYPE_CHECKING:
    from rich.console import Console

    from engine.evaluation.hints_bench import HintFigures

SEED = 2603


def hints(
    count: Annotated[int, typer.Option(min=4, help="Statements, a quarter for training.")] = 200,
    budget: Annotated[float, typer.Option(min=0.1, help="Seconds for a statement and arm.")] = 3.0,
    also: Annotated[
        list[str] | None, typer.Option(help="Hints of another search as well: flat, BM25, hybrid.")
    ] = None,
    base: Annotated[Path | None, typer.Option(help="The knowledge base to search.")] = None,
    json: AsJson = False,
) -> None:
    """Prove the same statements with no hints, random hints and hints from the funnel."""
    show(_measure(count, budget, also or [], base), json, _print)


def _measure(count: int, budget: float, also: list[str], base: Path | None) -> HintFigures:
    from engine.cli.progress import terminal_progress
    from engine.evaluation import hints_bench
    from engine.evaluation.hint_search import Arena
    from engine.evaluation.premises import IMPORTS
    from engine.evaluation.retrieval_bench import FUNNEL
    from engine.evaluation.search_library import finder_of, open_library, theorem_names
    from engine.knowledge.place import base_folder
    from engine.settings import load_settings
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.verifier import Verifier

    progress, settings = terminal_progress(), load_settings()
    library = open_library(base or base_folder(settings), settings, False, progress)
    finders = {
        hints_bench.RANDOM: hints_bench.random_finder(theorem_names(library), SEED),
        **{name: finder_of(library, name) for name in (FUNNEL, *also)},
    }
    with Session(ensure_installed(progress)) as session:
        session.warm_up(IMPORTS)
        arena = Arena(session, Verifier(session), library.nodes)
        return hints_bench.measure(arena, finders, FUNNEL, count, budget, SEED, progress)


def _print(figures: HintFigures, console: Console) -> None:
    console.print(
        f"{figures.statements} statements (and {figures.training} to choose the packing) "
        f"of {figures.tried} theorems, {figures.budget:g} s each; "
        f"hints an attempt: {figures.packing}"
    )
    console.print(_arms(figures))
    for pair in figures.paired:
        console.print(
            f"only {pair.one}: {pair.only_one}, only {pair.other}: {pair.only_other}, "
            f"sign test p = {pair.p:.2g}"
        )
    console.print(f"proofs that the verifier refused: {figures.refused}")


def _arms(figures: HintFigures) -> Any:
    from rich.table import Table

    table = Table(title="Proved, of the same statements", title_justify="left")
    for name in ("", "solved", "share", "with a hint", "time each", "time to a proof", "attempts"):
        table.add_column(name, justify="left" if not name else "right")
    for name, arm in figures.arms.items():
        table.add_row(
            name,
            str(arm.solved),
            f"{arm.solved / max(1, figures.statements):.0%}",
            str(arm.hinted),
            f"{arm.seconds:.2f} s",
            f"{arm.to_proof:.2f} s",
            f"{arm.attempts:.1f}",
        )
    return table
