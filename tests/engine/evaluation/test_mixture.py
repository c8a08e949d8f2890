"""Candidates of every kind in one heap, through a pool of real sessions."""

from __future__ import annotations

from collections import Counter

import psutil
import pytest

from engine.evaluation.corpus import core
from engine.evaluation.mixture import DEADLY_EVERY, mixture
from engine.evaluation.verify_bench import measure_mixture
from verifier.kernel.second import SecondKernel
from verifier.progress import SilentProgress
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verdict import Outcome


def test_a_seed_gives_one_mixture_and_no_two_candidates_are_equal() -> None:
    one, again = list(mixture(300, 7)), list(mixture(300, 7))
    assert one == again and one != list(mixture(300, 8))
    assert len({c.candidate for c in one}) == 300
    kinds = Counter(c.kind for c in one)
    assert kinds["runaway"] + kinds["crashing"] == 300 // DEADLY_EVERY
    assert {c.outcome for c in one if c.kind == "provable"} == {Outcome.VERIFIED}
    assert all(c.outcome is not Outcome.VERIFIED for c in one if c.kind != "provable")


def test_the_corpus_has_no_statement_twice() -> None:
    statements = [t.statement.signature for t in core()]
    assert len(statements) == len(set(statements)) > 100


@pytest.mark.lean
def test_all_outcomes_are_right_and_no_process_is_left(
    installation: EmbeddedLean, second: SecondKernel
) -> None:
    before = {p.pid for p in psutil.Process().children(recursive=True)}
    figures = measure_mixture(lambda: Session(installation), second, 120, 2, SilentProgress())
    assert figures.wrong == ()
    assert figures.left == 0
    assert {p.pid for p in psutil.Process().children(recursive=True)} <= before
    assert figures.peak_bytes < 8 << 30
