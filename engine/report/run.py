"""The report of a run: results, counts, one result's derivation chain, the navigation path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from engine.discovery import Result, RunReport, verified
from engine.knowledge.run import Retrieved
from engine.model import Label
from engine.report.chain import chain_lines
from engine.strategy.agent import Payoff

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 8
"""How many refuted and open candidates are printed; the JSON has all of them."""


def as_json(report: RunReport) -> str:
    """The report as one JSON document."""
    document: dict[str, Any] = {
        "run": report.run,
        "theory": report.theory,
        "goal": report.goal,
        "seconds": round(report.seconds, 2),
        "interrupted": report.interrupted,
        "counts": report.counts,
        "results": [asdict(r) for r in report.results],
        "choices": list(report.choices),
        "operators": {
            name: {**asdict(y), "seconds": round(y.seconds, 2)} for name, y in report.yields
        },
        "navigation": _navigation(report.retrieved),
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def print_report(report: RunReport, library: Path, console: Console | None = None) -> None:
    """Prints tables, counts, and for one result its chain and path."""
    from rich.console import Console

    console = console or Console()
    proved = verified(report.results)
    _print_table(console, "Verified", proved)
    for label, title in ((Label.REFUTED, "Refuted"), (Label.CONJECTURE, "Open conjectures")):
        _print_others(console, [r for r in report.results if r.label is label], title)
    _print_yields(console, report)
    counts = ", ".join(f"{n} {what}" for what, n in report.counts.items())
    console.print(f"\n{counts} in {report.seconds:.0f} s", highlight=False)
    if proved:
        _print_chain(console, _most_derived(proved), library)
        _print_path(console, report.retrieved)
        console.print(f"\nLibrary: {library}", highlight=False)
    else:
        console.print("Nothing new was verified. A longer --budget may help.", highlight=False)


def _print_table(console: Console, title: str, results: Sequence[Result]) -> None:
    if not results:
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"{title} ({len(results)})", title_justify="left")
    for column in ("name", "statement", "operator", "parents", "tactic", "s"):
        table.add_column(column, overflow="fold", justify="right" if column == "s" else "left")
    for r in results:
        row = (r.name, r.equation, r.operator, ", ".join(r.parents), r.tactic, f"{r.seconds:.1f}")
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _print_others(console: Console, results: Sequence[Result], title: str) -> None:
    if not results:
        return
    more = f", the first {SHOWN}" if len(results) > SHOWN else ""
    console.print(f"\n{title} ({len(results)}{more})", style="bold", highlight=False)
    for r in results[:SHOWN]:
        console.print(f"  {r.equation}", markup=False, highlight=False)
        first_line = r.reason.splitlines()[0] if r.reason else ""
        console.print(f"      {first_line}", style="dim", markup=False, highlight=False)


def _print_yields(console: Console, report: RunReport) -> None:
    """What each operator brought, and what became of it."""
    if not report.yields:
        return
    from rich.table import Table

    table = Table(title="Operators", title_justify="left")
    table.add_column("operator")
    outcomes = list(Payoff)
    for column in ("drafted", *outcomes, "s"):
        table.add_column(str(column), justify="right")
    for name, brought in report.yields:
        figures = (brought.drafted, *(getattr(brought, o) for o in outcomes))
        table.add_row(name, *map(str, figures), f"{brought.seconds:.0f}")
    console.print(table)


def _most_derived(proved: Sequence[Result]) -> Result:
    """The result whose proof is the longest: the most interesting chain to show."""
    return max(proved, key=lambda r: (len(r.proof), r.name))


def _print_chain(console: Console, result: Result, library: Path) -> None:
    from engine.library.library import Library

    console.print(f"\nDerivation chain of {result.name}", style="bold", highlight=False)
    with Library.read(library) as opened:
        for line in chain_lines(opened.store, result.node):
            console.print(f"  {line}", markup=False, highlight=False)


def _print_path(console: Console, retrieved: Retrieved | None) -> None:
    if retrieved is None:
        return
    console.print("\nNavigation path", style="bold", highlight=False)
    for line in path_lines(retrieved):
        console.print(f"  {line}", markup=False, highlight=False)


def path_lines(retrieved: Retrieved) -> list[str]:
    """The way of the funnel to its best hit, and how much it looked at."""
    retrieval = retrieved.retrieval
    lines = []
    if retrieval.hits:
        best = retrieval.hits[0]
        for step in best.path.steps:
            lines.append(f"level {step.level}: {step.summary}  (cos {step.cosine:.2f})")
        lines.append(f"-> {best.node}  (cos {best.score:.2f})")
    kept = len(retrieved.ancestors)
    lines.append(
        f"{len(retrieval.hits)} hits and {kept} ancestors from {retrieval.visits} of at most "
        f"{retrieval.budget} clusters"
    )
    return lines


def _navigation(retrieved: Retrieved | None) -> dict[str, Any] | None:
    if retrieved is None:
        return None
    return {
        "hits": [h.model_dump(mode="json") for h in retrieved.retrieval.hits],
        "ancestors": [a.model_dump(mode="json") for a in retrieved.ancestors],
        "visits": retrieved.retrieval.visits,
        "budget": retrieved.retrieval.budget,
    }
