"""The main job on a seed theory, with nothing but the command line and a real Lean."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from engine.library.library import Library
from engine.model import Label

pytestmark = pytest.mark.lean

THEORIES = Path(__file__).parents[3] / "lean_project" / "Theories"
EXPECTED = {
    "append_nil": "append xs Seq.nil = xs",
    "append_assoc": "append (append xs ys) zs = append xs (append ys zs)",
    "reverse_append": "reverse (append xs ys) = append (reverse ys) (reverse xs)",
    "reverse_reverse": "reverse (reverse xs) = xs",
    "length_append": "length (append xs ys) = length xs + length ys",
    "length_reverse": "length (reverse xs) = length xs",
    "map_append": "map f (append xs ys) = append (map f xs) (map f ys)",
    "map_reverse": "reverse (map f xs) = map f (reverse xs)",
    "length_map": "length (map f xs) = length xs",
}


def lemmata(*args: object, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine.cli", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **more)


def started(theory: str, library: Path, budget: str, *more: str) -> subprocess.Popen[str]:
    command = [
        sys.executable, "-m", "engine.cli", "discover", str(THEORIES / f"{theory}.lean"),
        "--library", str(library), "--budget", budget, *more,
    ]  # fmt: skip
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def discover(theory: str, library: Path, budget: str) -> dict[str, Any]:
    done = lemmata(
        "discover", THEORIES / f"{theory}.lean", "--library", library, "--budget", budget, "--json"
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def discover_until(
    expected: Collection[str], theory: str, library: Path, budget: str
) -> dict[str, Any]:
    """A run that ends as soon as all expected laws are in the library, or with its budget."""
    module = library / "Lemmata" / "Theories" / f"{theory}.lean"
    run = started(theory, library, budget, "--json")
    while run.poll() is None:
        text = " ".join(module.read_text().split()) if module.exists() else ""
        if all(f": {law} := by" in text for law in expected):
            run.send_signal(signal.SIGINT)
            break
        time.sleep(0.5)
    out, told = run.communicate(timeout=60)
    assert run.returncode in (0, 130), told
    report: dict[str, Any] = json.loads(out)
    return report


def statements(report: dict[str, Any], label: str) -> set[str]:
    """Equations of the results with a label, without their binders."""
    found = [r["statement"] for r in report["results"] if r["label"] == label]
    return {re.split(r" : |^: ", s)[-1] for s in found}


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    library = tmp_path_factory.mktemp("lists") / "library"
    return library, discover_until(EXPECTED.values(), "Lists", library, "240s")


def test_the_laws_of_lists_are_discovered_and_proved(
    lists: tuple[Path, dict[str, Any]],
) -> None:
    _, report = lists
    assert set(EXPECTED.values()) <= statements(report, "verified")
    assert all(report["counts"][what] > 0 for what in ("drafted", "pruned", "verified"))
    assert report["navigation"]["visits"] <= report["navigation"]["budget"]


def test_only_verified_lemmas_are_in_the_library(lists: tuple[Path, dict[str, Any]]) -> None:
    folder, report = lists
    text = (folder / "Lemmata" / "Theories" / "Lists.lean").read_text()
    assert text.count("\ntheorem ") == report["counts"]["verified"]
    assert "sorry" not in text
    with Library.read(folder) as library:
        records = library.store.candidates("Theories.Lists")
        verified = {r.candidate.canonical for r in records if r.outcome is Label.VERIFIED}
        assert len(verified) == len(library.lemmas())
        assert all(library.store.node(m.node).label is Label.VERIFIED for m in library.lemmas())
        assert all(
            r.candidate.parents and r.candidate.novelty and r.candidate.limits for r in records
        )
        assert all(r.counterexample for r in records if r.outcome is Label.REFUTED)
        assert library.store.verify_chain().intact


def test_the_library_proves_everything_again_from_its_text(
    lists: tuple[Path, dict[str, Any]],
) -> None:
    folder, report = lists
    checked = lemmata("library", "check", "--library", folder, "--json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    document = json.loads(checked.stdout)
    assert document["proved"] == report["counts"]["verified"]
    assert document["findings"] == []


def test_a_second_run_goes_on_from_the_first(lists: tuple[Path, dict[str, Any]]) -> None:
    folder, first = lists
    second = discover("Lists", folder, "15s")
    known = statements(first, "verified") | statements(first, "refuted")
    again = statements(second, "verified") | statements(second, "refuted")
    assert not known & again
    with Library.read(folder) as library:
        assert len(library.lemmas()) >= first["counts"]["verified"]


def test_a_lemma_explains_itself(lists: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = lists
    told = lemmata("explain", "reverse_reverse", "--library", folder)
    assert told.returncode == 0, told.stderr
    for words in ("label: verified", "operator: induction", "derivation chain", "w = "):
        assert words in told.stdout


def test_mirages_end_as_refuted_or_open_and_never_in_the_library(tmp_path: Path) -> None:
    report = discover("Mirages", tmp_path / "library", "25s")
    verified = statements(report, "verified")
    assert verified
    false = ("cap a = a", "interleave a b = interleave b a", "rotate a = flip a")
    assert verified.isdisjoint(false)


def test_a_killed_run_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    run = started("Lists", folder, "120s")
    assert run.stderr is not None
    acknowledged = []
    for line in run.stderr:
        if line.startswith("✓"):
            acknowledged.append(line.split()[1].rstrip(":"))
        if len(acknowledged) == 2:
            break
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    with Library.open(folder) as library:
        names = [m.name.rpartition(".")[2] for m in library.lemmas()]
        assert set(acknowledged) <= set(names)
        text = (folder / "Lemmata" / "Theories" / "Lists.lean").read_text()
        assert all(f"theorem {name} " in text for name in names)
    checked = lemmata("library", "check", "--library", folder)
    assert checked.returncode == 0, checked.stdout


def test_an_interrupted_run_keeps_what_was_verified(tmp_path: Path) -> None:
    start = time.monotonic()
    run = started("Naturals", tmp_path / "library", "120s")
    assert run.stderr is not None
    for line in run.stderr:
        if line.startswith("✓"):
            run.send_signal(signal.SIGINT)
            break
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 130
    assert time.monotonic() - start < 100
    assert "Verified (" in out
