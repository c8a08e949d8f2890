from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import InputError, StorageError
from verifier.reading.files import ModuleFile, module_files


def test_modules_by_name(tmp_path: Path) -> None:
    others = ("A/B.private.olean", "A/x.ilean", "Z.olean")
    for name in ("A.olean", "A/B/C.olean", "A/B.olean", *others):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())

    found = module_files(tmp_path, ["A"])

    assert [f.name for f in found] == ["A", "A.B", "A.B.C"]
    assert found[0].size == len("A.olean")
    assert found[0].digest() != found[1].digest()


def test_a_package_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no compiled module of Nothing"):
        module_files(tmp_path, ["Nothing"])


def test_a_file_that_went_away(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        ModuleFile("A", tmp_path / "A.olean", 0, 0).digest()
