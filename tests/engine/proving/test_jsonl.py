"""Statements from JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.proving.batch import BatchReport
from engine.proving.inputs.jsonl import JsonStatement, read_lines
from engine.proving.result import Label
from engine.proving.source import Unreadable


def installed(module: str) -> bool:
    return module in ("Init", "Std")


def lines(tmp_path: Path, *entries: Any) -> Path:
    path = tmp_path / "statements.jsonl"
    texts = [e if isinstance(e, str) else json.dumps(e, ensure_ascii=False) for e in entries]
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return path


def test_bad_lines_are_named_and_do_not_stop_the_rest(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"statement": ": True", "id": 1},
        "{nonsense",
        "",
        {"name": "no_statement"},
        {"statement": ": True", "id": "1"},
        {"statement": ": True"},
    )
    found = list(read_lines(path, installed))
    bad = [f for f in found if isinstance(f, Unreadable)]
    assert [f.line for f in bad] == [2, 4, 5]
    assert "statement" in bad[1].result.message
    assert "id 1" in bad[2].result.message
    assert [f.name for f in found if isinstance(f, JsonStatement)] == ["1", f"{path}:6"]


@pytest.mark.lean
def test_each_form_of_a_statement(tmp_path: Path, run_batch: Callable[..., BatchReport]) -> None:
    path = lines(
        tmp_path,
        {"id": "signature", "statement": "(n : Nat) : n + 0 = n"},
        {"id": "proposition", "statement": "∀ n : Nat, 0 + n = n"},
        {"id": "theorem", "statement": "theorem T.one (p : Prop) (h : p) : p := sorry"},
        {"id": "bare theorem", "statement": "theorem two : 1 + 1 = 2"},
        {"id": "in a scope", "context": "namespace A\nopen Nat", "statement": ": succ 1 = 2"},
        {"id": "with a theory", "context": "def d := 3", "statement": ": d = 3", "name": "d_three"},
        {"id": "false", "statement": ": 1 = 2"},
        {"id": "ill-typed", "statement": ": 1 = true + x"},
        {"id": "no Lean", "statement": ") what is this ("},
        {"id": "no module", "statement": ": True", "imports": ["Mathlib"]},
        {"id": "injected", "statement": ": False := sorry\naxiom a : False\ntheorem b : True"},
        {"id": "a premise", "context": "axiom a : 1 = 2", "statement": ": 1 = 2"},
    )
    report = run_batch(list(read_lines(path, installed)), each=3.0)
    labels = {r.id: (r.label, r.reason) for r in report.results}
    assert [r.id for r in report.results][:3] == ["signature", "proposition", "theorem"]
    proved = ("signature", "proposition", "theorem", "bare theorem", "in a scope", "with a theory")
    for id_ in proved:
        assert labels[id_] == (Label.VERIFIED, "proved"), id_
    assert labels["false"] == (Label.REFUTED, "counterexample")
    assert labels["ill-typed"] == (Label.REJECTED, "statement_invalid")
    for id_ in ("no Lean", "no module", "injected"):
        assert labels[id_] == (Label.ERROR, "bad_input"), id_
    assert labels["a premise"][0] is not Label.VERIFIED
    by_id = {r.id: r for r in report.results}
    assert by_id["theorem"].name == "T.one"
    assert by_id["in a scope"].line == 5
    assert all(by_id[id_].proof and by_id[id_].toolchain for id_ in proved)
