"""The commands ``lean`` and ``lake`` with the real embedded Lean."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from verifier.toolchain.embedded.commands.scripts import ensure_commands
from verifier.toolchain.embedded.install import ensure_installed

pytestmark = pytest.mark.lean

SECONDS = 120.0

MIXED = """\
import Lean
theorem right (a b : Nat) : a + b = b + a := by omega
#check right
example : 1 = 2 := by decide
def unused (x : Nat) := [3, 1].reverse
#eval unused 0
run_cmd IO.println "printed"
theorem : oops
"""

HANGING = """\
#check 1
example : Nat.rec (motive := fun _ => Nat → Nat) (fun n => n + 1)
  (fun _ f n => Nat.rec (f 1) (fun _ r => f r) n) 4 3 = 0 := by decide +kernel
"""

PROGRAM = """\
def main (words : List String) : IO UInt32 := do
  let line ← (← IO.getStdin).getLine
  IO.println s!"{words} {line.length}"
  return 3
"""


class Commands:
    """The two commands, run in a folder."""

    def __init__(self, executables: Path, folder: Path) -> None:
        self.folder = folder
        path = f"{executables}{os.pathsep}{os.environ['PATH']}"
        self.variables = {**os.environ, "PATH": path}

    def run(self, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.folder,
            env=self.variables,
            input=text,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    ensure_installed()
    return Commands(ensure_commands(), tmp_path)


def test_messages_as_text(commands: Commands) -> None:
    done = commands.run("lean", "--stdin", text=MIXED)
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "right (a b : Nat) : a + b = b + a",
        "<stdin>:4:22: error: Tactic `decide` proved that the proposition",
        "  1 = 2",
        "is false",
        "<stdin>:5:12: warning: unused variable `x`",
        "",
        "Note: This linter can be disabled with `set_option linter.unusedVariables false`",
        "[1, 3]",
        "printed",
        "<stdin>:8:7: error: unexpected token ':'; expected identifier",
        "<stdin>:9:0: error: unexpected end of input; expected ':=', 'where' or '|'",
    ]


def test_messages_as_json_from_a_path_with_a_space(commands: Commands) -> None:
    commands.write("my files/A.lean", "#check x\n")
    done = commands.run("lean", "--json", "-Dpp.all=true", "my files/A.lean")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "caption": "",
        "data": "Unknown identifier `x`",
        "endPos": {"column": 8, "line": 1},
        "fileName": "my files/A.lean",
        "isSilent": False,
        "keepFullRange": False,
        "kind": "lean.unknownIdentifier._namedError",
        "pos": {"column": 7, "line": 1},
        "severity": "error",
    }


def test_an_unknown_import_is_a_message(commands: Commands) -> None:
    done = commands.run("lean", "--stdin", text="import Not.There\n")
    assert done.returncode == 1
    assert done.stdout.startswith("<stdin>:1:0: error: unknown module prefix 'Not'")


def test_main_is_run_with_words_and_standard_input(commands: Commands) -> None:
    commands.write("Main.lean", PROGRAM)
    done = commands.run("lean", "--run", "Main.lean", "--x", "y z", text="four\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "[--x, y z] 5\n", "")


def test_lean_can_neither_write_nor_read_elsewhere(commands: Commands) -> None:
    commands.write("data.txt", "seen")
    text = (
        '#eval IO.FS.readFile "data.txt"\n'
        '#eval IO.FS.writeFile "made.txt" ""\n'
        '#eval IO.FS.readFile "/etc/passwd"\n'
    )
    commands.write("A.lean", text)
    done = commands.run("lean", "A.lean")
    assert done.returncode == 1
    assert done.stdout.startswith('"seen"\nA.lean:2:0: error: permission denied')
    assert "A.lean:3:0: error: no such file" in done.stdout
    assert sorted(path.name for path in commands.folder.iterdir()) == ["A.lean", "data.txt"]


def test_messages_come_before_the_end_and_no_process_outlives_its_parent(
    commands: Commands, tmp_path: Path
) -> None:
    commands.write("Hanging.lean", HANGING)
    start = (
        "import subprocess; p = subprocess.Popen(['lean', 'Hanging.lean']);"
        "print(p.pid, flush=True); p.wait()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", start],
        cwd=tmp_path,
        env=commands.variables,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    lean = int(parent.stdout.readline())
    try:
        assert parent.stdout.readline() == "1 : Nat\n"  # though the next command never ends
        parent.kill()
        parent.wait()
        assert _ends(lean)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(lean, signal.SIGKILL)


def _ends(pid: int) -> bool:
    """Whether a process, which is no child of ours, ends in time."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if re.search(r"^State:\s+Z", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE):
            return True
        time.sleep(0.1)
    return False


LAKEFILE = 'name = "p"\n[[lean_lib]]\nname = "P"\nglobs = ["P.+"]\n'
NOTATION = """\
namespace P
inductive Tree where
  | leaf
  | node (left right : Tree)
  deriving Repr
@[simp] def size : Tree → Nat
  | .leaf => 0
  | .node l r => size l + size r + 1
notation "#" t => size t
end P
"""
USER = """\
import P.Tree
namespace P
theorem size_node (l r : Tree) : (# .node l r) = (# l) + (# r) + 1 := by simp
#eval (Tree.leaf, # .node .leaf .leaf)
end P
"""


BROKEN = USER.replace("+ 1 :=", "+ 2 :=").replace("theorem size_node", "theorem wrong")


def test_an_ordinary_project_of_several_files(commands: Commands) -> None:
    commands.write("lakefile.toml", LAKEFILE)
    commands.write("P/Tree.lean", NOTATION)
    commands.write("P/User.lean", USER)
    commands.write("P/Wrong.lean", BROKEN)
    built = commands.run("lake", "build")
    assert built.returncode == 1
    assert "/3] Built P.Tree" in built.stdout
    assert "info: P/User.lean:4:0: (P.Tree.leaf, 1)" in built.stdout
    assert "error: P/Wrong.lean:3:" in built.stdout
    assert built.stdout.endswith("Some required targets logged failures:\n- P.Wrong\n")
    assert built.stderr == "error: build failed\n"
    assert commands.run("lake", "env", "lean", "--deps", "P/User.lean").stdout.split()[1:] == [
        str(commands.folder / ".lake/build/lib/lean/P/Tree.olean")
    ]
