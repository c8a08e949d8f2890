"""The executables that start ``lean`` and ``lake``, and what they let Lean see."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from verifier.errors import StorageError
from verifier.toolchain.embedded import pins
from verifier.toolchain.embedded.commands import lean
from verifier.toolchain.embedded.commands.launch import (
    Access,
    node_command,
    outermost,
    project_folder,
)
from verifier.toolchain.embedded.commands.scripts import ensure_commands, install_commands
from verifier.toolchain.embedded.layout import EmbeddedLean


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--version", f"Lean (version {pins.LEAN_VERSION}, wasm32"),
        ("--short-version", f"{pins.LEAN_VERSION}\n"),
        ("--githash", f"{pins.LEAN_COMMIT}\n"),
        ("--print-prefix", "{root}\n"),
        ("--print-libdir", "{root}/lib/lean\n"),
        ("--help", "Lean (version "),
    ],
)
def test_what_needs_no_lean(
    installation: EmbeddedLean, capsys: pytest.CaptureFixture[str], option: str, text: str
) -> None:
    assert lean.main([option]) == 0
    assert capsys.readouterr().out.startswith(text.replace("{root}", str(installation.root)))


def test_the_version_is_what_leandojo_looks_for() -> None:
    found = re.search(r"Lean \(version (\S+?),", lean.VERSION)
    assert found is not None
    assert found[1] == pins.LEAN_VERSION


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "Expected exactly one file name"),
        (["A.lean", "B.lean"], "Expected exactly one file name"),
        (["--frob", "A.lean"], "Unknown command line option '--frob'"),
        (["no/such.lean"], "no such file or directory (error code: 2)\n  file: no/such.lean"),
    ],
)
def test_complaints_need_no_lean_either(
    installation: EmbeddedLean, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    assert lean.main(words) == 1
    assert complaint in capsys.readouterr().err


def test_a_missing_installation_is_told(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lean.main(["A.lean"]) == 1
    assert "lemmata doctor --repair" in capsys.readouterr().err


def test_executables_are_written_once_and_repaired(cache: Path) -> None:
    folder = ensure_commands()
    before = (folder / "lean").stat()
    assert ensure_commands() == folder
    assert (folder / "lean").stat().st_ino == before.st_ino
    (folder / "lean").chmod(0o644)
    ensure_commands()
    assert os.access(folder / "lean", os.X_OK)


def test_another_program_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "lake").write_text("#!/bin/sh\necho native\n")
    with pytest.raises(StorageError, match="is another program"):
        install_commands(tmp_path)
    assert "native" in (tmp_path / "lake").read_text()


def test_executables_run_from_a_folder_with_a_space(tmp_path: Path) -> None:
    install_commands(tmp_path / "my programs")
    done = subprocess.run(
        [tmp_path / "my programs" / "lake", "--version"], capture_output=True, text=True
    )
    assert done.stdout.startswith("Lake version ")
    assert "(Lean version " in done.stdout


def test_a_file_belongs_to_the_nearest_project(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert project_folder(tmp_path / "a/b/X.lean") == tmp_path / "a/b"
    (tmp_path / "lean-toolchain").touch()
    assert project_folder(tmp_path / "a/b/X.lean") == tmp_path


def test_folders_inside_others_and_the_whole_disk_are_not_mounted(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    folders = (tmp_path / "a/b", tmp_path / "a", Path("/"), tmp_path / "missing")
    assert outermost(folders) == (tmp_path / "a",)


def test_lean_may_write_its_outputs_and_nothing_else(tmp_path: Path) -> None:
    embedded = EmbeddedLean.at(tmp_path / "lean")
    embedded.lib.mkdir(parents=True)
    (tmp_path / "project").mkdir()
    access = Access((tmp_path / "project",), outputs=(tmp_path / "out/A.olean",))
    command = node_command(embedded, access, {"task": "check"})
    prefix = "--allow-fs-write="
    writable = [word.removeprefix(prefix) for word in command if word.startswith(prefix)]
    assert writable
    assert all(path.startswith(f"{tmp_path}/out/A.olean") for path in writable)
    assert "--permission" in command
    config = json.loads(command[-1])
    assert [mount["at"] for mount in config["mounts"]] == [
        str(tmp_path / "project"),
        str(embedded.lib),
    ]
