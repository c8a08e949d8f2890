"""What the benchmark of the falsifier tells of each problem."""

from __future__ import annotations

import pytest

from engine.evaluation.refute_bench import CONFIRMED, NONE, UNCONFIRMED, UNTRANSLATED, Outcome


@pytest.mark.parametrize(
    ("outcome", "said", "line"),
    [
        (CONFIRMED, "x := 0:\n 1 ≠ 2", "refuted in 0.41 s: x := 0: 1 ≠ 2"),
        (UNCONFIRMED, "x := 0", "values without a proof in 0.41 s: x := 0"),
        (NONE, "", "not refuted in 0.41 s"),
        (UNTRANSLATED, "no such sort", "no translation: no such sort"),
    ],
)
def test_a_problem_is_told_in_one_line(outcome: str, said: str, line: str) -> None:
    found = Outcome("false", "prop_03", outcome, 0.412, 0.1, said)
    assert str(found) == f"false/prop_03: {line}"
