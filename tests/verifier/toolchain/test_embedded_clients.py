"""Running the registries' clients: their failures, their limits and their end."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from verifier.errors import StorageError, ToolchainError
from verifier.progress import SilentProgress
from verifier.toolchain.embedded import clients, pins

CLOSED_PORT = "http://127.0.0.1:9"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "folder").mkdir()
    (tmp_path / "scratch").mkdir()
    return tmp_path / "folder", tmp_path / "scratch"


@pytest.fixture
def fake_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script that runs in the place of pip; the test writes it."""
    script = tmp_path / "pip.py"
    monkeypatch.setattr(clients, "_pip", lambda: [sys.executable, str(script)])
    return script


def fetch(folders: tuple[Path, Path]) -> Path:
    return clients.fetch_node_wheel(*folders, SilentProgress())


def are_gone(pids: Path) -> bool:
    """Wait for processes to be gone, which takes a moment after the signal."""
    deadline = time.monotonic() + 10
    running = {int(pid) for pid in pids.read_text().split()}
    assert len(running) == 2
    while running and time.monotonic() < deadline:
        running = {pid for pid in running if is_running(pid)}
        time.sleep(0.02)
    return not running


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_no_network(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{CLOSED_PORT}/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    started = time.monotonic()

    with pytest.raises(ToolchainError, match="cannot be fetched") as caught:
        fetch(folders)

    assert time.monotonic() - started < 20
    assert "No matching distribution" in caught.value.message
    for advice in ("network", "pip config list", "run again", "LEMMATA_CACHE"):
        assert advice in caught.value.hint


def test_temporary_files_go_to_the_scratch_folder(
    folders: tuple[Path, Path], fake_pip: Path
) -> None:
    fake_pip.write_text(
        "import pathlib, tempfile\n"
        "tempfile.mkdtemp()\n"
        "pathlib.Path('node.whl').touch()\n"  # It also runs in its folder.
    )

    assert fetch(folders) == folders[0] / "node.whl"
    assert len(list(folders[1].iterdir())) == 1


def test_growth_is_reported(folders: tuple[Path, Path], fake_pip: Path) -> None:
    class Counter(SilentProgress):
        total = 0

        def advance(self, n: int) -> None:
            self.total += n

    fake_pip.write_text(
        "import pathlib, tempfile, time\n"
        "file = tempfile.NamedTemporaryFile(delete=False)\n"
        "file.write(b'x' * 1000)\n"
        "file.flush()\n"
        "time.sleep(1)\n"
        "pathlib.Path('node.whl').touch()\n"
    )
    counter = Counter()

    clients.fetch_node_wheel(*folders, counter)

    assert counter.total == 1000


@pytest.mark.parametrize(
    ("words", "kind", "advice"),
    [
        ("OSError: [Errno 28] No space left on device", StorageError, "Free some space"),
        ("npm error code ENOSPC", StorageError, "Free some space"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", ToolchainError, "Find out which"),
        ("npm error code EINTEGRITY", ToolchainError, "Find out which"),
        ("connection refused", ToolchainError, "Check the network"),
    ],
)
def test_failures_say_what_to_do(
    folders: tuple[Path, Path],
    fake_pip: Path,
    words: str,
    kind: type[ToolchainError],
    advice: str,
) -> None:
    fake_pip.write_text(f"print({words!r}); raise SystemExit(1)")

    with pytest.raises(kind) as caught:
        fetch(folders)
    assert advice in caught.value.hint


SLEEPER = (
    "import os, pathlib, subprocess, sys, time\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "pathlib.Path('new').write_text(f'{os.getpid()} {child.pid}')\n"
    "os.rename('new', 'pids')\n"
    "time.sleep(60)\n"
)


def test_a_client_that_hangs_is_ended_with_its_children(
    folders: tuple[Path, Path], fake_pip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_LIMIT_S", 2.0)
    fake_pip.write_text(SLEEPER)

    with pytest.raises(ToolchainError, match="took longer"):
        fetch(folders)
    assert are_gone(folders[0] / "pids")


def test_an_interrupt_ends_the_client(folders: tuple[Path, Path], fake_pip: Path) -> None:
    class Interrupting(SilentProgress):
        def advance(self, n: int) -> None:
            if (folders[0] / "pids").exists():
                raise KeyboardInterrupt

    fake_pip.write_text(SLEEPER)

    with pytest.raises(KeyboardInterrupt):
        clients.fetch_node_wheel(*folders, Interrupting())
    assert are_gone(folders[0] / "pids")


def test_a_python_without_pip_uses_the_one_kept_for_venvs(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = clients.importlib.util.find_spec
    hidden = {"pip"}
    monkeypatch.setattr(
        clients.importlib.util,
        "find_spec",
        lambda name: None if name in hidden else find_spec(name),
    )

    assert clients._pip()[1].endswith("pip")

    hidden.add("ensurepip")
    with pytest.raises(ToolchainError, match="no pip") as caught:
        clients._pip()
    assert "ensurepip" in caught.value.hint


def test_the_locks_name_no_host_and_pin_everything() -> None:
    lock = pins.NPM_LOCK.read_text()
    requirements = pins.NODE_REQUIREMENTS.read_text()

    assert "resolved" not in lock
    assert "://" not in lock + requirements
    assert lock.count('"integrity": "sha512-') == 1
    assert f"=={pins.NODE_VERSION} " in requirements
