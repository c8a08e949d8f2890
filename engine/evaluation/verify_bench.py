"""What verdicts cost and what they withstand: the second kernel, mutants, the pool, `lean`."""

from __future__ import annotations

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from engine.evaluation.corpus import Theorem, core, theories
from engine.evaluation.mixture import Case, mixture
from engine.evaluation.mutation import mutants
from verifier.audit import ALLOWED_AXIOMS
from verifier.batch import Candidate, check_many
from verifier.kernel.second import SecondKernel
from verifier.lean import Lean, ProofFacts, Statement, StatementFacts
from verifier.pool import VerifierPool
from verifier.progress import Progress
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Verdict
from verifier.verifier import Verifier

SEED = 2603
SECONDS = 30.0
ROUNDS = 3
WARM_UP = 200
"""Candidates to a worker before its time counts: V8 goes on compiling for a while."""
SAMPLE_EVERY = 20


@dataclass(frozen=True)
class ReplayFigures:
    """The second kernel on theorems with proofs; medians in milliseconds.

    Attributes:
        theorems: How many. accepted: By both kernels.
        first: A verdict with the first kernel alone.
        export: Writing a proof down for the second one.
        replay: The second kernel's check of it, its theory and what it needs of the base known.
        slowest: The slowest of those checks.
        lines: Median length of an export.
    """

    theorems: int
    accepted: int
    first: float
    export: float
    replay: float
    slowest: float
    lines: float


@dataclass(frozen=True)
class MutantFigures:
    """Mutants of exports: how many were refused, and how many still prove the same statement."""

    mutants: int
    refused: int
    harmless: dict[str, int]
    lost: int


@dataclass(frozen=True)
class MixtureFigures:
    """A heap of candidates of all kinds.

    Attributes:
        seconds: Wall-clock time. wrong: Those with another outcome than the right one.
        peak_bytes: Largest resident memory of this process and its children.
        left: Processes that were left when all was done.
    """

    candidates: int
    kinds: dict[str, int]
    workers: int
    seconds: float
    wrong: tuple[str, ...]
    peak_bytes: int
    left: int


@dataclass(frozen=True)
class PoolFigures:
    """Candidates a second with one worker and with more, in one run, without deadly ones."""

    candidates: int
    one: float
    workers: int
    many: float

    @property
    def ratio(self) -> float:
        """How many times faster the workers are together."""
        return self.many / self.one


@dataclass(frozen=True)
class CommandFigures:
    """The same candidates through the warm session and through a `lean` command.

    Attributes:
        same: Candidates with the same outcome and reason. different: Those with others.
        session, command: Candidates a second.
        process_each: Median seconds of one candidate in a process of its own.
    """

    candidates: int
    same: int
    different: tuple[str, ...]
    session: float
    command: float
    process_each: float

    @property
    def ratio(self) -> float:
        """How many times faster the batch is than one process a candidate."""
        return self.process_each * self.command


def as_dict(figures: Any) -> dict[str, Any]:
    """Figures for JSON, ratios included."""
    ratio = {"ratio": figures.ratio} if hasattr(figures, "ratio") else {}
    return {**asdict(figures), **ratio}


@dataclass(frozen=True)
class _Proved:
    theorem: Theorem
    stated: StatementFacts
    facts: ProofFacts


def measure_replay(
    lean: EmbeddedLean, session: Session, second: SecondKernel, project: Path, progress: Progress
) -> tuple[ReplayFigures, list[_Proved]]:
    """Checks the corpus with both kernels.

    Args:
        lean: The installation.
        session: Elaborates.
        second: The second kernel.
        project: The seed theories; without them only the theorems about core are taken.
        progress: Advances by theorems.
    """
    theorems = core()
    if project.is_dir():
        progress.stage("reading the seed theories", None)
        theorems += theories(lean, session, project)
    progress.stage("both kernels", len(theorems))
    verifier = Verifier(session)
    first, export, replay, lines, proved = [], [], [], [], []
    for theorem in theorems:
        statement, proof = theorem.statement, theorem.proof
        started = time.perf_counter()
        verdict = verifier.check(statement, proof, SECONDS)
        first.append(time.perf_counter() - started)
        progress.advance(1)
        stated = session.state(statement)
        facts = session.prove(statement, proof, SECONDS)
        word = second.check(session, statement, stated, facts)
        if not verdict.verified or word.refusal or set(word.axioms) - ALLOWED_AXIOMS:
            continue
        with_export, without, again = _fastest(
            partial(session.prove, statement, proof, SECONDS),
            partial(session.prove, statement, proof, SECONDS, export=False),
            partial(second.check, session, statement, stated, facts),
        )
        export.append(max(0.0, with_export - without))
        replay.append(again)
        lines.append((facts.delta or "").count("\n"))
        proved.append(_Proved(theorem, stated, facts))
    progress.done()
    figures = ReplayFigures(
        len(theorems),
        len(proved),
        _milliseconds(first),
        _milliseconds(export),
        _milliseconds(replay),
        1000 * max(replay, default=0.0),
        statistics.median(lines) if lines else 0,
    )
    return figures, proved


def _fastest(*calls: Callable[[], Any]) -> tuple[float, ...]:
    """The fastest of some rounds of each call; rounds alternate, so that noise hits all alike."""
    best = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for i, call in enumerate(calls):
            started = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - started)
    return tuple(best)


def _milliseconds(times: Sequence[float]) -> float:
    return 1000 * statistics.median(times) if times else 0.0


def measure_mutants(
    proved: Sequence[_Proved],
    session: Session,
    second: SecondKernel,
    count: int,
    progress: Progress,
) -> MutantFigures:
    """Changes exports a little, and sees what the second kernel says.

    What it accepts proves the very statement from allowed axioms, and so is harmless: the name and
    the statement are compared with those of the session.
    """
    rng = random.Random(SEED)
    each = -(-count // max(1, len(proved)))
    harmless: Counter[str] = Counter()
    refused = lost = made = 0
    progress.stage("mutants", count)
    for p in proved:
        for mutant in mutants(p.facts.delta or "", p.facts.name, min(each, count - made), rng):
            made += 1
            progress.advance(1)
            forged = p.facts.model_copy(update={"delta": mutant.text})
            try:
                word = second.check(session, p.theorem.statement, p.stated, forged)
            except SessionLost:
                lost += 1
                continue
            if word.refusal or set(word.axioms) - ALLOWED_AXIOMS:
                refused += 1
            else:
                harmless[mutant.kind] += 1
    progress.done()
    return MutantFigures(made, refused, dict(harmless.most_common()), lost)


def measure_mixture(
    start: Callable[[], Lean],
    second: SecondKernel | None,
    count: int,
    workers: int,
    progress: Progress,
) -> MixtureFigures:
    """Runs candidates of every kind through a pool, deadly ones included."""
    cases = list(mixture(count, SEED))
    before = _children()
    wrong: list[str] = []
    peak = 0
    progress.stage("a mixture", count)
    started = time.perf_counter()
    with VerifierPool(start, second, workers) as pool:
        verdicts = pool.check_many([case.candidate for case in cases])
        for number, (case, verdict) in enumerate(zip(cases, verdicts, strict=True)):
            progress.advance(1)
            if verdict.outcome is not case.outcome:
                wrong.append(_told(case, verdict))
            if number % SAMPLE_EVERY == 0:
                peak = max(peak, _resident())
    seconds = time.perf_counter() - started
    if second is not None:
        second.close()
    progress.done()
    kinds = Counter(case.kind for case in cases)
    left = len(_children() - before)
    return MixtureFigures(count, dict(kinds), workers, seconds, tuple(wrong), peak, left)


def _told(case: Case, verdict: Verdict) -> str:
    at = case.candidate
    text = f"{at.statement.signature[:80]} := {at.proof[:80]}"
    return f"{case.kind}: {text}: {verdict.outcome}, {verdict.reason}"


def _children() -> set[int]:
    return {p.pid for p in psutil.Process().children(recursive=True)}


def _resident() -> int:
    own = psutil.Process()
    total = 0
    for process in (own, *own.children(recursive=True)):
        try:
            total += process.memory_info().rss
        except psutil.NoSuchProcess:
            continue  # it ended while we looked
    return total


def measure_pool(
    start: Callable[[], Lean],
    second: SecondKernel | None,
    count: int,
    workers: int,
    progress: Progress,
) -> PoolFigures:
    """Compares one worker with several, each warm before its time counts."""
    cases = [case.candidate for case in mixture(count, SEED, deadly=False)]
    rates = []
    for number in (1, workers):
        progress.stage(f"{number} workers", count)
        with VerifierPool(start, second, number) as pool:
            _drain(pool.check_many(_renamed(cases[: WARM_UP * number], "warm")))
            started = time.perf_counter()
            for _ in pool.check_many(cases):
                progress.advance(1)
            rates.append(count / (time.perf_counter() - started))
    progress.done()
    return PoolFigures(count, rates[0], workers, rates[1])


def _renamed(candidates: Iterable[Candidate], prefix: str) -> list[Candidate]:
    def other(statement: Statement) -> Statement:
        return replace(statement, name=f"{prefix}_{statement.name}")

    return [replace(c, statement=other(c.statement)) for c in candidates]


def _drain(verdicts: Iterable[Verdict]) -> None:
    for _ in verdicts:
        pass


def measure_command(
    session: Session, command: Lean, count: int, processes: int, progress: Progress
) -> CommandFigures:
    """Compares verdicts and speed of the warm session and of a `lean` command.

    Args:
        session: The embedded Lean.
        command: A native toolchain, or the `lean` command of the embedded one.
        count: How many candidates.
        processes: How many of them get a process each, for comparison.
        progress: Advances by candidates.
    """
    candidates = [case.candidate for case in mixture(count, SEED, deadly=False)]
    progress.stage("the session", None)
    check_many(session, _renamed(candidates[:20], "warm"))
    started = time.perf_counter()
    ours = check_many(session, candidates)
    rate = count / (time.perf_counter() - started)
    progress.stage("the command, many to a process", None)
    started = time.perf_counter()
    theirs = check_many(command, candidates)
    command_rate = count / (time.perf_counter() - started)
    progress.stage("the command, a process each", processes)
    each = []
    for candidate in candidates[:processes]:
        started = time.perf_counter()
        check_many(command, [candidate])
        each.append(time.perf_counter() - started)
        progress.advance(1)
    progress.done()
    different = [
        f"{c.statement.signature} := {c.proof}: {a.outcome}/{a.reason}, {b.outcome}/{b.reason}"
        for c, a, b in zip(candidates, ours, theirs, strict=True)
        if (a.outcome, a.reason) != (b.outcome, b.reason)
    ]
    same = count - len(different)
    median = statistics.median(each) if each else 0.0
    return CommandFigures(count, same, tuple(different), rate, command_rate, median)
