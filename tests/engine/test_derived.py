from __future__ import annotations

from pathlib import Path

import pytest

from engine.derived import reading, writing
from verifier.errors import StorageError


def test_a_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.bin"
    with writing(path) as temporary:
        temporary.write_bytes(b"half")
        assert not path.exists()
        temporary.write_bytes(b"whole")
    assert path.read_bytes() == b"whole" and list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("failure", [OSError("disk full"), RuntimeError("fwrite failed")])
def test_a_failure_leaves_the_old_file(tmp_path: Path, failure: Exception) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")
    with pytest.raises(StorageError, match=str(failure)), writing(path) as temporary:
        temporary.write_bytes(b"half")
        raise failure
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_an_interruption_is_passed_on_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "file.bin"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failure", [OSError("gone"), ValueError("odd"), KeyError("head")])
def test_failures_to_read_are_of_one_kind(tmp_path: Path, failure: Exception) -> None:
    path = tmp_path / "file.bin"
    with pytest.raises(StorageError, match=r"file\.bin could not be read"), reading(path):
        raise failure
