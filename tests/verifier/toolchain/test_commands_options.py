"""The command line of ``lean``."""

from __future__ import annotations

import pytest

from verifier.toolchain.embedded.commands.lake import read_call
from verifier.toolchain.embedded.commands.options import LeanOptions, UsageError, read_options


def test_options_may_stand_anywhere_with_or_without_a_space() -> None:
    options = read_options(["-o", "A.olean", "A.lean", "-DmaxErrors=1", "--root=src", "-j4", "-q"])
    assert options == LeanOptions(
        file="A.lean",
        olean="A.olean",
        options=("maxErrors=1",),
        root="src",
        threads=4,
        quiet=True,
    )


def test_settings_and_kinds_add_up() -> None:
    options = read_options(["-D", "a=1", "-Db=2", "-E", "x", "--error=y", "A.lean"])
    assert options.options == ("a=1", "b=2")
    assert options.error_kinds == ("x", "y")


def test_behind_the_file_of_run_all_is_for_main() -> None:
    options = read_options(["--json", "--run", "Main.lean", "--json", "-x", "y z"])
    assert options.run
    assert options.file == "Main.lean"
    assert options.args == ("--json", "-x", "y z")


def test_a_dash_is_standard_input() -> None:
    assert read_options(["-"]) == LeanOptions(stdin=True)


def test_two_dashes_end_the_options() -> None:
    assert read_options(["--json", "--", "-strange.lean"]) == LeanOptions(
        json=True, file="-strange.lean"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--frob"], "Unknown command line option '--frob'"),
        (["-x"], "Unknown command line option '-x'"),
        (["--json=yes"], "Unknown command line option '--json'"),
        (["-c", "A.c", "A.lean"], "the embedded Lean has no option '-c'"),
        (["A.lean", "-o"], "argument missing for option '-o'"),
        (["-jmany"], "expected numeric argument for option '-j'"),
        (["--memory=4294967296"], "argument value for '--memory' is too large"),
    ],
)
def test_what_is_no_command_line(words: list[str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        read_options(words)


def test_lake_takes_its_own_options_around_a_command_only() -> None:
    call = read_call(["-d", "x", "build", "A", "-q", "-v"])
    assert (str(call.folder), call.command, call.arguments) == ("x", "build", ("A",))
    assert call.quiet
    assert read_call(["env", "lean", "-q", "--dir=x"]).arguments == ("lean", "-q", "--dir=x")
