"""What the doctor shows and how it exits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner, Result

from engine.cli.doctor import ONE_KERNEL, doctor, examine
from verifier.errors import ToolchainError
from verifier.toolchain.embedded import inspection, install, layout, pins
from verifier.toolchain.embedded.inspection import Component, State
from verifier.toolchain.embedded.layout import EmbeddedLean


def run(arguments: Sequence[str] = ()) -> Result:
    app = typer.Typer()
    app.command()(doctor)
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path / "not" / "there"))


def pretend(monkeypatch: pytest.MonkeyPatch, state: State, version: str) -> None:
    """Pretend that there is one component, and a Node.js of some version."""
    found = Component("Lean's library", state, Path("lib"), "as pretended")
    monkeypatch.setattr(inspection, "inspect", lambda: [found])
    monkeypatch.setattr(inspection, "verify_deep", lambda: [found, found])
    monkeypatch.setattr(inspection, "node_version", lambda lean: version)


def test_nothing_is_installed() -> None:
    result = run()

    assert result.exit_code == 4
    assert result.stdout.count("missing") == 5
    assert "lemmata doctor --repair" in result.stdout
    assert not layout.cache_root().exists(), "looking changes nothing"


def test_all_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "ok", f"v{pins.NODE_VERSION}")

    result = run()

    assert result.exit_code == 0
    assert pins.LEAN_VERSION in result.stdout
    assert pins.LEAN_COMMIT in result.stdout
    assert "known soundness bugs" in result.stdout


def test_json_is_one_object_on_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "damaged", "")

    result = run(["--json", "--deep"])

    report = json.loads(result.stdout)
    assert result.exit_code == 4
    assert report["ok"] is False
    assert [part["state"] for part in report["components"]] == ["damaged", "damaged"]
    assert report["lean_version"] == pins.LEAN_VERSION
    assert any("older than 4.34" in warning for warning in report["warnings"])


def test_a_node_of_another_version_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "ok", "v20.0.0")

    result = run()

    assert result.exit_code == 4
    assert "reports v20.0.0" in result.stdout


def test_a_node_that_does_not_start_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "ok", "")

    def fail(lean: EmbeddedLean) -> str:
        raise ToolchainError("Node.js does not start: as pretended")

    monkeypatch.setattr(inspection, "node_version", fail)
    result = run()

    assert result.exit_code == 4
    assert "does not start" in result.stdout


def test_a_small_disk_is_worth_a_warning_before_installing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1))

    assert "takes 1.0 GB of disk" in run().stdout


def test_repair_comes_before_the_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        install, "repair", lambda progress: pretend(monkeypatch, "ok", f"v{pins.NODE_VERSION}")
    )

    assert run(["--repair"]).exit_code == 0


def own_lean(folder: Path, version: str) -> Path:
    """A program that tells a version as ``lean`` does."""
    program = folder / "lean"
    program.write_text(f"#!/bin/sh\necho 'Lean (version {version}, x86_64, commit abc, Release)'\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("version, warned", [("4.33.1", True), ("4.34.0", False)])
def test_a_lean_of_ones_own_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, warned: bool
) -> None:
    program = own_lean(tmp_path, version)
    monkeypatch.setenv("LEMMATA_LEAN", str(program))

    said = run().stdout

    assert f"Lean {version}  native, {program}, found through the setting LEMMATA_LEAN" in said
    assert (f"Your own Lean, {version}, is older than 4.34" in said) is warned


def test_a_project_that_asks_for_another_lean(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own_lean(tmp_path, "4.34.0")
    (tmp_path / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("LEMMATA_LEAN", raising=False)
    monkeypatch.chdir(tmp_path)

    assert "The project asks for leanprover/lean4:v4.35.0" in run().stdout


def test_no_lean_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, "ok", f"v{pins.NODE_VERSION}")
    monkeypatch.setenv("LEMMATA_LEAN", str(tmp_path / "nowhere"))

    result = run()

    assert result.exit_code == 0, "nothing depends on it"
    assert "does not exist" in result.stdout
    assert "a toolchain's folder or a Lake project" in result.stdout


def test_the_second_kernel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from verifier.kernel import second

    report = examine(deep=False)
    assert report.second_kernel is not None and report.second_kernel.state == "ok"
    monkeypatch.setattr(second, "locate", lambda: None)
    report = examine(deep=False)
    assert report.second_kernel is not None and report.second_kernel.state == "missing"
    assert not report.ok
    monkeypatch.setenv("LEMMATA_SECOND_KERNEL", "off")
    report = examine(deep=False)
    assert report.second_kernel is None
    assert ONE_KERNEL in report.warnings
