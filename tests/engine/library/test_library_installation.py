"""An installation that somebody edited is found before anything is believed of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.library.installation import installation_findings
from verifier.toolchain.embedded import layout
from verifier.toolchain.embedded.layout import EmbeddedLean

pytestmark = pytest.mark.lean


@pytest.fixture
def copied(
    installation: EmbeddedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> EmbeddedLean:
    """A second installation, of links but for one file."""
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path))
    root = layout.installation_root()
    shutil.copytree(installation.root, root, copy_function=os.link)
    return EmbeddedLean.at(root)


def test_a_sound_installation_has_no_findings(copied: EmbeddedLean) -> None:
    assert installation_findings(with_second_kernel=True) == []


def test_an_edited_olean_is_found(copied: EmbeddedLean) -> None:
    olean = copied.lib / "Init/Core.olean"
    data = bytearray(olean.read_bytes())
    data[len(data) // 2] ^= 1
    olean.unlink()  # the other name of the file stays as it was
    olean.write_bytes(data)
    (found,) = installation_findings(with_second_kernel=False)
    assert found.code == "installation_damaged" and found.severity == "error"
    assert "doctor --repair" in found.remedy
