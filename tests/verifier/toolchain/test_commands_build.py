"""What ``lake build`` builds, in which order and how often, with a made-up ``lean``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from verifier.errors import InputError
from verifier.toolchain.embedded.commands.build import Builder, Lean, LogEntry, Outcome, Source
from verifier.toolchain.embedded.commands.workspace import load_workspace

MADE_UP = Path(__file__).with_name("made_up_command.py")


class Project:
    """A project with the modules A, B (imports A) and C (imports B)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: dict[str, Outcome] = {}
        lakefile = 'name = "p"\n[[lean_lib]]\nname = "All"\nroots = ["A", "B", "C"]\n'
        self.write("lakefile.toml", lakefile)
        self.write("A.lean", "import Init")
        self.write("B.lean", "import A")
        self.write("C.lean", "import B")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def build(self, *modules: str, toolchain: str = "lean 1") -> tuple[str, ...]:
        """Builds modules and keeps what became of each."""
        self.outcomes.clear()
        lean = Lean([sys.executable, str(MADE_UP)], self.folder, dict(os.environ))
        builder = Builder(load_workspace(self.folder), lean, toolchain, self._report)
        return builder.build(modules or ("A", "B", "C"))

    def calls(self) -> list[str]:
        """How Lean was called since the last question."""
        path = self.folder / "calls.txt"
        lines = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def _report(self, source: Source, outcome: Outcome, number: int, total: int) -> None:
        self.outcomes[source.name] = outcome


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_each_module_follows_what_it_imports(project: Project) -> None:
    assert project.build("C") == ()
    assert project.calls() == ["deps", "deps", "deps", "A.lean", "B.lean", "C.lean"]
    assert (project.folder / ".lake/build/lib/lean/C.olean").is_file()


def test_a_second_build_does_not_start_lean(project: Project) -> None:
    project.build()
    project.calls()
    assert project.build() == ()
    assert project.calls() == []
    assert not any(outcome.built for outcome in project.outcomes.values())


def test_a_change_rebuilds_what_rests_on_it(project: Project) -> None:
    project.build()
    project.calls()
    project.write("B.lean", "import A -- changed")
    project.build()
    assert project.calls() == ["deps", "B.lean", "C.lean"]


def test_a_touched_file_is_up_to_date(project: Project) -> None:
    project.build()
    project.calls()
    os.utime(project.folder / "A.lean", (1, 1))
    project.build()
    assert project.calls() == []


@pytest.mark.parametrize("setting", ["toolchain", "options"])
def test_another_lean_or_other_options_rebuild_all(project: Project, setting: str) -> None:
    project.build()
    project.calls()
    if setting == "options":
        lakefile = (project.folder / "lakefile.toml").read_text()
        project.write("lakefile.toml", f"leanOptions = {{ x = 1 }}\n{lakefile}")
        project.build()
    else:
        project.build(toolchain="lean 2")
    assert [call for call in project.calls() if call != "deps"] == ["A.lean", "B.lean", "C.lean"]


def test_an_error_stops_what_rests_on_it(project: Project) -> None:
    project.build()
    project.calls()
    project.write("B.lean", "import A\nERROR")
    assert project.build() == ("B",)
    assert project.calls() == ["deps", "B.lean"]
    assert project.outcomes["B"].log == (
        LogEntry("error", "B.lean:1:2: this is one error"),
        LogEntry("error", "Lean exited with code 1"),
    )
    assert project.outcomes["C"].failed
    assert not (project.folder / ".lake/build/lib/lean/B.olean").exists()


def test_warnings_are_told_again(project: Project) -> None:
    project.write("A.lean", "WARN")
    project.build("A")
    project.build("A")
    assert project.outcomes["A"] == Outcome(
        False, False, (LogEntry("warning", "A.lean:1:2: this is one warning"),)
    )


def test_a_cycle_is_an_error_that_names_it(project: Project) -> None:
    project.write("A.lean", "import C")
    with pytest.raises(InputError, match=r"build cycle detected:\n  A\n  C\n  B\n  A"):
        project.build("A")


def test_a_module_without_a_file_is_an_error(project: Project) -> None:
    with pytest.raises(InputError, match=r"A/Missing\.lean: No such file"):
        project.build("A.Missing")
