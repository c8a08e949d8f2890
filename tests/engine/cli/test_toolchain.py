"""What ``lemmata toolchain`` prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.cli.toolchain import toolchain_app
from verifier.errors import StorageError
from verifier.toolchain.embedded import install, layout, pins
from verifier.toolchain.embedded.commands.scripts import commands_folder
from verifier.toolchain.embedded.layout import EmbeddedLean


@pytest.fixture(autouse=True)
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, in a folder with a space, for which Lean counts as installed."""
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path / "my cache"))
    lean = EmbeddedLean.at(layout.installation_root())
    monkeypatch.setattr(install, "ensure_installed", lambda progress: lean)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(toolchain_app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_it_shows_where_the_commands_are() -> None:
    text = run()
    assert pins.LEAN_VERSION in text
    assert str(commands_folder()) in text
    facts = json.loads(run("--json"))
    assert facts["commands"] == str(commands_folder())
    assert facts["prefix"] == str(layout.installation_root())


def test_the_folder_is_there_once_it_is_printed() -> None:
    folder = Path(run("path").strip())
    assert (folder / "lean").is_file()
    assert (folder / "lake").is_file()


def test_the_line_for_the_shell_quotes_the_folder() -> None:
    assert run("env") == f"export PATH='{commands_folder()}':$PATH\n"


def test_install_writes_both_commands(tmp_path: Path) -> None:
    assert run("install", str(tmp_path / "bin")).split("\n")[:2] == [
        str(tmp_path / "bin/lean"),
        str(tmp_path / "bin/lake"),
    ]
    (tmp_path / "bin/lean").write_text("a native Lean")
    with pytest.raises(StorageError, match="another program"):
        run("install", str(tmp_path / "bin"))
