"""Verdicts on many candidates at once, with a Lean that examines them together or one by one.

The rules, and their order, are those of :class:`verifier.verifier.Verifier`: a Lean that examines
in batches hands over what it saw, and the verifier asks that record as it would ask Lean.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from verifier.errors import LemmataError
from verifier.kernel.second import SecondKernel
from verifier.lean import Lean, ProofFacts, Statement, StatementFacts
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verdict import Verdict
from verifier.verifier import PROOF_SECONDS, Verifier, _text_fault


@dataclass(frozen=True)
class Candidate:
    """A statement with a proof, and the limit of that proof in seconds of wall-clock time."""

    statement: Statement
    proof: str
    seconds: float = PROOF_SECONDS


@dataclass(frozen=True)
class Examination:
    """What a Lean saw of a candidate.

    Attributes:
        statement: Facts about the statement alone; ``None`` when Lean was lost before.
        proof: Facts about the proof; ``None`` when it was not elaborated.
        lost: How Lean was lost on the candidate, if it was.
        seconds: Wall-clock time of the last step.
    """

    statement: StatementFacts | None = None
    proof: ProofFacts | None = None
    lost: SessionLost | None = None
    seconds: float = 0.0


@runtime_checkable
class Examiner(Protocol):
    """A Lean that examines candidates together."""

    def examine(self, candidates: Sequence[Candidate]) -> list[Examination]:
        """What was seen of each candidate, in their order; a loss is that of one candidate."""


def check_many(
    lean: Lean, candidates: Sequence[Candidate], second: SecondKernel | None = None
) -> list[Verdict]:
    """Verdicts on candidates, in their order.

    Args:
        lean: The embedded Lean, or a native one; the latter gets all candidates of an environment
            in one process.
        candidates: In any order and with any environments.
        second: Another kernel that must agree; see :class:`verifier.verifier.Verifier`.

    Raises:
        ToolchainError: There is no Lean to ask.
    """
    if not isinstance(lean, Examiner):
        verifier = Verifier(lean, second)
        return [verifier.check(c.statement, c.proof, c.seconds) for c in candidates]
    record = _Record(lean, lean)
    record.learn([c for c in candidates if not _is_unreadable(c)])
    verifier = Verifier(record, second)
    verdicts: dict[int, Verdict] = {}
    while len(verdicts) < len(candidates):
        for index in range(len(candidates)):
            with contextlib.suppress(_NotSeen):
                if index not in verdicts:
                    verdicts[index] = _verdict(verifier, record, candidates[index])
        record.learn(record.wanted)
    return [verdicts[index] for index in range(len(candidates))]


def _verdict(verifier: Verifier, record: _Record, candidate: Candidate) -> Verdict:
    verdict = verifier.check(candidate.statement, candidate.proof, candidate.seconds)
    seconds = verdict.seconds + record.seconds(candidate)
    return verdict.model_copy(update={"seconds": seconds})


def _is_unreadable(candidate: Candidate) -> bool:
    at = candidate.statement
    return _text_fault(at.signature, at.name, at.context, candidate.proof) is not None


class _NotSeen(LemmataError):
    """The verifier asks for a proof that Lean was not shown yet."""

    code: ClassVar[str] = "not_seen"


class _Record:
    """A Lean that answers with what another one has seen, and notes what it has not.

    Attributes:
        wanted: Proofs that were asked for in vain: the verifier has some of its own.
    """

    def __init__(self, lean: Lean, examiner: Examiner) -> None:
        self._lean = lean
        self._examiner = examiner
        self._seen: dict[tuple[Statement, str], Examination] = {}
        self._stated: dict[Statement, Examination] = {}
        self.wanted: list[Candidate] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lean, name)

    def learn(self, candidates: Sequence[Candidate]) -> None:
        """Has Lean examine candidates."""
        for candidate, seen in zip(candidates, self._examiner.examine(candidates), strict=True):
            self._seen[candidate.statement, candidate.proof] = seen
            self._stated.setdefault(candidate.statement, seen)
        self.wanted = []

    def seconds(self, candidate: Candidate) -> float:
        """How long Lean took for a candidate that it was shown."""
        seen = self._seen.get((candidate.statement, candidate.proof))
        return seen.seconds if seen else 0.0

    def state(self, statement: Statement) -> StatementFacts:
        """What was seen of a statement, or how Lean was lost on it."""
        seen = self._stated[statement]
        if seen.statement is not None:
            return seen.statement
        raise seen.lost or _nothing()

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        """What was seen of a proof, or how Lean was lost on it."""
        seen = self._seen.get((statement, proof))
        if seen is None:
            self.wanted.append(Candidate(statement, proof, seconds))
            raise _NotSeen(f"a proof of {statement.name} that Lean was not shown")
        if seen.proof is not None:
            return seen.proof
        raise seen.lost or _nothing()


def _nothing() -> SessionLost:
    return SessionLost(Loss.CRASH, "nothing was seen of it")
