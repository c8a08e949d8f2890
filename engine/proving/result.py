"""What became of a statement."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from engine.proving.filling import Fill
from engine.proving.problem import Problem
from verifier.verdict import Verdict


class Label(StrEnum):
    """``verified``: proved and checked; ``refuted``: its negation is.

    ``open``: no proof was found, or not for every hole.
    ``rejected``: the statement itself is wrong; ``not_a_proof``: a hole in a definition or where no
    proof can be put, left alone; ``error``: the input cannot be read.
    """

    VERIFIED = "verified"
    REFUTED = "refuted"
    OPEN = "open"
    REJECTED = "rejected"
    NOT_A_PROOF = "not_a_proof"
    ERROR = "error"


class Result(BaseModel):
    """The outcome for one statement; a line of the results file.

    Attributes:
        document: Where it stands. line: On which line.
        statement: Binders and type.
        reason: A stable code: one of a verdict's, or one of ``docs/prove.md``.
        proof: Lean text behind ``:=``; when only some holes are filled, the others are still there.
            Of a refuted statement, the proof of its negation.
        holes: How many there were. filled: How many have a proof now.
        tactic: The attempt that found the proof. attempts: How many there were.
        vacuous: The hypotheses contradict each other, so the theorem says nothing.
        seconds: Wall-clock time. kernels: Which kernels accepted it. toolchain: The Lean.
        resumed: Taken from the journal of an earlier run.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    document: str
    line: int
    name: str
    statement: str
    label: Label
    reason: str
    message: str = ""
    proof: str = ""
    axioms: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    toolchain: str = ""
    vacuous: bool = False
    tactic: str = ""
    seconds: float = 0.0
    attempts: int = 0
    holes: int = 1
    filled: int = 0
    resumed: bool = False


class Attempted(BaseModel):
    """A result with what it puts into the text."""

    model_config = ConfigDict(frozen=True)

    result: Result
    fills: tuple[Fill, ...] = ()


def result_of(
    problem: Problem,
    label: Label,
    reason: str,
    message: str,
    verdict: Verdict | None = None,
    **more: object,
) -> Result:
    """The result for a problem, with what a verdict says of its proof, and with more fields."""
    if verdict is not None:
        more |= checked_by(verdict)
    return Result.model_validate(
        {
            "id": problem.id,
            "document": problem.document.name,
            "line": problem.line,
            "name": problem.name,
            "statement": problem.signature,
            "label": label,
            "reason": str(reason),
            "message": message,
            "holes": len(problem.holes),
            **more,
        }
    )


def checked_by(verdict: Verdict) -> dict[str, object]:
    """What a verdict adds to a result: axioms, premises, and what checked it."""
    said = verdict.model_dump()
    names = ("axioms", "assumed", "premises", "kernels", "toolchain", "vacuous")
    return {name: said[name] for name in names if name in said}
