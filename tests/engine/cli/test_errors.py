"""What a user gets for wrong input: a message, a hint, a documented exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from engine.cli.discover import seconds_of


def lemmata(*args: object, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine.cli", *map(str, args)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, **env}
    )


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("2m", 120), ("1h30m", 5400), ("45", 45), ("0.5s", 0.5)]
)
def test_durations_are_read(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-3s", "0", "3x"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        seconds_of(text)


def test_a_missing_file_is_reported_before_anything_is_installed(tmp_path: Path) -> None:
    done = lemmata("discover", tmp_path / "Nowhere.lean", LEMMATA_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 3
    assert "there is no file" in done.stderr
    assert "hint:" in done.stderr
    assert not (tmp_path / "cache").exists()


def test_errors_are_json_when_json_is_asked_for(tmp_path: Path) -> None:
    done = lemmata("discover", tmp_path / "Nowhere.lean", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] == "input"


def test_a_wrong_option_is_a_usage_error() -> None:
    assert lemmata("discover", "A.lean", "--budget", "soon").returncode == 2
    assert lemmata("discover").returncode == 2


def test_no_network_at_installation_is_told(tmp_path: Path) -> None:
    file = tmp_path / "A.lean"
    file.write_text("def a := 1\n")
    nowhere = "http://127.0.0.1:9/simple"
    done = lemmata(
        "discover",
        file,
        LEMMATA_CACHE=str(tmp_path / "cache"),
        PIP_INDEX_URL=nowhere,
        PIP_EXTRA_INDEX_URL=nowhere,
        PIP_FIND_LINKS="",
        PIP_NO_CACHE_DIR="1",
        PIP_RETRIES="0",
        PIP_CONFIG_FILE=os.devnull,
    )
    assert done.returncode == 4, done.stderr
    assert "hint:" in done.stderr


@pytest.mark.lean
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def x : Nat := true\n", "A.lean:1:"),
        ("import Mathlib\n", "unknown import Mathlib"),
        ("theorem broken : 1 = 2 := by decide\n", "does not compile"),
    ],
)
def test_a_file_that_lean_refuses(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "A.lean"
    file.write_text(text)
    done = lemmata("discover", file, "--library", tmp_path / "library", "--budget", "5s")
    assert done.returncode == 3, done.stderr
    assert words in done.stderr


@pytest.mark.lean
def test_a_file_without_functions_ends_well(tmp_path: Path) -> None:
    file = tmp_path / "A.lean"
    file.write_text("structure P where\n  x : Nat\n")
    done = lemmata("discover", file, "--library", tmp_path / "library", "--budget", "5s")
    assert done.returncode == 0, done.stderr
    assert "Nothing new was verified" in done.stdout


def test_the_command_line_starts_fast() -> None:
    """Import of the command line stays under half a second (best of five)."""
    code = "import time; t = time.perf_counter(); import engine.cli; print(time.perf_counter() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(5)
    ]
    assert min(times) < 0.5


def test_a_storage_failure_has_its_code(tmp_path: Path) -> None:
    started = time.monotonic()
    file = tmp_path / "notadb" / "lemmata.sqlite"
    file.parent.mkdir()
    file.write_text("this is no database")
    done = lemmata("library", "list", "--library", file.parent)
    assert done.returncode == 5, done.stderr
    assert "error:" in done.stderr
    assert time.monotonic() - started < 60
