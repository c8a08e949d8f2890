"""``ingest``, ``search``, ``explain`` and ``trees`` on a small project, with the real Lean."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import pytest

from verifier.toolchain.embedded.commands.scripts import ensure_commands
from verifier.toolchain.embedded.layout import EmbeddedLean

Lemmata = Callable[..., subprocess.CompletedProcess[str]]

LAWS = """theorem append_nil (xs : Seq α) : append xs .nil = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [append, ih]

theorem append_nil_nil (xs : Seq α) : append (append xs .nil) .nil = xs := by
  simp [append_nil]"""
SEEDS = Path(__file__).parents[3] / "lean_project"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the seed theories, to be changed."""
    folder = tmp_path_factory.mktemp("projects") / "seeds"
    shutil.copytree(SEEDS, folder, ignore=shutil.ignore_patterns(".lake"))
    lists = folder / "Theories" / "Lists.lean"
    head, _, end = lists.read_text().rstrip().rpartition("\n")
    lists.write_text(f"{head}\n{LAWS}\n{end}\n")
    return folder


@pytest.fixture(scope="module")
def lemmata(tmp_path_factory: pytest.TempPathFactory, installation: EmbeddedLean) -> Lemmata:
    """The command, with knowledge bases of its own."""
    folder = tmp_path_factory.mktemp("knowledge")

    def run(*args: object, **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "engine.cli", *map(str, args)]
        variables = {**os.environ, "LEMMATA_KNOWLEDGE": str(folder), **env}
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, env=variables, cwd=folder
        )

    return run


def answer(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_search_before_anything_is_there(lemmata: Lemmata) -> None:
    done = lemmata("trees", "clusters")
    assert done.returncode == 3
    assert "lemmata ingest" in done.stderr


@pytest.mark.lean
def test_a_project_from_files_to_answers(lemmata: Lemmata, project: Path, tmp_path: Path) -> None:
    """One way through all commands; each step rests on the one before."""
    _reads_the_project_once(lemmata, project)
    _finds_words_terms_and_goals(lemmata, project)
    _explains_a_declaration(lemmata)
    _shows_and_exports_the_trees(lemmata, tmp_path)
    _reads_a_changed_module_only(lemmata, project)
    _reads_with_the_users_own_lean(lemmata, project)
    _forgets(lemmata, project)


def _reads_the_project_once(lemmata: Lemmata, project: Path) -> None:
    first = answer(lemmata("ingest", project, "--no-library", "--evidence", "--json"))
    (source,) = first["sources"]
    assert (source["source"], source["read"], source["failures"]) == (str(project), 5, [])
    assert first["index"]["change"] == "rebuilt"
    assert first["index"]["nodes"] + first["index"]["aliases"] == source["declarations"]

    second = answer(lemmata("ingest", project, "--no-library", "--json"))
    assert second["sources"][0]["read"] == 0
    assert second["index"]["change"] == "unchanged"


def _finds_words_terms_and_goals(lemmata: Lemmata, project: Path) -> None:
    words = answer(lemmata("search", "mirror tree", "--json"))
    assert words["read_as"] == "words"
    (mirror,) = [hit for hit in words["hits"][:3] if hit["name"] == "Trees.mirror"]
    location = mirror["location"]
    source = Path(location["document"]).read_text().splitlines()
    lines = source[location["first_line"] - 1 : location["last_line"]]
    assert any("def mirror" in line for line in lines)

    theory = project / "Theories" / "Lists.lean"
    for query, kind in (
        ("append (append xs ys) zs", "term"),
        ("xs ys : Seq α\n⊢ append xs ys = append ys xs", "goal"),
        ("(xs : Seq Nat) : append xs nil = xs", "goal"),
    ):
        found = answer(lemmata("search", query, "--theory", theory, "--json", "-k", 3))
        assert (found["read_as"], found["remark"]) == (kind, ""), query
        assert "Lists.append" in {hit["name"] for hit in found["hits"]}, query

    nonsense = answer(lemmata("search", "append )( xs", "--theory", theory, "--json"))
    assert nonsense["read_as"] == "words"
    assert "Lean does not take it" in nonsense["remark"]

    told = lemmata("search", "mirror tree", "--explain", "-k", 2).stdout
    assert "level 1" in told
    assert "clusters opened" in told


def _explains_a_declaration(lemmata: Lemmata) -> None:
    told = lemmata("explain", "Trees.inorder").stdout
    assert "The values from left to right." in told
    assert "derivation chain along T_M:" in told
    facts = answer(lemmata("explain", "Trees.inorder", "--json"))
    assert facts["node"]["lean_kind"] == "definition"
    assert facts["ancestors"]
    law = answer(lemmata("explain", "Lists.append_nil_nil", "--json"))
    assert law["node"]["premises"]
    reasons = {edge["parent"]: edge["explanation"] for edge in law["contributions"]}
    reason = reasons["Theories.Lists:Lists.append_nil"]
    assert "rewrites with it (simp)" in reason
    assert "fails without it" in reason
    unknown = lemmata("explain", "Trees.miror")
    assert unknown.returncode == 3
    assert "Like it: " in unknown.stderr


def _shows_and_exports_the_trees(lemmata: Lemmata, folder: Path) -> None:
    shown = answer(lemmata("trees", "clusters", "--depth", 3, "--json"))
    ids = {root["id"] for root in shown}
    below = answer(lemmata("trees", "clusters", shown[0]["id"][:10], "--json"))
    assert below[0]["id"] in ids

    counts = answer(lemmata("trees", "export", folder / "c.graphml", "--json"))
    graph = networkx.read_graphml(folder / "c.graphml")
    assert len(graph) == counts["nodes"]
    assert networkx.is_forest(graph.to_undirected())

    arguments = ("--tree", "provenance", "--format", "json", "--supporting")
    answer(lemmata("trees", "export", folder / "m.json", *arguments, "--json"))
    data = json.loads((folder / "m.json").read_text())
    tree = networkx.node_link_graph(data, edges="edges")
    primary = [(a, b) for a, b, edge in tree.edges(data=True) if edge["primary"]]
    assert networkx.is_forest(networkx.DiGraph(primary).to_undirected())
    assert len(primary) < tree.number_of_edges()


def _reads_a_changed_module_only(lemmata: Lemmata, project: Path) -> None:
    theory = project / "Theories" / "Mirages.lean"
    text = theory.read_text().rstrip()
    head, _, end = text.rpartition("\n")
    theory.write_text(f"{head}\n/-- New here. -/\ndef novelty : Nat := 3\n{end}\n")
    report = answer(lemmata("ingest", project, "--no-library", "--json"))
    assert report["sources"][0]["read"] == 1
    assert report["index"]["change"] in ("extended", "rebuilt")
    found = answer(lemmata("search", "novelty new here", "--json", "-k", 1))
    assert found["hits"][0]["name"] == "Mirages.novelty"

    theory.write_text(f"{head}\ndef broken : Nat := true\n{end}\n")
    broken = lemmata("ingest", project, "--no-library")
    assert broken.returncode == 3
    assert "does not build" in broken.stderr
    assert "Mirages.lean" in broken.stderr
    again = answer(lemmata("search", "novelty new here", "--json", "-k", 1))
    assert again["hits"][0]["name"] == "Mirages.novelty", "what was read stays"
    theory.write_text(f"{head}\n{end}\n")
    back = answer(lemmata("ingest", project, "--no-library", "--json"))
    assert back["sources"][0]["read"] == 1


def _reads_with_the_users_own_lean(lemmata: Lemmata, project: Path) -> None:
    """The embedded ``lean`` and ``lake`` play the user's; the project is built already."""
    lean = str(ensure_commands() / "lean")
    read = ("ingest", project, "--no-library", "--toolchain", "native", "--json")
    report = answer(lemmata(*read, LEMMATA_LEAN=lean))
    assert "/native-" in report["folder"]
    assert report["sources"][0]["read"] == 5
    found = answer(
        lemmata("search", "mirror tree", "--toolchain", "native", "--json", LEMMATA_LEAN=lean)
    )
    assert "Trees.mirror" in {hit["name"] for hit in found["hits"][:3]}


def _forgets(lemmata: Lemmata, project: Path) -> None:
    unknown = lemmata("ingest", "--forget", "nowhere")
    assert unknown.returncode == 3
    assert str(project) in unknown.stderr
    report = answer(lemmata("ingest", "--forget", project, "--json"))
    assert report["index"]["nodes"] == 0
    nothing = lemmata("search", "mirror tree")
    assert "Nothing was found" in nothing.stdout


@pytest.mark.lean
@pytest.mark.parametrize("name", ["missing", "no_project"])
def test_what_is_no_project(lemmata: Lemmata, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    done = lemmata("ingest", tmp_path / "gone" if name == "missing" else folder, "--no-library")
    assert done.returncode == 3
    assert "hint:" in done.stderr


@pytest.mark.lean
def test_a_package_that_is_not_there(lemmata: Lemmata) -> None:
    done = lemmata("ingest", "--package", "Mathlib")
    assert done.returncode == 3
    assert "Mathlib" in done.stderr
