"""What a confined command cannot do, and that it runs at all."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from verifier.toolchain.native import confine
from verifier.toolchain.native.confine import confined

needs_landlock = pytest.mark.skipif(confine.version() == 0, reason="this system has no Landlock")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        confined(command), capture_output=True, text=True, timeout=30, check=False
    )


def test_a_confined_command_runs_and_reads(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content")
    done = run("sh", "-c", f"cat {tmp_path}/file; echo x > /dev/null; exit 3")
    assert (done.returncode, done.stdout) == (3, "content")


@needs_landlock
@pytest.mark.parametrize(
    "script",
    [
        "echo x > {at}/file",
        "echo x >> {at}/file",
        ": > {at}/file",
        "echo x > {at}/new",
        "rm {at}/file",
        "mv {at}/file {at}/other",
        "mkdir {at}/folder",
        "ln -s {at}/file {at}/link",
        "sh -c 'echo x > {at}/file'",
    ],
)
def test_files_stay_as_they_are(tmp_path: Path, script: str) -> None:
    file = tmp_path / "file"
    file.write_text("content")

    done = run("sh", "-c", script.format(at=tmp_path))

    assert done.returncode != 0
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text() == "content"


@pytest.mark.skipif(confine.version() < confine.TCP_VERSION, reason="an older Landlock")
def test_there_is_no_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        call = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        assert "PermissionError" in run(sys.executable, "-c", call).stderr


@pytest.mark.skipif(confine.version() < confine.SCOPES_VERSION, reason="an older Landlock")
def test_other_processes_are_not_signalled() -> None:
    with subprocess.Popen(["sleep", "30"]) as other:
        done = run("sh", "-c", f"kill {other.pid}")
        assert done.returncode != 0
        assert other.poll() is None
        other.kill()


def test_without_landlock_the_command_runs_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confine, "version", lambda: 0)
    assert confined(["lean", "x"]) == ["lean", "x"]
