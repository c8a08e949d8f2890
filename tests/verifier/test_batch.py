"""Batches with a Lean that examines one by one; those of a native one are tested beside it."""

from __future__ import annotations

import pytest

from verifier.batch import Candidate, Examiner, check_many
from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.verdict import Reason
from verifier.verifier import Verifier

CANDIDATES = {
    "good": (": 2 + 2 = 4", "rfl", Reason.PROVED),
    "open": (": 1 = 2", "sorry", Reason.SORRY),
    "unseen": (": 1 = 1", "rfl \0", Reason.BAD_TEXT),
    "contradiction": ("(h : 1 = 2) : 3 = 4", "by omega", Reason.PROVED),
}


@pytest.mark.lean
def test_the_warm_session_has_no_batches(
    session: Session, verifier: Verifier, base: Environment
) -> None:
    assert not isinstance(session, Examiner)
    candidates = [Candidate(Statement(base, "t", s), p) for s, p, _ in CANDIDATES.values()]

    verdicts = check_many(session, candidates)

    assert [v.reason for v in verdicts] == [reason for _, _, reason in CANDIDATES.values()]
    for candidate, verdict in zip(candidates, verdicts, strict=True):
        again = verifier.check(candidate.statement, candidate.proof)
        ours = verdict.model_copy(update={"seconds": 0.0, "kernels": (), "assumed": ()})
        assert ours == again.model_copy(update={"seconds": 0.0, "kernels": (), "assumed": ()})
