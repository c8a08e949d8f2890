"""Finding and inspecting installations that are whole, damaged or not there."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from verifier.errors import ToolchainError
from verifier.progress import SilentProgress
from verifier.toolchain.embedded import layout, record
from verifier.toolchain.embedded.inspection import inspect, node_version, verify_deep
from verifier.toolchain.embedded.layout import EmbeddedLean, locate


def states() -> dict[str, str]:
    return {component.path.name: component.state for component in inspect()}


def test_locates_a_whole_installation(installation: EmbeddedLean) -> None:
    assert locate() == installation
    assert installation.lean_version == "4.28.0-pre"
    assert (installation.lib / "Init.olean").is_file()
    assert set(states().values()) == {"ok"}


def test_locates_in_a_few_milliseconds(installation: EmbeddedLean) -> None:
    def timed() -> float:
        started = time.perf_counter()
        assert locate()
        return time.perf_counter() - started

    assert min(timed() for _ in range(5)) < 0.005


def test_an_empty_cache_has_every_part_missing(cache: Path) -> None:
    assert locate() is None
    assert set(states().values()) == {"missing"}
    assert all("doctor --repair" in component.remedy for component in inspect())


@pytest.mark.parametrize("name", layout.KEY_FILES)
def test_a_missing_file_is_not_located(installation: EmbeddedLean, name: str) -> None:
    (installation.root / name).unlink()

    assert locate() is None
    assert set(states().values()) != {"ok"}


@pytest.mark.parametrize("name", layout.KEY_FILES)
def test_a_truncated_file_is_not_located(installation: EmbeddedLean, name: str) -> None:
    path = installation.root / name
    path.write_bytes(path.read_bytes()[:-1])

    assert locate() is None
    assert list(states().values()).count("damaged") == 1


def test_a_library_file_deep_down_is_missed(installation: EmbeddedLean) -> None:
    (installation.lib / "Init" / "Core.olean").unlink()

    library = next(part for part in inspect() if part.path == installation.lib)
    assert library.state == "damaged"
    assert library.detail == "lib/lean/Init/Core.olean: missing"


def test_a_foreign_library_file_is_damage(installation: EmbeddedLean) -> None:
    (installation.lib / "Intruder.olean").write_bytes(b"x")

    assert states()["lean"] == "damaged"


def test_only_the_deep_look_sees_an_edit_of_the_same_size(installation: EmbeddedLean) -> None:
    (installation.lib / "Init.olean").write_bytes(b"INIT")

    assert set(states().values()) == {"ok"}
    assert [part.path for part in verify_deep() if part.state == "damaged"] == [installation.lib]


def test_the_stamp_of_other_pins_is_not_accepted(installation: EmbeddedLean) -> None:
    stamp = installation.root / layout.STAMP
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | {"pins": "0" * 64}))

    assert locate() is None
    assert states()[layout.STAMP] == "damaged"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"pins": 1, "sizes": 2}'])
@pytest.mark.parametrize("name", [layout.STAMP, record.MANIFEST])
def test_an_unreadable_record_is_damage(installation: EmbeddedLean, name: str, text: str) -> None:
    (installation.root / name).write_text(text)

    assert states()[layout.STAMP] == "damaged"
    assert name != layout.STAMP or locate() is None


def test_an_edited_library_cannot_hide_behind_an_edited_record(installation: EmbeddedLean) -> None:
    (installation.lib / "Init.olean").write_bytes(b"INIT")
    manifest = record.take_manifest(installation.root, SilentProgress())
    record.write_record(installation.root, manifest)

    damaged = [part for part in inspect() if part.path.name == layout.STAMP]
    assert damaged[0].state == "damaged"
    assert "pinned" in damaged[0].detail


def test_the_version_of_node(installation: EmbeddedLean) -> None:
    assert node_version(installation) == "v24.19.0"


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", "no program", ""])
def test_a_node_that_does_not_start(installation: EmbeddedLean, script: str) -> None:
    installation.node.write_text(script)

    with pytest.raises(ToolchainError, match=r"Node\.js does not start") as caught:
        node_version(installation)
    assert "doctor --repair" in caught.value.hint


def test_the_cache_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "real folder"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path / "link"))

    assert layout.cache_root() == real.resolve() / "embedded-lean"

    monkeypatch.setenv(layout.CACHE_VARIABLE, "")
    assert layout.cache_root().parent.name in ("lemmata", "Cache")
