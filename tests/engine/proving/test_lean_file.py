"""Lean files: holes are found, filled where that is possible, and nothing else changes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.proving.batch import BatchReport
from engine.proving.filling import as_lean_sees
from engine.proving.inputs.lean_file import LeanFile, lean_files
from engine.proving.output import copies, in_place, patch
from engine.proving.result import Label, Result
from engine.workers import Worker
from verifier.lean import Environment
from verifier.outline import Outline
from verifier.session import Session

pytestmark = pytest.mark.lean
ORCHARD = Path(__file__).parent / "Orchard.lean"
RunBatch = Callable[..., BatchReport]


def no_module(module: str) -> bool:
    return module == "Init"


def lean_file(folder: Path, text: str | bytes, name: str = "Some.lean") -> LeanFile:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return LeanFile(path, folder, no_module)


def by_name(report: BatchReport) -> dict[str, Result]:
    return {r.name: r for r in report.results}


def outline(session: Session, base: Environment, text: str) -> Outline:
    return session.outline(base, text)


def test_what_an_outline_says(session: Session, base: Environment) -> None:
    text = (
        "/- sorry /- sorry -/ -/\nnamespace A.B\n"
        '@[simp] private theorem «α β» (n : Nat) : n = n := by sorry\ndef s := "sorry"\n'
        "open Nat in\nexample : True ∧ True := by\n  constructor\n  · sorry\n  · exact sorry\n"
        "theorem e : ∀ n : Nat, n = n\n  | 0 => rfl\n  | _ + 1 => sorry\nend A.B\n"
    )
    commands = {c.span: c for c in outline(session, base, text).commands if c.declaration}
    said = [
        (d.name, d.form, d.bare, [h.form for h in c.holes])
        for c in commands.values()
        if (d := c.declaration) is not None
    ]
    assert said == [
        ("«α β»", "simple", True, ["tactic"]),
        ("s", "simple", False, []),
        (None, "simple", False, ["tactic", "term"]),
        ("e", "equations", False, ["term"]),
    ]
    raw = text.encode()
    for command in commands.values():
        assert all(raw[h.span[0] : h.span[1]] == b"sorry" for h in command.holes)


def test_an_outline_agrees_with_an_extension_also_when_it_goes_on(
    session: Session, base: Environment
) -> None:
    first = "def two := 2\ntheorem a : two = 2 := sorry\ntheorem b : two = 2 := a\n"
    second = first.replace("sorry", "rfl")
    for text in (first, second, first[:13], second + "theorem c : 1 = 2 := rfl\n"):
        one, other = session.outline(base, text), session.extend(base, text)
        assert one.environment == other.environment
        assert one.messages == other.messages
        assert one.declarations == other.declarations
    (described,) = session.declarations(session.outline(base, second).environment, ["b"])
    assert described is not None and described.axioms == ()


def test_a_file_as_people_write_them(tmp_path: Path, run_batch: RunBatch, worker: Worker) -> None:
    raw = ORCHARD.read_bytes()
    assert raw.count(b"\r\n") == raw.count(b"\n") >= 300
    source = LeanFile(ORCHARD, ORCHARD.parent, no_module)
    report = run_batch([source], each=4.0)
    found = by_name(report)
    assert sum(r.holes for r in report.results) == 12
    proved = {name for name, r in found.items() if r.label is Label.VERIFIED}
    assert proved == {
        "append_nil",
        "append_assoc",
        "length_append",
        "reverse_append",
        "length_twice",
        "«zip with nothing»",
        "μῆκος_ἀντιστρόφου",
        "example_151",
    }
    assert found["reverse_same"].label is Label.REFUTED
    assert "xs := " in found["reverse_same"].message
    assert found["both_ends"].label is Label.REFUTED  # one half of it is false: nothing is filled
    assert found["both_ends"].filled == 0
    assert found["someone"].label is Label.NOT_A_PROOF
    assert found["reverse_append"].axioms == ("propext",) or not found["reverse_append"].axioms

    (copy,) = copies(report.outcomes, tmp_path)
    new = copy.read_bytes()
    fills = report.outcomes[0].closed.fills  # type: ignore[union-attr]
    _assert_only_fills_differ(raw, new, [(f.start, f.end) for f in fills])
    assert new.count(b"\r\n") == new.count(b"\n")
    again = LeanFile(copy, tmp_path, no_module).read(worker.session)
    assert again.errors == ()
    assert [(p.name, len(p.holes)) for p in again.problems] == [
        ("reverse_same", 1),
        ("both_ends", 2),
        ("someone", 1),
    ]


def _assert_only_fills_differ(raw: bytes, new: bytes, spans: list[tuple[int, int]]) -> None:
    """All bytes outside of the spans, which are in the text that Lean sees, are the same."""
    old, at = as_lean_sees(raw), 0
    rest = as_lean_sees(new)
    for start, end in [*spans, (len(old), len(old))]:
        kept = old[at:start]
        found = rest.find(kept)
        assert found >= 0
        assert at == 0 or found > 0 or not kept
        rest = rest[found + len(kept) :]
        at = end
    assert rest == b""


TRICKY = (
    "\ufeffnamespace A\r\n"
    "theorem one (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n"
    "  refine ⟨?_, ?_⟩\r\n"
    "  · sorry\r\n"
    "  · exact sorry\n"
    "set_option linter.all true in\n"
    "@[simp] protected theorem two : ∀ p : Prop, p → p := sorry\r\n"
    "theorem three (f : Nat → Nat) (h : ∀ n, f (n + 1) = f n) (n : Nat) : f n = f 0 := by\r\n"
    "  induction n with\r\n"
    "  | zero => sorry\r\n"
    "  | succ n ih => admit\n"
    "theorem four : A.two = A.two := by sorry\n"
    "theorem uses_a_false_one : 1 = 2 := by\n  have h : 1 = 2 := by sorry\n  exact h\n"
    "end A"
)


def test_mixed_line_ends_a_mark_and_nested_holes(tmp_path: Path, run_batch: RunBatch) -> None:
    source = lean_file(tmp_path, TRICKY)
    report = run_batch([source], each=4.0)
    labels = {r.name: str(r.label) for r in report.results}
    assert labels == {
        "one": "verified",
        "two": "verified",
        "three": "verified",
        "four": "verified",
        "uses_a_false_one": "refuted",
    }
    (path,) = in_place(report.outcomes)
    new = path.read_bytes().decode()
    assert new.startswith("\ufeffnamespace A\r\ntheorem one")
    assert new.count("sorry") == 1 and "admit" not in new
    assert "set_option linter.all true in\n@[simp] protected theorem two" in new
    assert new.endswith("  exact h\nend A")


HALF = """
theorem half (a b c n : Nat) (p : Prop) (hp : p) :
    p ∧ (0 < a → 0 < b → 2 < n → a ^ n + b ^ n ≠ c ^ n) := by
  constructor
  · sorry
  · sorry
"""


def test_a_hole_that_can_be_filled_is_filled_beside_one_that_cannot(
    tmp_path: Path, run_batch: RunBatch
) -> None:
    report = run_batch([lean_file(tmp_path, HALF)], each=3.0)
    (half,) = report.results
    assert (half.reason, half.filled, half.holes) == ("holes_left", 1, 2)


def test_an_open_theorem_is_no_premise(tmp_path: Path, run_batch: RunBatch) -> None:
    text = (
        "@[simp] theorem wrong (n : Nat) : n = 0 := sorry\n"
        "theorem also_wrong : 5 = 0 := sorry\n"
        "theorem right (n : Nat) : n + 0 = n := sorry\n"
        "theorem rests (n : Nat) : n = 0 := by\n  have := wrong n\n  sorry\n"
    )
    report = run_batch([lean_file(tmp_path, text)], each=3.0)
    labels = {r.name: str(r.label) for r in report.results}
    assert labels == {
        "wrong": "refuted",
        "also_wrong": "refuted",
        "right": "verified",
        "rests": "refuted",
    }


def test_errors_that_were_there_before_do_not_stop_the_rest(
    tmp_path: Path, run_batch: RunBatch
) -> None:
    text = "theorem a : 1 = 2 := rfl\ntheorem b : 1 = 1 := sorry\ndef d : Nat := sorry\n"
    text += "theorem c : d = d := sorry\ntheorem e : unknown := sorry\n"
    text += "theorem bound_by_lean (xs : List β) : xs = xs := sorry\n"
    report = run_batch([lean_file(tmp_path, text)], each=3.0)
    found = by_name(report)
    assert found["b"].label is Label.VERIFIED
    assert found["d"].label is Label.NOT_A_PROOF
    assert found["c"].reason == "sorry"
    for name in ("e", "bound_by_lean"):
        assert (found[name].label, found[name].reason) == (Label.REJECTED, "statement_invalid")


def test_local_imports_and_folders(tmp_path: Path, run_batch: RunBatch) -> None:
    (tmp_path / "lean-toolchain").write_text("any")
    lean_file(tmp_path, "def Base.d (n : Nat) := n + 0\n", "Base.lean")
    lean_file(tmp_path, "import Base\ntheorem t (n : Nat) : Base.d n = n := by sorry\n", "Top.lean")
    lean_file(tmp_path, "import Gone\ntheorem t : True := sorry\n", "Broken.lean")
    (tmp_path / ".lake").mkdir()
    lean_file(tmp_path / ".lake", "theorem t : True := sorry\n")
    (tmp_path / "proved").mkdir()
    lean_file(tmp_path / "proved", "theorem copy : True := sorry\n")
    paths = list(lean_files(tmp_path, tmp_path / "proved"))
    assert [p.name for p in paths] == ["Broken.lean", "Top.lean"]
    report = run_batch([LeanFile(p, tmp_path, no_module) for p in paths])
    assert [(str(r.label), r.reason) for r in report.results] == [
        ("error", "bad_input"),
        ("verified", "proved"),
    ]


def test_a_second_run_answers_from_the_journal(tmp_path: Path, run_batch: RunBatch) -> None:
    text = "theorem a (n : Nat) : n + 0 = n := sorry\ntheorem b (n : Nat) : n = n + 1 := sorry\n"
    source = lean_file(tmp_path, text)
    first = run_batch([source], each=3.0)
    second = run_batch([source], each=3.0)
    assert [r.label for r in second.results] == [r.label for r in first.results]
    assert all(r.resumed for r in second.results)
    source.path.write_text("-- moved\n" + text)
    assert not any(r.resumed for r in run_batch([source], each=3.0).results)


def test_an_interrupt_keeps_what_is_done(tmp_path: Path, run_batch: RunBatch) -> None:
    text = "".join(f"theorem t{n} : {n} + 1 = 1 + {n} := sorry\n" for n in range(4))
    source = lean_file(tmp_path, text)
    settled = []

    def interrupt(event: object) -> None:
        settled.append(event)
        if len(settled) == 3:  # the file was read, two statements are settled
            raise KeyboardInterrupt

    report = run_batch([source], each=3.0, notify=interrupt)
    assert report.interrupted
    assert [r.reason for r in report.results] == ["proved", "proved", "interrupted", "interrupted"]
    rest = run_batch([source], each=3.0)
    assert [r.resumed for r in rest.results] == [True, True, False, False]
    assert all(r.label is Label.VERIFIED for r in rest.results)


def test_without_time_nothing_is_tried(tmp_path: Path, run_batch: RunBatch) -> None:
    source = lean_file(tmp_path, "theorem a : 1 = 1 := sorry\n")
    report = run_batch([source], total=0.0)
    assert [(str(r.label), r.reason) for r in report.results] == [("open", "budget")]


@pytest.mark.skipif(shutil.which("git") is None, reason="git shows the difference")
def test_git_sees_only_the_proofs(
    tmp_path: Path, run_batch: RunBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "-- sorry\r\ntheorem a (xs : List Nat) : xs ++ [] = xs := sorry\r\n\r\n-- end\r\n"
    source = lean_file(tmp_path, text)
    report = run_batch([source])
    made = patch(report.outcomes, tmp_path / "out")
    git = ["git", "-c", "core.autocrlf=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "Some.lean"], check=True)
    subprocess.run([*git, "apply", "--whitespace=nowarn", str(made)], check=True)
    shown = subprocess.run([*git, "diff", "-U0"], check=True, capture_output=True).stdout.decode()
    changed = [x for x in shown.splitlines() if x[:1] in "+-" and x[:3] not in ("+++", "---")]
    assert [x[0] for x in changed] == ["-", "+"]
    assert changed[0].startswith("-theorem a (xs : List Nat) : xs ++ [] = xs := sorry")
