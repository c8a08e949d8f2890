"""Every attack gets the verdict and the reason that it must get, from a real Lean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attack import Attack, attacks

from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.verdict import UNDETERMINED, Outcome, Reason, Verdict
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean

DEADLY = {Reason.TIMEOUT, Reason.CRASH, Reason.OUT_OF_MEMORY}
SECRET = "lemmata-secret-4711"


@pytest.mark.parametrize("attack", attacks(), ids=lambda a: a.title)
def test_attack(attack: Attack, session: Session, verifier: Verifier, base: Environment) -> None:
    if attack.outcome is Outcome.UNDETERMINED:
        session.keep_spare()
    session.start()
    process = session.pid

    verdict = attack.run(session, verifier)

    attack.judge(verdict)
    if verdict.reason in DEADLY:
        assert process is not None and group(process) == [], "a process is left"
        assert verdict.seconds < attack.seconds + 1.0
    if verdict.outcome is Outcome.UNDETERMINED:
        good = verifier.check(Statement(base, "good", "(n : Nat) : n + 0 = n"), "rfl")
        assert good.verified, "the next candidate is harmed"


def group(leader: int) -> list[int]:
    """The processes of a process group that exist, dead ones that nobody has reaped among them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if int(fields[2]) == leader:
            found.append(int(stat.parent.name))
    return found


def test_an_attack_that_gets_through_is_a_failure() -> None:
    attack = next(a for a in attacks() if a.outcome is Outcome.REJECTED)
    through = Verdict(outcome=Outcome.VERIFIED, reason=Reason.PROVED, toolchain="", seconds=0.1)
    elsewhere = Verdict(
        outcome=Outcome.REJECTED, reason=Reason.NOT_A_THEOREM, toolchain="", seconds=0.1
    )

    for verdict in (through, elsewhere):
        with pytest.raises(AssertionError):
            attack.judge(verdict)


def test_each_row_has_its_attack_with_a_reason_that_fits() -> None:
    rows = {a.row for a in attacks()}
    assert rows >= set(range(1, 19)) | {20, 21, 22, 23, 24, 25, 27, 28, 29, 30}
    assert len({a.title for a in attacks()}) == len(attacks())
    for attack in attacks():
        rejected = attack.outcome is Outcome.REJECTED or attack.vacuous
        assert set(attack.reason) <= UNDETERMINED or rejected


PROGRAMS = {
    "write": 'IO.FS.writeFile "{target}" "overwritten"',
    "write_relative": 'IO.FS.writeFile "../../../../../../../../../..{target}" "overwritten"',
    "append": 'do let h ← IO.FS.Handle.mk "{target}" .append; h.putStr "overwritten"',
    "remove": 'IO.FS.removeFile "{target}"',
    "rename": 'IO.FS.rename "{target}" "{target}.taken"',
    "new_folder": 'IO.FS.createDirAll "{target}.folder"',
    "library": 'IO.FS.writeFile "/lean/lib/lean/Init.olean" "overwritten"',
    "spawn": 'do let _ ← IO.Process.spawn {{ cmd := "touch", args := #["{target}.spawned"] }}',
    "output": 'do let _ ← IO.Process.output {{ cmd := "rm", args := #["{target}"] }}',
    "change_folder": 'do IO.Process.setCurrentDir "/"; IO.FS.writeFile "..{target}" "overwritten"',
}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file of the machine that a program in a theory must neither change nor read."""
    file = tmp_path / "target"
    file.write_text(SECRET)
    return file


@pytest.mark.parametrize("way", ["evaluate", "initialize"])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_in_a_theory_changes_nothing_outside(
    program: str, way: str, target: Path, session: Session, base: Environment
) -> None:
    code = program.format(target=target)
    last = "#eval program" if way == "evaluate" else "initialize program"
    library = session._lean.lib / "Init.olean"
    before = library.stat()

    extension = session.extend(base, f"def program : IO Unit := {code}\n{last}\n")

    assert all("error code" in m.text for m in extension.messages), "the program did not run"
    assert target.read_text() == SECRET
    assert sorted(target.parent.iterdir()) == [target]
    after = library.stat()
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)


MISSING = "no such file or directory"
READERS = {
    "file": ('IO.FS.readFile "{target}"', MISSING),
    "password": ('IO.FS.readFile "/etc/passwd"', MISSING),
    "process": ('IO.FS.readFile "/proc/self/environ"', MISSING),
    "folder": ('return toString (← System.FilePath.readDir "{target}/..").size', MISSING),
    "this_file": ('return toString (← System.FilePath.pathExists "{this}")', "false"),
    "environment": ('return toString (← IO.getEnv "LEMMATA_SECRET")', "none"),
    "include": ('return include_str "{target}"', "cannot compute parent directory"),
}


@pytest.fixture(scope="module")
def around(session: Session) -> Iterator[str]:
    """A secret in our environment when the session's next process starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEMMATA_SECRET", SECRET)
        session.close()
        yield SECRET


@pytest.mark.parametrize("reader, finds", READERS.values(), ids=READERS)
def test_a_program_in_a_theory_reads_nothing_outside(
    reader: str, finds: str, around: str, target: Path, session: Session, base: Environment
) -> None:
    code = reader.format(target=target, this=__file__)

    extension = session.extend(base, f"#eval show IO String from do {code}\n")

    (said,) = (m.text for m in extension.messages)
    assert finds in said
    assert around not in said
