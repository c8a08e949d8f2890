"""How much a warm session saves: simple theorems in one process, beside one process for each."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import count, cycle, islice
from typing import Any

from verifier.lean import Environment, Statement
from verifier.progress import Progress, SilentProgress
from verifier.session import Session
from verifier.verifier import Verifier

TEMPLATES = (
    ("(p q : Prop) (h : p ∧ q) : q ∧ p", "⟨h.2, h.1⟩"),
    ("(a b : Nat) (h : a = b) : b = a", "h.symm"),
    ("(a b : Nat) : a + b = b + a", "Nat.add_comm a b"),
    ("(xs : List Nat) : xs ++ [] = xs", "by simp"),
    ("(p : Prop) (h : p) : p ∨ False", "Or.inl h"),
    ("(f : Nat → Nat) (a b : Nat) (h : a = b) : f a = f b", "by rw [h]"),
    ("(xs : List Nat) : xs = xs", "rfl"),
    (": 2 + 2 = 4", "by decide"),
    ("(a b : Nat) (h : a ≤ b) : a < b + 1", "by omega"),
    ("(a b c : Nat) (h : a = b) (g : b = c) : a = c", "by simp [h, g]"),
)
"""Statements and proofs of the mix: terms, rfl, rw, simp, decide and omega."""

SECONDS = 60.0


@dataclass(frozen=True)
class SessionFigures:
    """What one run measured; times in seconds.

    Attributes:
        ready: From the start of the process to its first answer, the import of Init aside.
        imported: The import of Init.
        checked: Theorems checked in one process, statement alone and kernel's second look included.
        per_second: Of those, and of the same without the second look.
        median_milliseconds: Of one check.
        process_each: Median time of a theorem that has a process of its own.
        ratio: How many times faster the warm session is.
    """

    ready: float
    imported: float
    checked: int
    per_second: float
    per_second_without_replay: float
    median_milliseconds: float
    process_each: float
    processes: int
    ratio: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def measure(
    start: Callable[[], Session], theorems: int, processes: int, progress: Progress | None = None
) -> SessionFigures:
    """Measures a warm session and single-use processes in one run.

    Args:
        start: Makes a session that has not started.
        theorems: How many in the warm session.
        processes: How many with a process each.
        progress: Told of each theorem.

    Raises:
        AssertionError: A theorem of the mix was not verified; then the figures mean nothing.
    """
    progress = progress or SilentProgress()
    base = Environment(("Init",))
    progress.stage("one process", 2 * theorems)
    with start() as session:
        session.start()
        ready = session.seconds_to_ready
        before = time.perf_counter()
        session.messages(base, "", "")
        imported = time.perf_counter() - before
        session.warm_up()
        verifier = Verifier(session)
        numbers = count()
        full = [_check(verifier, s, p, progress) for s, p in _mix(base, theorems, numbers)]
        quick = [_attempt(verifier, s, p, progress) for s, p in _mix(base, theorems, numbers)]
    progress.stage("one process for each", processes)
    single = [_alone(start, s, p, progress) for s, p in _mix(base, processes, numbers)]
    progress.done()
    each = statistics.median(single)
    rate = theorems / sum(full)
    return SessionFigures(
        ready=ready,
        imported=imported,
        checked=theorems,
        per_second=rate,
        per_second_without_replay=theorems / sum(quick),
        median_milliseconds=1000 * statistics.median(full),
        process_each=each,
        processes=processes,
        ratio=each * rate,
    )


def _mix(base: Environment, size: int, numbers: Iterator[int]) -> Iterator[tuple[Statement, str]]:
    """Statements of the mix; each has a name of its own, so that nothing is answered twice."""
    for signature, proof in islice(cycle(TEMPLATES), size):
        yield Statement(base, f"simple_{next(numbers)}", signature), proof


def _check(verifier: Verifier, statement: Statement, proof: str, progress: Progress) -> float:
    before = time.perf_counter()
    verdict = verifier.check(statement, proof, SECONDS)
    elapsed = time.perf_counter() - before
    if not verdict.verified:
        raise AssertionError(f"{statement.signature}: {verdict.reason} {verdict.message}")
    progress.advance(1)
    return elapsed


def _attempt(verifier: Verifier, statement: Statement, proof: str, progress: Progress) -> float:
    before = time.perf_counter()
    finding = verifier.attempt(statement, proof, SECONDS)
    elapsed = time.perf_counter() - before
    if finding is not None:
        raise AssertionError(f"{statement.signature}: {finding}")
    progress.advance(1)
    return elapsed


def _alone(
    start: Callable[[], Session], statement: Statement, proof: str, progress: Progress
) -> float:
    before = time.perf_counter()
    with start() as session:
        _check(Verifier(session), statement, proof, SilentProgress())
    progress.advance(1)
    return time.perf_counter() - before
