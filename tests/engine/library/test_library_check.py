"""``check_library`` finds each kind of damage; the scripted Lean makes it quick."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from credulous import BASIC, Credulous, theory, write
from typer.testing import CliRunner

from engine.cli import library as cli
from engine.cli.library import library_app
from engine.library import installation
from engine.library.check import check_library
from engine.library.findings import REMEDIES
from engine.library.library import Library
from engine.library.package import DATABASE
from engine.library.records import CheckReport
from engine.library.soundness import anonymous
from engine.model import Candidate, Label, Stage
from engine.sources.lean_module import Theory
from verifier.errors import ExitCode, InputError
from verifier.lean import Environment, Extension
from verifier.verifier import Verifier

MODULE = "Lemmata/Theories/Basic.lean"
SNAPSHOT = "Theories/Basic.lean"
DATABASE_EDIT = "DROP TRIGGER audit_never_changes; UPDATE audit SET detail = '{}' WHERE event = "


@pytest.fixture
def closed(library: Library, folder: Path, basic: Theory) -> Path:
    write(library, basic, "one", "by use add")
    write(library, basic, "two", "by use one")
    library.close()
    return folder


def check(folder: Path) -> CheckReport:
    with Library.open(folder, lenient=True) as library:
        return check_library(library, Verifier(Credulous()))


def codes(folder: Path) -> set[str]:
    return {finding.code for finding in check(folder).findings}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def sql(folder: Path, script: str) -> None:
    with sqlite3.connect(folder / DATABASE) as raw:
        raw.executescript(script)
    raw.close()


def test_a_sound_library(closed: Path) -> None:
    report = check(closed)
    assert report.ok and report.findings == () and (report.proved, report.modules) == (2, 1)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("says one", "says nothing", "statement_differs"),
        ("theorem two", "theorem three", "lemma_missing"),
        ("theorem two", "theorem three", "lemma_unknown"),
        ("theorem two", "axiom two", "not_a_theorem"),
        ("use one", "use everything", "module_fails"),
        ("import Theories.Basic", "import Theories.Other", "module_fails"),
        ("Do not edit", "Do edit", "module_edited"),
    ],
)
def test_an_edited_module(closed: Path, old: str, new: str, expected: str) -> None:
    edit(closed / MODULE, old, new)
    assert {expected, "module_edited"} <= codes(closed)


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda f: (f / MODULE).unlink(), "module_missing"),
        (lambda f: edit(f / SNAPSHOT, "def add", "def sub"), "snapshot_edited"),
        (lambda f: (f / "Lemmata/Mine.lean").write_text("-- mine\n"), "module_stray"),
        (lambda f: (f / "lakefile.toml").write_text("# mine\n"), "lakefile_edited"),
        (lambda f: sql(f, "UPDATE lemmas SET text = 'theorem x'"), "row_edited"),
        (lambda f: sql(f, DATABASE_EDIT + "'module.rendered'"), "chain_broken"),
        (lambda f: sql(f, "DELETE FROM modules; DELETE FROM lemmas"), "lemma_unknown"),
        (lambda f: sql(f, "DELETE FROM lemmas WHERE name = 'T.two'"), "row_missing"),
        (
            lambda f: sql(f, "UPDATE nodes SET body = json_set(body, '$.proof', 'by use nothing')"),
            "lemma_fails",
        ),
    ],
)
def test_damage(closed: Path, damage: Callable[[Path], object], expected: str) -> None:
    damage(closed)
    report = check(closed)
    assert expected in {f.code for f in report.findings}
    assert report.ok == (expected == "lakefile_edited")


def test_a_withdrawn_lemma_leaves_a_sound_library(closed: Path) -> None:
    with Library.open(closed) as library:
        library.withdraw("Lemmata.Theories.Basic:T.two", "it follows from T.one")
    report = check(closed)
    assert report.ok and report.findings == () and report.proved == 1
    with Library.open(closed) as library:
        assert library.restore() == []


def test_a_lemma_that_is_gone_without_a_word_is_found(closed: Path) -> None:
    sql(closed, "DELETE FROM lemmas WHERE name = 'T.two'")
    assert "row_missing" in codes(closed)


def test_an_unwitnessed_label(closed: Path) -> None:
    with Library.open(closed) as library:
        library.retract("Lemmata.Theories.Basic:T.one", "a test")
    sql(closed, "UPDATE nodes SET body = json_set(body, '$.label', 'verified')")
    assert "label_unwitnessed" in codes(closed)


def test_a_theory_that_does_not_compile(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Credulous.extend

    def failing(lean: Credulous, below: Environment, text: str, start: int = 0) -> Extension:
        if text == BASIC:
            text = "theorem x : P := by use nothing"
        return real(lean, below, text, start)

    monkeypatch.setattr(Credulous, "extend", failing)
    assert "snapshot_fails" in codes(closed)


def test_duplicates_are_a_warning(library: Library, folder: Path, basic: Theory) -> None:
    write(library, basic, "one")
    write(library, basic, "two")
    assert check_library(library, Verifier(Credulous())).findings == ()
    again = theory("namespace U\ndef x := 0\nend U\n", "Theories.Again")
    library.adopt(again, Verifier(Credulous()))
    write(library, again, "one")
    report = check_library(library, Verifier(Credulous()))
    assert report.ok and [f.code for f in report.findings] == ["duplicate_statement"]


def test_types_are_compared_without_names() -> None:
    one = ["p", "x", ["c", "N", [["u", "u"]]], ["v", 0], 0]
    two = ["p", "y", ["c", "N", [["u", "v"]]], ["v", 0], 0]
    other = ["p", "y", ["c", "M", [["u", "v"]]], ["v", 0], 0]
    assert anonymous(one) == anonymous(two) != anonymous(other)
    deep = ["v", 0]
    for _ in range(50_000):
        deep = ["a", deep, ["v", 0]]
    assert len(anonymous(deep)) > 100_000


def test_every_code_has_a_remedy() -> None:
    assert all(remedy.endswith((".", "`.")) and len(remedy) > 20 for remedy in REMEDIES.values())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    from contextlib import nullcontext

    monkeypatch.setattr(cli, "_verifier", lambda: nullcontext(Verifier(Credulous())))
    monkeypatch.setattr(installation, "installation_findings", lambda _: [])

    def invoke(*arguments: object) -> tuple[int, str]:
        result = CliRunner().invoke(library_app, [str(a) for a in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout

    return invoke


Run = Callable[..., tuple[int, str]]


def test_cli_list_and_show(closed: Path, run: Run) -> None:
    code, text = run("list", "--library", closed)
    assert code == 0 and "T.one" in text and "2 lemmas" in text
    listed = json.loads(run("list", "--library", closed, "--json")[1])
    assert [row["name"] for row in listed["lemmas"]] == ["T.one", "T.two"]
    assert (
        json.loads(run("list", "--library", closed, "--theory", "Theories.Basic", "--json")[1])
        == listed
    )
    with pytest.raises(InputError, match="no lemmas about"):
        run("list", "--library", closed, "--theory", "Nothing")
    assert "theorem two : says two" in run("show", "two", "--library", closed)[1]
    shown = json.loads(run("show", "T.two", "--library", closed, "--json")[1])
    assert shown["premises"] == ["T.one"] and shown["file"].endswith("Basic.lean")


def test_cli_check_and_restore(closed: Path, run: Run) -> None:
    assert run("check", "--library", closed)[0] == ExitCode.OK
    edit(closed / MODULE, "says one", "says nothing")
    code, text = run("check", "--library", closed, "--json")
    report = json.loads(text)
    assert code == ExitCode.CHECK_FAILED and not report["ok"]
    assert report["findings"][0]["code"] == "module_edited"
    code, text = run("check", "--library", closed)
    assert code == ExitCode.CHECK_FAILED and "not sound" in text
    code, text = run("check", "--library", closed, "--restore", "--json")
    assert code == ExitCode.OK and len(json.loads(text)["kept"]) == 1
    assert "says nothing" in Path(json.loads(text)["kept"][0]).read_text()


def test_cli_retract(closed: Path, run: Run) -> None:
    with Library.open(closed) as library:
        library.store.upsert_node(
            library.store.node("Lemmata.Theories.Basic:T.one").model_copy(
                update={"proof": "by use lies"}
            )
        )
    code, text = run("check", "--library", closed, "--json")
    assert code == ExitCode.CHECK_FAILED and json.loads(text)["retracted"] == []
    code, text = run("check", "--retract", "--library", closed, "--json")
    report = json.loads(text)
    assert code == ExitCode.OK and report["findings"] == []
    assert [each["name"] for each in report["retracted"]] == ["T.one"]
    code, text = run("list", "--library", closed, "--retracted")
    assert "(retracted)" in text
    with pytest.raises(InputError, match="embedded"):
        run("check", "--retract", "--toolchain", "native", "--library", closed)


def test_cli_tells_which_lemmas_serve(closed: Path, run: Run) -> None:
    rows = json.loads(run("list", "--library", closed, "--json")[1])["lemmas"]
    assert [row["users"] for row in rows] == [["T.two"], []]
    assert "used by one later proof (T.two)" in run("show", "one", "--library", closed)[1]
    assert "has not served a proof yet" in run("show", "two", "--library", closed)[1]
    assert "1 of which no proof has used yet" in run("list", "--library", closed)[1]


def test_cli_candidates(closed: Path, run: Run) -> None:
    candidate = Candidate(
        statement=": add = zero", canonical="k", operator="dual", summary="", parents=(),
        novelty="", limits="", plan=(),
    )  # fmt: skip
    with Library.open(closed) as library:
        store = library.store
        made = store.start_run("", "T")
        store.remember_candidate(
            candidate, theory="T", stage=Stage.FALSIFIER, outcome=Label.REFUTED,
            reason="Lean proved the negation", counterexample="n := 1", run=made.id,
        )  # fmt: skip
        pruned = candidate.model_copy(update={"canonical": "p", "statement": ": add = add"})
        store.remember_candidate(pruned, theory="T", stage=Stage.RUBRIC, reason="S = 0.4")
        store.remember_contradiction(
            "T", "k", "p", premises=(), statement=": ¬ (A ∧ B)", proof="by grind"
        )
    every = json.loads(run("candidates", "--library", closed, "--json")[1])
    assert [row["outcome"] for row in every["candidates"]] == ["refuted", "pruned"]
    assert len(every["contradictions"]) == 1
    of_run = ["--run", made.id, "--outcome", "refuted"]
    (refuted,) = json.loads(run("candidates", "--library", closed, *of_run, "--json")[1])[
        "candidates"
    ]
    assert refuted["counterexample"] == "n := 1" and refuted["operator"] == "dual"
    text = run("candidates", "--library", closed, "--outcome", "pruned")[1]
    assert "S = 0.4" in text and "n := 1" not in text and "1 candidate\n" in text
    assert "n := 1" in run("candidates", "--library", closed, "--theory", "T")[1]
    latest = json.loads(run("candidates", "--library", closed, "--limit", "1", "--json")[1])
    assert [row["outcome"] for row in latest["candidates"]] == ["pruned"]
    with pytest.raises(InputError, match="no run"):
        run("candidates", "--library", closed, "--run", "none")


def test_cli_needs_a_library(tmp_path: Path, run: Run) -> None:
    for command in ("list", "check", "export"):
        with pytest.raises(InputError, match="no library"):
            run(command, "--library", tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_cli_export(closed: Path, tmp_path: Path, run: Run) -> None:
    target = tmp_path / "out"
    code, text = run("export", "--library", closed, "--to", target, "--json")
    assert code == 0
    files = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    assert files == set(json.loads(text)["files"])
    assert files == {MODULE, SNAPSHOT, "lakefile.toml", "lean-toolchain"}
    assert (target / MODULE).read_text() == (closed / MODULE).read_text()
    with pytest.raises(InputError, match="empty folder"):
        run("export", "--library", closed, "--to", target)
