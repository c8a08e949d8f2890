"""What a run leaves on disk."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.proving.output import diff, write

CONTENT = st.lists(st.sampled_from([b"a\r\n", b"b\n", b"\n", b"c", b"\xc3\xa9\n"])).map(b"".join)


@given(CONTENT)
def test_no_change_no_diff(content: bytes) -> None:
    assert list(diff("f", content, content)) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patch")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\r\nsorry\r\nb\r\n", b"a\r\nby\r\n  simp\r\nb\r\n"),
        (b"a\nsorry", b"a\nrfl"),
        (b"a\r\nsorry\nb\n", b"a\r\nrfl\nb\n"),
    ],
)
def test_git_applies_the_patch(tmp_path: Path, old: bytes, new: bytes) -> None:
    (tmp_path / "f.lean").write_bytes(old)
    (tmp_path / "p.patch").write_bytes(b"".join(diff("f.lean", old, new)))
    command = ["git", "apply", "--whitespace=nowarn", "p.patch"]
    subprocess.run(command, cwd=tmp_path, check=True, env={"GIT_CEILING_DIRECTORIES": "/"})
    assert (tmp_path / "f.lean").read_bytes() == new


def test_a_file_keeps_its_permissions_and_a_link_its_target(tmp_path: Path) -> None:
    target = tmp_path / "target.lean"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link = tmp_path / "link.lean"
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.lean", "target.lean"]
