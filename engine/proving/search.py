"""One statement on one worker: a search on its ground, with a bound on the time."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.proving.filling import Fill, broken, indented
from engine.proving.ground import (
    Ground,
    State,
    actual_ground,
    hints_for,
    rests_on_sorry,
    search_ground,
)
from engine.proving.holes import Work, fill_holes, proof_with
from engine.proving.problem import Problem
from engine.proving.refuting import FIRST_STEPS, STEPS, refute
from engine.proving.result import Attempted, Label, Result, result_of
from engine.proving.source import Source
from engine.workers import Worker
from verifier.errors import InputError, LemmataError
from verifier.prover.hints import Hints
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Reason, Verdict
from verifier.verifier import LOSSES

FAULTS = {
    "not_a_proof": "the hole is in a definition or another command, not in a proof",
    "unsupported": "only a proof behind `:=` can be filled, and no hole in a statement",
}


ILL_FORMED = frozenset(
    {
        Reason.BAD_TEXT,
        Reason.PARSE,
        Reason.NOT_ONE_THEOREM,
        Reason.ENVIRONMENT_INVALID,
        Reason.CONTEXT_INVALID,
        Reason.STATEMENT_INVALID,
        Reason.FORBIDDEN_SYNTAX,
        Reason.FORBIDDEN_OPTION,
    }
)
"""Reasons that lie in the statement or its scope: no proof can change them."""


@dataclass(frozen=True)
class Order:
    """What a worker is to do.

    Attributes:
        state: How far the document was when the order was given.
        known: Declarations of the local modules that the document imports.
        seconds: For the search.
    """

    problem: Problem
    state: State
    seconds: float
    known: tuple[str, ...] = ()


def search(worker: Worker, order: Order) -> Attempted:
    """Looks for a proof of one statement, or for proofs of the holes in one.

    What it reports as verified was verified on the ground of the search; the verdict that counts
    is the one in the finished text.
    """
    started = time.monotonic()
    problem = order.problem
    if problem.fault:
        return Attempted(result=not_a_proof(problem))
    try:
        if problem.bare:
            return _whole(worker, order, started)
        return _with_holes(worker, order, started)
    except SessionLost as lost:
        return _failed(problem, LOSSES[lost.loss], lost.message, started)
    except InputError as refused:
        return _failed(problem, Reason.CRASH, refused.message, started)


def not_a_proof(problem: Problem) -> Result:
    """The result for a hole that is left alone."""
    return result_of(problem, Label.NOT_A_PROOF, problem.fault, FAULTS[problem.fault])


def _whole(worker: Worker, order: Order, started: float) -> Attempted:
    problem = order.problem
    ground = search_ground(worker.session, order.state, problem)
    wrong = _spoilt(worker, ground, problem, started)
    if wrong := wrong or _refuted(worker, order, started, FIRST_STEPS):
        return wrong
    found = worker.prover.prove(
        problem.statement(ground.environment),
        _hints(worker, ground, order),
        order.seconds,
        worker.stopping,
    )
    if not found.verdict.verified and (wrong := _refuted(worker, order, started, STEPS)):
        return wrong
    fills: tuple[Fill, ...] = ()
    if found.verdict.verified:
        shown = broken(found.proof, problem.document.column(problem.term[0]))
        fills = (Fill(*problem.term, indented(shown, _indentation(problem))),)
    label, reason = judged(found.verdict)
    result = result_of(
        problem,
        label,
        reason,
        found.verdict.message,
        verdict=found.verdict,
        proof=proof_with(problem, fills).strip() if fills else "",
        tactic=found.tactic,
        attempts=found.attempts,
        seconds=time.monotonic() - started,
        filled=len(fills),
    )
    return Attempted(result=result, fills=fills)


def _indentation(problem: Problem) -> int:
    """How far the lines of a whole proof stand to the right: as its first line, or the theorem."""
    document = problem.document
    line = document.before(problem.term[0]).rpartition("\n")[2]
    return len(line) if not line.strip() else document.column(problem.command[0])


def _with_holes(worker: Worker, order: Order, started: float) -> Attempted:
    problem = order.problem
    work = _work(worker, order, search_ground(worker.session, order.state, problem))
    if work.elaborate(work.proof()) is None:  # the proof may use a theorem that is still open
        work = _work(worker, order, actual_ground(worker.session, order.state, problem))
        if wrong := _broken(work, started):
            return wrong
    if wrong := _refuted(worker, order, started, FIRST_STEPS):
        return wrong
    work.deadline = time.monotonic() + order.seconds
    fill_holes(work)
    fills = tuple(sorted(work.fills.values()))
    whole = len(fills) == len(problem.holes)
    if not whole and (wrong := _refuted(worker, order, started, STEPS)):
        return wrong
    statement = problem.statement(work.environment)
    verdict = worker.verifier.check(statement, work.proof()) if whole else None
    if verdict is not None:
        label, reason = judged(verdict)
        message = verdict.message
        fills = fills if verdict.verified else ()
    else:
        label, reason = Label.OPEN, "holes_left" if fills else Reason.PROOF_FAILED
        message = f"{len(fills)} of {len(problem.holes)} holes filled"
    result = result_of(
        problem,
        label,
        reason,
        message,
        verdict=verdict,
        proof=work.proof().strip() if fills else "",
        tactic="; ".join(work.tactics),
        attempts=work.attempts,
        seconds=time.monotonic() - started,
        filled=len(fills),
    )
    return Attempted(result=result, fills=fills)


def _work(worker: Worker, order: Order, ground: Ground) -> Work:
    return Work(
        problem=order.problem,
        environment=ground.environment,
        verifier=worker.verifier,
        prover=worker.prover,
        hints=_hints(worker, ground, order),
        deadline=time.monotonic() + order.seconds,
        stopping=worker.stopping,
    )


def _hints(worker: Worker, ground: Ground, order: Order) -> Hints:
    return hints_for(worker.verifier, worker.session, ground, order.problem, order.known)


def _broken(work: Work, started: float) -> Attempted | None:
    """The result when a proof does not elaborate even with its holes."""
    statement = work.problem.statement(work.environment)
    verdict = work.verifier.check(statement, work.proof())
    if verdict.reason is Reason.SORRY:
        return None
    label, reason = judged(verdict)
    result = result_of(
        work.problem,
        Label.OPEN if label is Label.VERIFIED else label,
        reason,
        verdict.message,
        seconds=time.monotonic() - started,
    )
    return Attempted(result=result)


def _spoilt(worker: Worker, ground: Ground, problem: Problem, started: float) -> Attempted | None:
    names = rests_on_sorry(worker.verifier, worker.session, ground.environment, problem)
    if not names:
        return None
    message = f"the statement speaks of {', '.join(names)}, defined with `sorry`"
    result = result_of(
        problem, Label.OPEN, Reason.SORRY, message, seconds=time.monotonic() - started
    )
    return Attempted(result=result)


def _refuted(worker: Worker, order: Order, started: float, steps: int) -> Attempted | None:
    """The result when values refute a statement, where it stands in the text."""
    problem = order.problem
    if worker.stopping():
        return None
    ground = actual_ground(worker.session, order.state, problem)
    try:
        found = refute(worker.session, worker.verifier, problem, ground.environment, steps)
    except SessionLost:
        return None
    if found is None:
        return None
    result = result_of(
        problem,
        Label.REFUTED,
        "counterexample",
        str(found),
        verdict=found.verdict,
        proof=found.proof,
        attempts=1,
        seconds=time.monotonic() - started,
    )
    return Attempted(result=result)


def judged(verdict: Verdict) -> tuple[Label, str]:
    """The label and the reason for a verdict on a statement with the proof that was found."""
    if verdict.verified:
        return Label.VERIFIED, verdict.reason
    if verdict.reason in ILL_FORMED:
        return Label.REJECTED, verdict.reason
    return Label.OPEN, verdict.reason


def _failed(problem: Problem, reason: Reason, message: str, started: float) -> Attempted:
    result = result_of(problem, Label.OPEN, reason, message, seconds=time.monotonic() - started)
    return Attempted(result=result)


def unreadable(source: Source, error: LemmataError) -> Result:
    """The result for an input that cannot be read."""
    return Result(
        id=source.name,
        document=source.document,
        line=source.line,
        name="",
        statement="",
        label=Label.ERROR,
        reason="bad_input",
        message=f"{error.message} {error.hint}".strip(),
    )
