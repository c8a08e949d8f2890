"""The summary of a batch: by label and reason, and a line for each statement that is not proved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.proving.batch import BatchReport
from engine.proving.result import Label, Result

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 20
"""How many results of a label are printed; the results file has all of them."""


def as_json(report: BatchReport, written: Sequence[str]) -> str:
    """The report as one JSON document."""
    import orjson

    document = {
        "seconds": round(report.seconds, 2),
        "interrupted": report.interrupted,
        "counts": [
            {"label": label, "reason": reason, "count": count}
            for (label, reason), count in sorted(report.counts.items())
        ],
        "results": [r.model_dump(mode="json") for r in report.results],
        "written": list(written),
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def print_report(
    report: BatchReport, written: Sequence[str], console: Console | None = None
) -> None:
    """Prints the proofs, what is left, the counts, and what was written."""
    from rich.console import Console

    console = console or Console()
    by_label = {label: [r for r in report.results if r.label is label] for label in Label}
    for label in Label:
        _print_group(console, label, by_label[label])
    console.print(f"\n{_counts(report)} in {report.seconds:.0f} s", highlight=False)
    for path in written:
        console.print(f"written: {path}", markup=False, highlight=False, soft_wrap=True)


def _print_group(console: Console, label: Label, results: Sequence[Result]) -> None:
    if not results:
        return
    more = f", the first {SHOWN}" if len(results) > SHOWN else ""
    title = str(label).replace("_", " ")
    console.print(f"\n{title} ({len(results)}{more})", style="bold", highlight=False)
    for result in results[:SHOWN]:
        console.print(f"  {line_of(result)}", markup=False, highlight=False, soft_wrap=True)


def line_of(result: Result) -> str:
    """A result on one line: where, what, and how it was proved or why it was not."""
    place = f"{result.document}:{result.line}"
    what = f"{result.name} {one_line(result.statement)}".strip()
    if result.label is Label.VERIFIED:
        how = f"{one_line(result.tactic, 60)}, {result.seconds:.1f} s" if result.tactic else ""
    else:
        how = f"{result.reason}: {one_line(result.message)}".removesuffix(": ")
    warning = "vacuous: its hypotheses contradict each other" if result.vacuous else ""
    return "  ".join(part for part in (place, what, f"[{how}]" if how else "", warning) if part)


def one_line(text: str, width: int = 100) -> str:
    """The text on one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _counts(report: BatchReport) -> str:
    total = len(report.results)
    parts = []
    for label in Label:
        reasons = {
            reason: count for (name, reason), count in report.counts.items() if name == label
        }
        if not reasons:
            continue
        detail = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
        shown = "" if label is Label.VERIFIED else f" ({detail})"
        parts.append(f"{sum(reasons.values())} {str(label).replace('_', ' ')}{shown}")
    noun = "statement" if total == 1 else "statements"
    return f"{total} {noun}: {', '.join(parts) or 'nothing to prove'}"
