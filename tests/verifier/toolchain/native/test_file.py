"""The process side, against the genuine native command line on ``prelude`` files and a bad peer.

The genuine Lean comes from a wheel without compiled modules, so what it elaborates is what a file
defines for itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.errors import InputError
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.toolchain.native import process
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.file import FileReport, check_file
from verifier.toolchain.native.process import LeanProcess, kept_environment

NAT = """prelude
set_option genCtorIdx false
inductive Nat where | zero | succ (n : Nat)
inductive Eq {α : Sort u} : α → α → Prop where | refl (a : α) : Eq a a
"""
ENDLESS = """set_option maxHeartbeats 0
set_option maxRecDepth 1000000
#check Nat
noncomputable def add (a b : Nat) : Nat := Nat.rec a (fun _ r => Nat.succ r) b
noncomputable def exp (a : Nat) : Nat := Nat.rec (Nat.succ Nat.zero) (fun _ r => add r r) a
noncomputable def big : Nat := exp (exp (exp (Nat.succ (Nat.succ (Nat.succ Nat.zero)))))
theorem slow : Eq big (Nat.succ big) := Eq.refl big
"""
Peer = Callable[[str], NativeToolchain]


def check(lean: NativeToolchain, folder: Path, text: str, seconds: float = 60.0) -> FileReport:
    file = folder / "File.lean"
    file.write_text(text)
    return check_file(lean, file, seconds)


@pytest.mark.lean
def test_a_good_file(genuine_lean: NativeToolchain, tmp_path: Path) -> None:
    report = check(genuine_lean, tmp_path, f"{NAT}theorem t (n : Nat) : Eq n n := Eq.refl n\n")
    assert (report.status, report.messages) == (0, ())


@pytest.mark.lean
def test_messages_with_their_positions(genuine_lean: NativeToolchain, tmp_path: Path) -> None:
    text = f"{NAT}theorem t (n : Nat) : Eq n n := Eq.refl n\n#check t\n  #print axioms t\n"

    said = check(genuine_lean, tmp_path, text).messages

    assert [(m.severity, m.line, m.column) for m in said] == [
        ("information", 6, 0),
        ("information", 7, 2),
    ]
    assert said[0].text == "t (n : Nat) : Eq n n"
    assert "does not depend on any axioms" in said[1].text


@pytest.mark.lean
def test_errors_and_the_exit_status(genuine_lean: NativeToolchain, tmp_path: Path) -> None:
    text = f"{NAT}theorem t (n : Nat) :\n    Eq n Nat.zero := Eq.refl n\n#check missing\n"

    report = check(genuine_lean, tmp_path, text)

    assert report.status == 1
    first, *_ = report.errors
    assert (first.line, first.column, first.end_line) == (6, 21, 6)
    assert "but is expected to have type" in first.text
    assert any(m.line == 7 for m in report.errors)


@pytest.mark.lean
def test_imports_that_are_not_there(genuine_lean: NativeToolchain, tmp_path: Path) -> None:
    report = check(genuine_lean, tmp_path, "prelude\nimport Nowhere.Else\n")
    assert report.status == 1
    assert "Nowhere" in report.errors[0].text


@pytest.mark.lean
@pytest.mark.parametrize("name", ["File with spaces.lean", "Datei-äöü.lean", "証明.lean"])
def test_names_of_files(genuine_lean: NativeToolchain, tmp_path: Path, name: str) -> None:
    file = tmp_path / "a folder" / name
    file.parent.mkdir()
    file.write_text(f"{NAT}#check Nat\n")
    assert check_file(genuine_lean, file, 60.0).messages[0].text == "Nat : Type"


@pytest.mark.lean
def test_a_timeout_leaves_nothing(
    genuine_lean: NativeToolchain, tmp_path: Path, started: list[LeanProcess]
) -> None:
    began = time.monotonic()
    with pytest.raises(SessionLost) as caught:
        check(genuine_lean, tmp_path, NAT + ENDLESS, seconds=2.0)
    assert caught.value.loss is Loss.TIMEOUT
    assert time.monotonic() - began < 4.0
    assert gone(started[0])


@pytest.mark.lean
def test_memory_has_a_ceiling(genuine_lean: NativeToolchain, tmp_path: Path) -> None:
    file = tmp_path / "File.lean"
    file.write_text(NAT + ENDLESS)
    with pytest.raises(SessionLost) as caught:
        check_file(genuine_lean, file, 60.0, memory_limit=1 << 20)
    assert caught.value.loss is Loss.MEMORY


@pytest.mark.lean
def test_a_deep_recursion_is_an_error_and_no_verdict(
    genuine_lean: NativeToolchain, tmp_path: Path
) -> None:
    deep = "(Nat.succ " * 20_000 + "Nat.zero" + ")" * 20_000
    try:
        report = check(genuine_lean, tmp_path, f"{NAT}#check {deep}\n")
    except SessionLost as lost:
        assert lost.loss is Loss.CRASH
    else:
        assert report.errors


# A peer that does everything wrong.


def test_lines_come_as_they_are_written(peer: Peer, tmp_path: Path) -> None:
    lean = peer("message('first'); time.sleep(60)")
    with LeanProcess([str(lean.lean)], tmp_path, lean.environment) as running:
        line = running.line(time.monotonic() + 10.0)
        assert line is not None
        assert b"first" in line
        with pytest.raises(SessionLost):
            running.line(time.monotonic() + 0.5)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[LeanProcess]:
    """The processes that a test has started."""
    seen: list[LeanProcess] = []
    inner = LeanProcess.__init__

    def noted(self: LeanProcess, *arguments: object, **named: object) -> None:
        inner(self, *arguments, **named)  # type: ignore[arg-type]
        seen.append(self)

    monkeypatch.setattr(LeanProcess, "__init__", noted)
    return seen


def gone(lean: LeanProcess) -> bool:
    """Whether its group is dead soon; dead processes may wait for the system to reap them."""
    deadline = time.monotonic() + 5.0
    while alive(lean.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(lean.pid)


def alive(group: int) -> bool:
    for folder in process._members(group):
        try:
            if "State:\tZ" not in (folder / "status").read_text():
                return True
        except OSError:
            continue  # it ended while we looked
    return False


BAD = {
    "no_json": ("write('hello\\n')", "not a message"),
    "no_message": ("write('{\"a\": 1}\\n')", "not a message"),
    "no_object": ("write('[]\\n')", "not a message"),
    "half_a_line": ("message('x'); write('{\"severity\": \"err')", "not a message"),
    "other_severity": ("message('x', severity='fine')", "not a message"),
    "no_word": ("sys.exit(3)", "exit status 3"),
    "last_words": ("sys.exit('out of luck')", "out of luck"),
    "abort": ("message('x'); os.abort()", "SIGABRT"),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
}


@pytest.mark.parametrize("script, words", BAD.values(), ids=BAD)
def test_what_is_no_answer_is_a_loss(
    peer: Peer, tmp_path: Path, started: list[LeanProcess], script: str, words: str
) -> None:
    with pytest.raises(SessionLost, match=words) as caught:
        check(peer(script), tmp_path, "")
    assert caught.value.loss is Loss.CRASH
    assert gone(started[0])


def test_children_are_killed_as_well(
    peer: Peer, tmp_path: Path, started: list[LeanProcess]
) -> None:
    script = "subprocess.Popen(['sleep', '60'])\ntime.sleep(60)"
    with pytest.raises(SessionLost) as caught:
        check(peer(script), tmp_path, "", seconds=1.0)
    assert caught.value.loss is Loss.TIMEOUT
    assert gone(started[0])


def test_a_child_that_holds_the_output_open(
    peer: Peer, tmp_path: Path, started: list[LeanProcess]
) -> None:
    script = "message('x')\nsubprocess.Popen(['sleep', '60'])"
    with pytest.raises(SessionLost) as caught:
        check(peer(script), tmp_path, "", seconds=1.0)
    assert caught.value.loss is Loss.TIMEOUT
    assert gone(started[0])


def test_output_is_bounded(peer: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_LINE", 1 << 20)
    with pytest.raises(SessionLost, match="MiB"):
        check(peer("while True: write('x' * 65536)"), tmp_path, "")


def test_memory_of_children_counts(peer: Peer, tmp_path: Path) -> None:
    child = "x = b'1' * (300 << 20); import time; time.sleep(60)"
    script = f"subprocess.run([sys.executable, '-c', {child!r}])"
    file = tmp_path / "File.lean"
    file.write_text("")
    with pytest.raises(SessionLost) as caught:
        check_file(peer(script), file, 30.0, memory_limit=200 << 20)
    assert caught.value.loss is Loss.MEMORY


def test_a_file_that_is_not_there(peer: Peer, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        check_file(peer(""), tmp_path / "missing.lean", 1.0)


def test_the_environment_is_what_lean_needs() -> None:
    given = {"PATH": "/bin", "LEAN_PATH": "/x", "AWS_SECRET": "s", "ELAN_HOME": "/e", "LEANX": "1"}
    assert kept_environment(given) == {k: v for k, v in given.items() if k != "AWS_SECRET"}
