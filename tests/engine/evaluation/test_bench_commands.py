"""``lemmata bench retrieval`` and ``lemmata bench hints`` on a few declarations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_library import core_theorem, knowledge_base
from typer.testing import CliRunner

from engine.cli import app
from engine.evaluation import hint_search
from verifier.session import Session

SAMPLE = 6


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["bench", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_retrieval_prints_a_table_of_all_searches(base: Path) -> None:
    shown = run("retrieval", "--base", base, "--sample", SAMPLE, "--no-neural", "--no-curve",
                "--recheck", 0)  # fmt: skip
    for word in ("flat", "funnel", "BM25", "hybrid", "recall@10", "MRR", "of the distances"):
        assert word in shown
    assert f"{SAMPLE} lemmas" in shown


def test_retrieval_as_json_has_intervals_and_areas(base: Path) -> None:
    shown = run("retrieval", "--base", base, "--sample", SAMPLE, "--no-neural", "--no-curve",
                "--recheck", 0, "--json")  # fmt: skip
    figures = json.loads(shown)["retrieval"]
    assert figures["lemmas"] == SAMPLE and figures["dropped"] == 0
    by_node = figures["comparisons"][0]
    flat, funnel = by_node["retrievers"]["flat"], by_node["retrievers"]["funnel"]
    assert flat["recall"]["10"]["low"] <= flat["recall"]["10"]["mean"]
    assert flat["comparisons"] == figures["nodes"] > funnel["comparisons"] > 0
    areas = by_node["areas"]["flat"]
    assert sum(area["queries"] for area in areas.values()) == SAMPLE


def test_a_folder_without_a_knowledge_base_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["bench", "retrieval", "--base", str(tmp_path), "--recheck", "0"]
    )
    assert done.exit_code != 0
    assert "no knowledge base" in str(done.exception)


STATEMENTS = {
    "Nat.gcd_self": "(n : Nat) : n.gcd n = n",
    "Nat.gcd_comm": "(m n : Nat) : m.gcd n = n.gcd m",
    "Nat.gcd_mul_left": "(m n k : Nat) : (m * n).gcd (m * k) = m * n.gcd k",
    "Nat.gcd_mul_right": "(m n k : Nat) : (m * n).gcd (k * n) = m.gcd k * n",
    "Nat.gcd_assoc": "(m n k : Nat) : (m.gcd n).gcd k = m.gcd (n.gcd k)",
    "Nat.dvd_gcd": "{k m n : Nat} : k ∣ m → k ∣ n → k ∣ m.gcd n",
    "Nat.gcd_dvd_left": "(m n : Nat) : m.gcd n ∣ m",
    "Nat.lcm_comm": "(m n : Nat) : m.lcm n = n.lcm m",
    "Nat.lcm_assoc": "(m n k : Nat) : (m.lcm n).lcm k = m.lcm (n.lcm k)",
}


@pytest.mark.lean
def test_hints_compares_the_arms(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hint_search, "LEAST", 1)
    nodes = [core_theorem(session, name, text) for name, text in STATEMENTS.items()]
    base = knowledge_base(tmp_path / "base", nodes)
    shown = run("hints", "--base", base, "--count", 4, "--budget", 2, "--also", "flat", "--json")
    figures = json.loads(shown)
    assert figures["training"] == 1 and figures["statements"] == 3
    assert set(figures["arms"]) == {"no hints", "random hints", "funnel", "flat"}
    assert all(0 <= arm["solved"] <= 3 for arm in figures["arms"].values())
    assert all(arm["attempts"] > 0 for arm in figures["arms"].values())
    assert {pair["other"] for pair in figures["paired"]} == {"no hints", "random hints", "flat"}
    assert figures["refused"] == 0
    assert figures["arms"]["no hints"]["hinted"] == 0


@pytest.mark.lean
def test_retrieval_runs_proofs_again(base: Path) -> None:
    shown = run("retrieval", "--base", base, "--sample", 2, "--no-neural", "--no-curve",
                "--recheck", 2)  # fmt: skip
    assert "proofs run again: 2, verified: 2, with the same premises: 2" in shown
