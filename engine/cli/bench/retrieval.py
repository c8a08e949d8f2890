"""``lemmata bench retrieval``: are a proof's premises among the first theorems that are found?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from engine.evaluation.funnel_curve import CurveFigures
    from engine.evaluation.premise_check import RecheckFigures
    from engine.evaluation.ranking import Interval
    from engine.evaluation.retrieval_bench import Comparison, Difference, RetrievalFigures
    from engine.evaluation.search_library import SearchLibrary

SEED = 2603


def retrieval(
    sample: Annotated[int, typer.Option(min=0, help="Lemmas to ask about; 0 means all.")] = 0,
    neural: Annotated[bool, typer.Option(help="The packaged neural encoder as well.")] = True,
    curve: Annotated[bool, typer.Option(help="The funnel's cost up to 1,000,000 nodes.")] = True,
    recheck: Annotated[
        int, typer.Option(min=-1, help="Proofs of the data to run again; -1 means all.")
    ] = 20,
    make: Annotated[
        int, typer.Option(min=0, help="Make the data anew first, with so many lemmas.")
    ] = 0,
    base: Annotated[Path | None, typer.Option(help="The knowledge base to search.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure premise retrieval: flat, funnel, BM25, hybrid and neural search on proved lemmas.

    The lemmas and the premises of their proofs are part of Lemmata; a sample of the proofs is run
    again, so that you see that they hold.
    """
    found = _measure(sample, neural, curve, recheck, make, base)
    if json:
        import orjson

        text = {name: part.as_dict() for name, part in found.items()}
        options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
        typer.echo(orjson.dumps(text, option=options).decode())
        return
    _print(found)


def _measure(
    sample: int, neural: bool, curve: bool, recheck: int, make: int, base: Path | None
) -> dict[str, Any]:
    from engine.cli.progress import terminal_progress
    from engine.evaluation import retrieval_bench
    from engine.evaluation.premises import load_premises
    from engine.evaluation.search_library import open_library
    from engine.knowledge.place import base_folder
    from engine.settings import load_settings

    progress = terminal_progress()
    settings = load_settings()
    library = open_library(base or base_folder(settings), settings, neural, progress)
    if make:
        _make(library, make, base or base_folder(settings))
    premises = load_premises()
    found: dict[str, Any] = {}
    if recheck:
        found["recheck"] = _recheck(library, recheck)
    found["retrieval"] = retrieval_bench.measure(
        premises,
        library.nodes,
        library.stands,
        library.retrievers,
        library.missing,
        SEED,
        sample,
        progress,
    )
    if curve:
        from engine.evaluation.funnel_curve import measure_curve

        found["curve"] = measure_curve(
            library.vectors, settings=settings, progress=lambda what: progress.stage(what, None)
        )
        progress.done()
    return found


def _make(library: SearchLibrary, count: int, folder: Path) -> None:
    """Makes the data anew; an interrupted run goes on where it was."""
    from engine.cli.progress import terminal_progress
    from engine.evaluation.premise_making import PremiseMaker, make_premises
    from engine.evaluation.premises import save_premises
    from engine.kernels import second_kernel
    from engine.settings import load_settings
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.verifier import Verifier

    progress = terminal_progress()
    lean = ensure_installed(progress)
    second = second_kernel(load_settings(), lean, progress)
    journal = folder / "premises.journal"
    with Session(lean) as session:
        session.warm_up()
        maker = PremiseMaker(session, Verifier(session, second), library.nodes)
        made = make_premises(
            maker, library.nodes, count, SEED, str(session.toolchain), journal, progress
        )
    if second is not None:
        second.close()
    save_premises(made)
    journal.unlink(missing_ok=True)


def _recheck(library: SearchLibrary, count: int) -> RecheckFigures:
    from engine.cli.progress import terminal_progress
    from engine.evaluation.premise_check import recheck
    from engine.evaluation.premises import load_premises
    from engine.evaluation.retrieval_bench import sampled
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.verifier import Verifier

    progress = terminal_progress()
    lemmas = sampled(load_premises().lemmas, max(count, 0))
    with Session(ensure_installed(progress)) as session:
        session.warm_up()
        return recheck(Verifier(session), lemmas, library.nodes, progress)


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    if "recheck" in found:
        _print_recheck(console, found["recheck"])
    _print_retrieval(console, found["retrieval"])
    if "curve" in found:
        console.print(_curve(found["curve"]))


def _print_recheck(console: Any, figures: RecheckFigures) -> None:
    console.print(
        f"proofs run again: {figures.proofs}, verified: {figures.verified}, "
        f"with the same premises: {figures.same}"
    )
    for line in figures.different:
        console.print(f"  {line}")


def _print_retrieval(console: Any, figures: RetrievalFigures) -> None:
    console.print(
        f"{figures.lemmas} lemmas, {figures.premises:.1f} premises each on average, "
        f"among {figures.nodes:,} nodes"
    )
    for comparison in figures.comparisons:
        console.print(_table(comparison))
        if comparison.difference is not None:
            console.print(_difference(comparison.difference))
    for name, reason in figures.missing.items():
        console.print(f"{name}: {reason}")


def _title(comparison: Comparison) -> str:
    asked = "the elaborated statement" if comparison.asked == "node" else "the text alone"
    return f"Asked by {asked}{', plumbing counts' if comparison.plumbing else ''}"


def _table(comparison: Comparison) -> Any:
    from rich.table import Table

    table = Table(title=_title(comparison), title_justify="left", caption_justify="left")
    for name in ("", "recall@10", "recall@32", "MRR", "mean", "median", "distances"):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    for name, f in comparison.retrievers.items():
        table.add_row(
            name,
            *(_percent(i) for i in f.recall.values()),
            f"{f.mrr.mean:.3f}",
            f"{f.mean_ms:.1f} ms",
            f"{f.median_ms:.1f} ms",
            f"{f.comparisons:,.0f}",
        )
    return table


def _curve(figures: CurveFigures) -> Any:
    from rich.table import Table

    title = f"Cost of a search: T_C beside flat faiss, beyond {figures.library:,} nodes synthetic"
    table = Table(title=title, title_justify="left")
    for name in ("nodes", "distances", "share", "funnel", "flat", "recall of the ten nearest"):
        table.add_column(name, justify="right")
    for point in figures.points:
        table.add_row(
            f"{point.nodes:,}",
            f"{point.funnel_comparisons:,.0f}",
            f"{point.funnel_comparisons / point.flat_comparisons:.1%}",
            f"{1000 * point.funnel_query:.2f} ms",
            f"{1000 * point.flat_query:.2f} ms",
            f"{point.recall:.3f}",
        )
    return table


def _percent(found: Interval) -> str:
    """A share with half the width of its interval; ``--json`` has both ends."""
    return f"{100 * found.mean:.1f} ±{50 * (found.high - found.low):.1f}"


def _difference(found: Difference) -> str:
    points = ", ".join(
        f"{i.mean:+.1f} [{i.low:+.1f}, {i.high:+.1f}] points of recall@{k}"
        for k, i in found.recall.items()
    )
    return f"funnel less flat: {points}; {found.comparisons:.1%} of the distances"
