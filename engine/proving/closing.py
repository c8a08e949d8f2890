"""The last look at a document: every proof is checked in the text that the user will get.

A proof that fails there is taken out again, and the rest is looked at once more, until all of what
is left holds: no error that was not there before, and every filled theorem verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.proving.filling import Fill, filled
from engine.proving.ground import State
from engine.proving.holes import proof_with
from engine.proving.problem import Document, Problem
from engine.proving.result import Attempted, Label, Result, checked_by
from engine.proving.search import judged
from engine.proving.source import Reading
from engine.workers import Worker
from verifier.errors import LemmataError
from verifier.outline import Outline
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Reason, Verdict
from verifier.verifier import LOSSES

BREAKS = "breaks_the_file"


@dataclass(frozen=True)
class Closed:
    """A document at the end.

    Attributes:
        attempted: For each problem, in order.
        text: The filled text, with LF line ends.
    """

    document: Document
    attempted: tuple[Attempted, ...]
    text: str

    @property
    def results(self) -> tuple[Result, ...]:
        """For each problem, in order."""
        return tuple(a.result for a in self.attempted)

    @property
    def fills(self) -> tuple[Fill, ...]:
        """What goes into the text, in order."""
        return tuple(sorted(f for a in self.attempted for f in a.fills))


def close(worker: Worker, reading: Reading, attempted: Mapping[str, Attempted]) -> Closed:
    """Checks what was found in the filled text, and takes out what does not hold there.

    Args:
        worker: Has the session.
        reading: The document.
        attempted: By problem id, for every problem.
    """
    found = dict(attempted)
    while True:
        text, outline = _elaborated(worker, reading, found)
        broken = _breaking(reading, found, outline)
        if broken is None:
            broken = _unverified(worker, reading, found)
        if broken is None:
            return Closed(reading.document, tuple(found[p.id] for p in reading.problems), text)
        found |= broken


def unchecked(reading: Reading, found: Mapping[str, Attempted], lost: LemmataError) -> Closed:
    """The document when the last look cannot be had: nothing is filled."""
    left = []
    for problem in reading.problems:
        attempted = found[problem.id]
        if attempted.fills:
            reason = LOSSES[lost.loss] if isinstance(lost, SessionLost) else Reason.CRASH
            attempted = without_proof(attempted, reason, lost.message)
        left.append(attempted)
    return Closed(reading.document, tuple(left), reading.document.text)


def closed_before(document: Document, attempted: Sequence[Attempted]) -> Closed:
    """The document as an earlier run left it."""
    fills = sorted(f for a in attempted for f in a.fills)
    text = filled(document.text.encode(), fills).decode()
    return Closed(document, tuple(attempted), text)


def _fills(reading: Reading, found: Mapping[str, Attempted]) -> tuple[Fill, ...]:
    return tuple(sorted(f for p in reading.problems for f in found[p.id].fills))


def _elaborated(
    worker: Worker, reading: Reading, found: Mapping[str, Attempted]
) -> tuple[str, Outline]:
    document = reading.document
    text = filled(document.text.encode(), _fills(reading, found)).decode()
    return text, worker.session.outline(document.environment, text, document.start)


def _breaking(
    reading: Reading, found: Mapping[str, Attempted], outline: Outline
) -> dict[str, Attempted] | None:
    """The fills before the first error that they bring with them, taken out."""
    new = Counter(m.text for m in outline.errors) - Counter(reading.errors)
    if not new:
        return None
    error = next(m for m in outline.errors if m.text in new)
    suspect: Problem | None = None
    moved = 0  # lines that the fills so far have added
    for problem in reading.problems:
        if found[problem.id].fills:
            if suspect is not None and problem.line + moved > error.line:
                break
            suspect = problem
        moved += _growth(problem, found[problem.id].fills)
    if suspect is None:
        return None
    return {suspect.id: without_proof(found[suspect.id], BREAKS, error.text)}


def _growth(problem: Problem, fills: Sequence[Fill]) -> int:
    """How many lines longer a theorem is with its fills."""
    old = (problem.document.slice((f.start, f.end)).count("\n") for f in fills)
    return sum(f.text.count("\n") for f in fills) - sum(old)


def _unverified(
    worker: Worker, reading: Reading, found: dict[str, Attempted]
) -> dict[str, Attempted] | None:
    """The first theorem that is not verified where it stands, taken out.

    Verdicts of those that are go into what was found.
    """
    for problem in reading.problems:
        attempted = found[problem.id]
        if attempted.result.label is not Label.VERIFIED:
            continue
        verdict = _verdict(worker, reading, problem, found)
        if not verdict.verified:
            _, reason = judged(verdict)
            return {problem.id: without_proof(attempted, reason, verdict.message)}
        found[problem.id] = attempted.model_copy(
            update={"result": _confirmed(attempted.result, verdict)}
        )
    return None


def _verdict(
    worker: Worker, reading: Reading, problem: Problem, found: Mapping[str, Attempted]
) -> Verdict:
    state = state_of(reading, found)
    document = problem.document
    before = state.before(problem)
    worker.session.outline(document.environment, before, document.start)
    environment = document.environment.extended(before, document.start)
    proof = proof_with(problem, found[problem.id].fills)
    return worker.verifier.check(problem.statement(environment), proof)


def state_of(reading: Reading, found: Mapping[str, Attempted]) -> State:
    """How far the document is."""
    return State(
        reading.problems,
        {id_: a.fills for id_, a in found.items() if a.fills},
        frozenset(id_ for id_, a in found.items() if a.result.label is Label.VERIFIED),
    )


def without_proof(attempted: Attempted, reason: str, message: str) -> Attempted:
    """The same with its proof taken out: the statement is open."""
    update = {
        "label": Label.OPEN,
        "reason": str(reason),
        "message": message,
        "proof": "",
        "axioms": (),
        "premises": (),
        "kernels": (),
        "filled": 0,
    }
    return Attempted(result=attempted.result.model_copy(update=update))


def _confirmed(result: Result, verdict: Verdict) -> Result:
    return result.model_copy(update=checked_by(verdict))
