"""What was drafted, for a reader: each candidate with its fate and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from engine.store import CandidateRecord, Store

PRUNED = "pruned"
_STYLES = {
    "verified": "green",
    "refuted": "red",
    "retracted": "red",
    "conjecture": "yellow",
    PRUNED: "dim",
}


def rows(store: Store, outcome: str, theory: str, run: str) -> list[dict[str, Any]]:
    """The candidates that satisfy every given filter, oldest first.

    Args:
        store: Open.
        outcome: A label, or ``pruned`` for those that were dropped without one; empty for all.
        theory: Name of a module, or empty.
        run: Only those that this run decided, or empty.
    """
    decided = {(t.theory, t.canonical) for t in store.trials(run)} if run else None
    return [
        _row(store, record)
        for record in store.candidates(theory or None)
        if outcome in ("", _outcome(record))
        and (decided is None or (record.theory, record.candidate.canonical) in decided)
    ]


def conflicts(store: Store, theory: str) -> list[dict[str, Any]]:
    """The contradictions among conjectures that Lean proved."""
    return [record.model_dump(mode="json") for record in store.contradictions(theory or None)]


def _row(store: Store, record: CandidateRecord) -> dict[str, Any]:
    failures = store.failures(record.theory, record.candidate.canonical)
    return {
        "statement": record.candidate.statement,
        "theory": record.theory,
        "operator": record.candidate.operator,
        "stage": record.stage.value,
        "outcome": _outcome(record),
        "reason": record.reason,
        "counterexample": record.counterexample,
        "attempts": record.attempts,
        "seconds": round(record.seconds, 3),
        "stuck": failures[-1].stuck if failures else "",
        "last_seen": record.last_seen.isoformat(),
    }


def _outcome(record: CandidateRecord) -> str:
    return record.outcome.value if record.outcome else PRUNED


def print_candidates(
    found: Sequence[Mapping[str, Any]], contradictory: Sequence[Mapping[str, Any]]
) -> None:
    """Prints each candidate with its fate, and a count of all."""
    console = Console(highlight=False, soft_wrap=True)
    for row in found:
        fate = row["outcome"]
        console.print(Text.assemble((f"{fate:<11}", _STYLES[fate]), row["statement"]))
        tried = f", {row['attempts']} proof attempts" if row["attempts"] else ""
        spent = f" in {row['seconds']:.1f} s" if row["seconds"] else ""
        origin = f"{row['operator']}, decided by the {row['stage']}{tried}{spent}"
        console.print(Text(f"           {origin}", style="dim"))
        for line in (row["reason"], row["counterexample"], row["stuck"]):
            if line:
                console.print(Text(f"           {line.splitlines()[0]}", style="dim"))
    for conflict in contradictory:
        other = conflict["other"] or "the library"
        console.print(
            Text.assemble(("contradiction", "red"), f"  {conflict['one']}  against  {other}")
        )
    console.print(f"{len(found)} {'candidate' if len(found) == 1 else 'candidates'}")
