"""Repositories that LeanDojo has traced are read with the tactics that use each premise."""

from __future__ import annotations

import doctest
import os
import shutil
from pathlib import Path

import pytest

from engine.knowledge.base import TABLE, KnowledgeBase
from engine.knowledge.declarations import Declarations
from engine.knowledge.index import update_index
from engine.knowledge.traced import read_traced
from engine.model import Label, NodeKind
from engine.settings import Settings
from engine.sources import traced_repository as module
from engine.sources.traced_repository import read_corpus, read_traced_repository
from verifier.errors import InputError, ToolchainError
from verifier.progress import SilentProgress
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.embedded.tracing import extractor, repaired, trace_project

LAKEFILE = """
name = "shapes"
[[lean_lib]]
name = "Shapes"
globs = ["Shapes.+"]
"""
BASE = """
namespace Shapes
/-- A pile. -/
inductive Pile where
  | base : Pile
  | on : Pile → Pile

def stack : Pile → Pile → Pile
  | .base, q => q
  | .on p, q => .on (stack p q)
end Shapes
"""
LAWS = """
import Shapes.Base
namespace Shapes
open Pile

theorem stack_base (p : Pile) : stack p base = p := by
  induction p with
  | base => rfl
  | on p ih => rw [stack, ih]

@[simp] theorem stacked (p : Pile) : stack (stack p base) base = p := by
  rw [stack_base] <;> exact stack_base p

theorem open_question (p q : Pile) : stack p q = stack q p := sorry
end Shapes
"""
RECORD = (
    '{"path": ".lake/packages/mathlib/Mathlib/Logic.lean", "imports": [], "premises": '
    '[{"full_name": "Foo.bar", "code": "@[simp]\\ntheorem bar (a : Nat) :\\n  a = a", '
    '"start": [3, 1], "end": [4, 9], "kind": "commanddeclaration"}, '
    '{"full_name": "Foo.baz", "code": "def baz := 1", '
    '"start": [6, 1], "end": [6, 13], "kind": "commanddeclaration"}]}\n'
)


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory, installation: EmbeddedLean) -> Path:
    """A small project, traced by LeanDojo's own extractor."""
    pytest.importorskip("lean_dojo", reason="the extra `dojo` is not installed")
    root = tmp_path_factory.mktemp("traced") / "shapes"
    (root / "Shapes").mkdir(parents=True)
    (root / "lakefile.toml").write_text(LAKEFILE)
    (root / "Shapes" / "Base.lean").write_text(BASE)
    (root / "Shapes" / "Laws.lean").write_text(LAWS)
    traces = trace_project(root, installation)
    assert [path.name for path in traces] == ["Base.ast.json", "Laws.ast.json"]
    assert not list(root.rglob("ExtractData.lean")), "the extractor leaves with the trace"
    return root


@pytest.mark.lean
def test_a_traced_project_is_read(traced: Path) -> None:
    found = read_traced_repository(traced)
    nodes = {node.name: node for node in found.nodes}
    assert set(nodes) == {
        "Shapes.Pile",
        "Shapes.stack",
        "Shapes.stack_base",
        "Shapes.stacked",
        "Shapes.open_question",
    }
    law = nodes["Shapes.stack_base"]
    assert law.id == "Shapes.Laws:Shapes.stack_base" and law.kind is NodeKind.THEOREM
    assert law.statement == "(p : Pile) : stack p base = p"
    assert law.proof is not None and law.proof.startswith("by\n  induction p with")
    assert law.location is not None
    assert (law.location.document, law.location.first_line) == ("Shapes/Laws.lean", 6)
    assert set(law.symbols) == {"Shapes.Pile", "Shapes.stack", "Shapes.Pile.base"}
    labels = {name: node.label for name, node in nodes.items()}
    assert labels.pop("Shapes.open_question") is Label.CONJECTURE
    assert set(labels.values()) == {Label.ASSUMED}


@pytest.mark.lean
def test_its_edges_say_by_which_tactic(traced: Path) -> None:
    edges = {
        (c.parent.partition(":")[2], c.child.partition(":")[2]): c.explanation
        for c in read_traced_repository(traced).contributions
    }
    assert edges["Shapes.stack", "Shapes.stack_base"] == (
        "Shapes.stack occurs once in the statement of Shapes.stack_base and once in its proof, "
        "which rewrites with it (rw)."
    )
    assert "takes it apart (induction)" in edges["Shapes.Pile", "Shapes.stack_base"]
    assert "applies it (exact)" in edges["Shapes.stack_base", "Shapes.stacked"]
    assert "three times in the statement" in edges["Shapes.Pile", "Shapes.stack"]


@pytest.mark.lean
def test_a_trace_goes_into_a_knowledge_base(traced: Path, tmp_path: Path) -> None:
    settings = Settings()
    with Declarations(tmp_path / TABLE) as declarations:
        report = read_traced(declarations, traced, SilentProgress())
        assert (report.read, report.declarations) == (2, 5)
        assert read_traced(declarations, traced, SilentProgress()).read == 0
        update_index(tmp_path, declarations, settings, SilentProgress())
    with KnowledgeBase(tmp_path, settings) as base:
        assert base.search("Shapes.stacked", 1).found[0].node.name == "Shapes.stacked"
        (law,) = base.declarations.named("Shapes.stack_base")
        reasons = [edge.explanation for edge in base.contributions_into(law.id)]
        assert any("rewrites with it (rw)" in reason for reason in reasons)
        assert base.index.lineage.ancestors(law.id)


@pytest.mark.lean
def test_both_forms_of_a_trace_are_read_alike_without_a_token(
    traced: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lean_dojo.data_extraction.traced_data import TracedFile

    root = tmp_path / traced.name
    shutil.copytree(traced, root)
    for path in list(root.rglob("*.ast.json")):
        text = TracedFile.from_traced_file(root, path, None).to_xml()
        path.with_suffix("").with_suffix(".trace.xml").write_text(text)
        path.unlink()
    monkeypatch.setenv("GITHUB_ACCESS_TOKEN", "not a token")
    assert read_traced_repository(root) == read_traced_repository(traced)
    assert os.environ["GITHUB_ACCESS_TOKEN"] == "not a token"


@pytest.mark.lean
def test_a_trace_of_another_version_of_the_source_is_an_error(traced: Path, tmp_path: Path) -> None:
    root = tmp_path / "shapes"
    shutil.copytree(traced, root)
    (root / "Shapes" / "Base.lean").write_text("-- nothing\n")
    with pytest.raises(InputError, match="cannot be read by LeanDojo"):
        read_traced_repository(root)


def test_a_folder_without_a_trace_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no trace"):
        read_traced_repository(tmp_path)


def test_a_corpus_of_reprover_is_read(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(RECORD)
    bar, baz = read_corpus(path)
    assert (bar.id, bar.kind) == ("Mathlib.Logic:Foo.bar", NodeKind.THEOREM)
    assert bar.statement == "(a : Nat) : a = a"
    assert baz.kind is NodeKind.DEFINITION and baz.statement == ":= 1"
    path.write_text(RECORD + '{"path": 3}\n')
    with pytest.raises(InputError, match=r"corpus\.jsonl:2"):
        read_corpus(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_corpus(tmp_path / "missing.jsonl")


def test_the_extractor_of_another_version_is_refused() -> None:
    with pytest.raises(ToolchainError, match="not the known one"):
        repaired("import Lean\n")


def test_the_installed_extractor_is_repaired() -> None:
    pytest.importorskip("lean_dojo", reason="the extra `dojo` is not installed")
    program = repaired(extractor().read_text())
    assert "import Lake" not in program and "String.Pos.Raw" in program


def test_the_examples_of_the_module_hold() -> None:
    assert doctest.testmod(module).failed == 0
