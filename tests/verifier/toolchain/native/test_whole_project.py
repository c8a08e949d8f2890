"""A whole Lake project, from discovery to verdicts, with the embedded Lean's own two commands.

The project declares no syntax: `importModules` of the embedded Lean forgets the compiled parts of
a module's parsers, which its `lean` command works around and a program inside Lean cannot.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.batch import Candidate, check_many
from verifier.errors import InputError
from verifier.lean import Environment, Statement
from verifier.toolchain.embedded.commands.scripts import ensure_commands
from verifier.toolchain.embedded.install import ensure_installed
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.native.discovery import NativeToolchain, discover
from verifier.toolchain.native.file import check_file
from verifier.toolchain.native.lean import NativeLean
from verifier.verdict import Reason

pytestmark = pytest.mark.lean

LAKEFILE = 'name = "mine"\ndefaultTargets = ["Mine"]\n\n[[lean_lib]]\nname = "Mine"\n'
BASIC = """/-- A list of my own. -/
inductive Mine.Seq (α : Type u) where
  | nil
  | cons (x : α) (xs : Mine.Seq α)

namespace Mine.Seq

variable {α : Type u}

def append : Seq α → Seq α → Seq α
  | nil, ys => ys
  | cons x xs, ys => cons x (append xs ys)

theorem hole (xs : Seq α) : xs = nil := sorry

axiom law (xs : Seq α) : xs = nil

end Mine.Seq
"""
MINE = Environment(("Mine",))
SCOPE = "namespace Mine.Seq\nuniverse v\nvariable {β : Type v}"
NIL = "(xs : Seq β) : append xs nil = xs"
INDUCTION = """by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [append, ih]"""
CANDIDATES = {
    "induction": (NIL, INDUCTION, SCOPE, Reason.PROVED),
    "open": ("(xs : Mine.Seq Nat) : append nil xs = xs", "rfl", "open Mine.Seq", Reason.PROVED),
    "open_in": (": Mine.Seq.nil (α := Nat) = nil", "rfl", "section\nopen Mine.Seq", Reason.PROVED),
    "attribute": (NIL, "by simp [append]", SCOPE, Reason.PROOF_FAILED),
    "hole_below": (NIL, "by rw [hole (append xs nil), hole xs]", SCOPE, Reason.SORRY),
    "axiom_below": (NIL, "by rw [law (append xs nil), law xs]", SCOPE, Reason.FORBIDDEN_AXIOM),
    "typo": ("(xs : Seq γ) : xs = xs", "rfl", SCOPE, Reason.STATEMENT_INVALID),
    "unknown": ("(xs : List Nat) : append xs xs = xs", "rfl", "", Reason.STATEMENT_INVALID),
    "native": (": 2 + 2 = 4", "by native_decide", "", Reason.COMPILER_TRUSTED),
    "choice": ("(p : Prop) : p ∨ ¬p", "Classical.em p", "", Reason.PROVED),
}


@pytest.fixture(scope="module")
def embedded() -> EmbeddedLean:
    """The real installation; `installation` is a made-up one in this folder."""
    return ensure_installed()


@pytest.fixture(scope="module")
def project(embedded: EmbeddedLean, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Lake project that is built, with the embedded Lean's commands on the PATH."""
    folder = tmp_path_factory.mktemp("my project")
    (folder / "Mine").mkdir()
    (folder / "lakefile.toml").write_text(LAKEFILE)
    (folder / "lean-toolchain").write_text(f"leanprover/lean4:v{embedded.lean_version}\n")
    (folder / "Mine" / "Basic.lean").write_text(BASIC)
    (folder / "Mine.lean").write_text("import Mine.Basic\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{ensure_commands()}{os.pathsep}{os.environ['PATH']}")
        subprocess.run(["lake", "build"], cwd=folder, check=True, capture_output=True, timeout=300)
        yield folder


@pytest.fixture(scope="module")
def toolchain(project: Path, tmp_path_factory: pytest.TempPathFactory) -> NativeToolchain:
    """The Lean that is found from a folder inside the project."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELAN_HOME", str(tmp_path_factory.mktemp("elan")))
        return discover(project / "Mine")


def test_the_project_is_found(
    toolchain: NativeToolchain, project: Path, embedded: EmbeddedLean
) -> None:
    assert toolchain.directory == project
    assert toolchain.info.version == embedded.lean_version
    assert toolchain.info.commit == embedded.commit
    assert not toolchain.differs_from_wanted
    assert str(project / ".lake" / "build" / "lib" / "lean") in toolchain.environment["LEAN_PATH"]


def test_candidates_upon_a_module_of_the_project(toolchain: NativeToolchain) -> None:
    candidates = [
        Candidate(Statement(MINE, "t", signature, context), proof, 30.0)
        for signature, proof, context, _ in CANDIDATES.values()
    ]

    verdicts = dict(zip(CANDIDATES, check_many(NativeLean(toolchain), candidates), strict=True))

    for title, (_, _, _, reason) in CANDIDATES.items():
        assert verdicts[title].reason is reason, (title, verdicts[title])
    assert "Mine.Seq.append" in verdicts["induction"].premises
    assert verdicts["induction"].toolchain.endswith("(native)")
    assert verdicts["axiom_below"].message == "Mine.Seq.law"


def test_a_module_body_with_declarations_and_spans(toolchain: NativeToolchain) -> None:
    text = (
        "import Mine\n\nopen Mine\n\n/-- Ä docstring. -/\n@[simp] theorem a : 1 + 1 = 2 := rfl\n\n"
        "set_option debug.skipKernelTC true in\ntheorem b : 1 = 2 := by decide +kernel\n#check a\n"
    )
    lean = NativeLean(toolchain)

    header = lean.header(text)
    extension = lean.extend(MINE, text, header.body_start)

    assert header.imports == ("Init", "Mine")
    found = {d.name: d for d in extension.declarations}
    assert set(found) == {"a", "b", "b._proof_1"}
    start, end = found["a"].span or (0, 0)
    assert text.encode()[start:end].decode().startswith("/-- Ä docstring. -/\n@[simp] theorem a")
    assert [r.split(":")[0] for r in extension.refused] == ["b._proof_1", "b._proof_1"]
    assert [(m.line, m.text) for m in extension.messages] == [(10, "a : 1 + 1 = 2")]


def test_an_import_that_is_not_built(toolchain: NativeToolchain) -> None:
    with pytest.raises(InputError, match=r"Mine\.Missing") as caught:
        NativeLean(toolchain).state(Statement(Environment(("Mine.Missing",)), "t", ": True"))
    assert caught.value.hint == "Run `lake build` in the project."


def test_a_file_of_the_project(toolchain: NativeToolchain, project: Path) -> None:
    file = project / "Mine" / "More.lean"
    file.write_text("import Mine.Basic\n\n#check Mine.Seq.append\n\ntheorem t : 1 = 2 := rfl\n")
    report = check_file(toolchain, file, 120.0)
    assert report.status == 1
    assert {(m.severity, m.line) for m in report.messages} == {("information", 3), ("error", 5)}
