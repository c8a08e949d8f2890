"""The command itself: exit codes, output, and a run that is interrupted and goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.cli import app
from verifier.errors import InputError
from verifier.toolchain.embedded.layout import EmbeddedLean

COMMAND = [sys.executable, "-m", "engine.cli", "prove"]
HARD = "theorem no{} (f : Nat → Nat) (h : ∀ n, f (f n) < f (n + 1)) (n : Nat) : f n = n := sorry\n"


def test_a_missing_file_and_an_unknown_kind_are_input_errors(tmp_path: Path) -> None:
    missing = CliRunner().invoke(app, ["prove", str(tmp_path / "missing.lean")])
    assert isinstance(missing.exception, InputError)
    other = tmp_path / "notes.txt"
    other.write_text("")
    unknown = CliRunner().invoke(app, ["prove", str(other)])
    assert isinstance(unknown.exception, InputError)


def test_two_places_for_the_proofs_are_one_too_many(tmp_path: Path) -> None:
    file = tmp_path / "a.lean"
    file.write_text("")
    result = CliRunner().invoke(app, ["prove", str(file), "--in-place", "--patch"])
    assert result.exit_code == 2


@pytest.mark.lean
def test_interrupted_and_taken_up_again(tmp_path: Path, installation: EmbeddedLean) -> None:
    file = tmp_path / "Some.lean"
    proved = "theorem yes (n : Nat) : n + 0 = n := sorry\r\n"
    file.write_bytes((proved + HARD.format(1) + HARD.format(2)).encode())
    options = ["Some.lean", "--jobs", "1", "--per-statement", "8s", "--in-place"]
    before = file.read_bytes()
    running = subprocess.Popen(
        [*COMMAND, *options], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    results = tmp_path / "proved" / "results.jsonl"
    _wait_for(lambda: results.exists() and b"yes" in results.read_bytes())
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130, errors
    assert b"goes on from here" in errors
    assert file.read_bytes() == before

    again = subprocess.run([*COMMAND, *options, "--json"], cwd=tmp_path, capture_output=True)
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    by_name = {r["name"]: r for r in report["results"]}
    assert by_name["yes"]["resumed"]
    assert by_name["yes"]["label"] == "verified"
    assert all(by_name[n]["label"] != "verified" for n in ("no1", "no2"))
    assert str(file.name) in report["written"]
    assert file.read_bytes().replace(b"by rfl", b"sorry").replace(b"rfl", b"sorry") == before


def _wait_for(condition: Callable[[], bool], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
