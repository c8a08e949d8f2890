"""The documented codes are the codes, with the hints that a verdict carries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from verifier.audit import SCOPE_SYNTAX
from verifier.errors import ExitCode, InputError, LemmataError, StorageError, ToolchainError
from verifier.verdict import HINTS, UNDETERMINED, Outcome, Reason, Verdict

DOCS = Path(__file__).parents[2] / "docs"


def rows(page: str, width: int) -> list[list[str]]:
    """The rows of the page's tables that have a number of columns, without head and rule."""
    lines = (DOCS / page).read_text("utf-8").splitlines()
    cells = [[c.strip() for c in line[1:-1].split("|")] for line in lines if line.startswith("|")]
    found = [row for row in cells if len(row) == width]
    return [row for row in found if not set(row[0]) <= {"-", " "}][1:]


def outcome(reason: Reason) -> Outcome:
    if reason is Reason.PROVED:
        return Outcome.VERIFIED
    return Outcome.UNDETERMINED if reason in UNDETERMINED else Outcome.REJECTED


def test_each_outcome_is_documented() -> None:
    assert [row[0] for row in rows("verdicts.md", 2)] == [f"`{o}`" for o in Outcome]


def test_each_reason_is_documented_with_its_outcome_and_hint() -> None:
    documented = {row[0]: row for row in rows("verdicts.md", 4)}
    assert list(documented) == [f"`{r}`" for r in Reason]
    for reason in Reason:
        _, said, meaning, hint = documented[f"`{reason}`"]
        assert said == f"`{outcome(reason)}`"
        assert meaning.endswith(".")
        assert hint == HINTS[reason]


def test_the_commands_of_a_context_are_documented() -> None:
    (row,) = (r for r in rows("verdicts.md", 4) if r[0] == "`context_invalid`")
    commands = {kind.rpartition(".")[2] for kind in SCOPE_SYNTAX} - {"moduleDoc"}
    assert set(re.findall(r"`(\w+)`", row[2])) == commands


def test_each_exit_code_is_documented() -> None:
    documented = [(int(number), name) for number, name, *_ in rows("exit-codes.md", 4)]
    assert documented == [(int(code), f"`{code.name}`") for code in ExitCode]


@pytest.mark.parametrize("error", [InputError, StorageError, ToolchainError])
def test_each_failure_has_an_exit_code_of_its_own(error: type[LemmataError]) -> None:
    assert error.exit_code not in {ExitCode.OK, ExitCode.UNEXPECTED, ExitCode.USAGE}
    assert f"`{error.code.upper()}`" == f"`{error.exit_code.name}`"


def test_a_verdict_knows_what_to_do() -> None:
    verdict = Verdict(outcome="rejected", reason="sorry", toolchain="4.0.0", seconds=0.1)
    assert verdict.hint == HINTS[Reason.SORRY]
    assert not verdict.verified
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict
