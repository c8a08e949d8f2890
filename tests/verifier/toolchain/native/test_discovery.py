"""Where a Lean is found, and what is said when there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from native_lean import scripted, write_program

from verifier.errors import ToolchainError
from verifier.toolchain.native.discovery import NativeToolchain, discover, read_version, release

LAKE = """#!{python}
import os, sys
assert sys.argv[1] == "env"
os.environ["LEAN_PATH"] = os.getcwd() + "/.lake/build/lib/lean"
os.execvp(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture
def no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with one empty folder, and that folder."""
    folder = tmp_path / "on_the_path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def lake(folder: Path) -> None:
    write_program(folder / "lake", LAKE.format(python=sys.executable))


def project(tmp_path: Path, wanted: str = "", lakefile: bool = False) -> Path:
    folder = tmp_path / "my project"
    (folder / "Deep" / "Er").mkdir(parents=True)
    if wanted:
        (folder / "lean-toolchain").write_text(f"{wanted}\n")
    if lakefile:
        (folder / "lakefile.toml").write_text('name = "mine"\n')
    return folder


def toolchain(tmp_path: Path, name: str, version: str) -> Path:
    folder = tmp_path / "elan" / "toolchains" / name / "bin"
    scripted(folder, version=version)
    return folder


def test_lean_on_the_path(tmp_path: Path, no_path: Path) -> None:
    scripted(no_path, version="4.31.0-rc2")

    found = discover(tmp_path)

    assert found.lean == no_path / "lean"
    assert (found.version, found.release) == ("4.31.0-rc2", (4, 31))
    assert str(found.info) == "4.31.0-rc2+0123456 (native)"
    assert found.directory is None
    assert "PATH" in found.origin


def test_nothing_anywhere(tmp_path: Path, no_path: Path) -> None:
    with pytest.raises(ToolchainError, match="no Lean was found") as caught:
        discover(tmp_path)
    assert "LEMMATA_LEAN" in caught.value.hint


@pytest.mark.parametrize("wanted", ["leanprover/lean4:v4.22.0", "v4.22.0", "4.22.0"])
def test_the_toolchain_file_of_a_project(tmp_path: Path, no_path: Path, wanted: str) -> None:
    home = toolchain(tmp_path, "leanprover--lean4---v4.22.0", "4.22.0")
    folder = project(tmp_path, wanted)

    found = discover(folder / "Deep" / "Er")

    assert found.lean == home / "lean"
    assert found.directory == folder
    assert not found.differs_from_wanted


def test_a_toolchain_of_ones_own(tmp_path: Path, no_path: Path) -> None:
    home = toolchain(tmp_path, "my-lean", "4.35.0")
    assert discover(project(tmp_path, "my-lean")).lean == home / "lean"


def test_a_lake_project_lends_its_search_path(tmp_path: Path, no_path: Path) -> None:
    home = toolchain(tmp_path, "leanprover--lean4---v4.35.0", "4.35.0")
    lake(home)
    folder = project(tmp_path, "leanprover/lean4:v4.35.0", lakefile=True)

    found = discover(folder)

    assert found.environment["LEAN_PATH"] == f"{folder}/.lake/build/lib/lean"
    assert "Lake project" in found.origin


def test_secrets_stay_outside(
    tmp_path: Path, no_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "secret")
    home = toolchain(tmp_path, "x", "4.35.0")
    lake(home)

    for folder in (project(tmp_path, "x", lakefile=True), no_path):
        scripted(no_path)
        assert "secret" not in discover(folder).environment.values()


def test_a_project_without_the_toolchain_takes_lean_from_the_path(
    tmp_path: Path, no_path: Path
) -> None:
    scripted(no_path, version="4.30.0")
    lake(no_path)

    found = discover(project(tmp_path, "leanprover/lean4:v4.22.0", lakefile=True))

    assert found.lean == no_path / "lean"
    assert found.differs_from_wanted


def test_elan_is_not_made_to_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shims = tmp_path / "elan" / "bin"
    scripted(shims)
    monkeypatch.setenv("PATH", str(shims))

    with pytest.raises(ToolchainError, match="is not installed") as caught:
        discover(project(tmp_path, "leanprover/lean4:v4.99.0"))
    assert caught.value.hint == "Run `elan toolchain install leanprover/lean4:v4.99.0`."


def test_a_lake_project_without_lake(tmp_path: Path, no_path: Path) -> None:
    scripted(no_path)
    with pytest.raises(ToolchainError, match="no `lake`"):
        discover(project(tmp_path, lakefile=True))


def test_a_lake_that_fails(tmp_path: Path, no_path: Path) -> None:
    scripted(no_path)
    write_program(no_path / "lake", f"#!{sys.executable}\nimport sys\nsys.exit('bad lakefile')\n")
    with pytest.raises(ToolchainError, match="bad lakefile"):
        discover(project(tmp_path, lakefile=True))


def by_setting(tmp_path: Path, kind: str) -> tuple[NativeToolchain, Path]:
    lean = scripted(tmp_path / "set" / "bin")
    folder = project(tmp_path, "mine")
    toolchain(tmp_path, "mine", "4.35.0")
    setting = {"program": lean, "toolchain": lean.parent.parent, "project": folder}[kind]
    return discover(tmp_path, str(setting)), lean


@pytest.mark.parametrize("kind", ["program", "toolchain", "project"])
def test_the_setting(tmp_path: Path, no_path: Path, kind: str) -> None:
    found, lean = by_setting(tmp_path, kind)
    assert (found.lean == lean) is (kind != "project")


@pytest.mark.parametrize("setting", ["nowhere", "empty"])
def test_a_setting_that_leads_nowhere(tmp_path: Path, no_path: Path, setting: str) -> None:
    scripted(no_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ToolchainError, match="LEMMATA_LEAN"):
        discover(tmp_path, str(tmp_path / setting))


@pytest.mark.parametrize(
    "script, words",
    [
        ("print('hello')", "does not tell its version"),
        ("import sys\nsys.exit('broken')", "broken"),
        ("import time\ntime.sleep(60)", "time limit"),
    ],
)
def test_a_lean_that_does_not_tell_its_version(tmp_path: Path, script: str, words: str) -> None:
    lean = write_program(tmp_path / "lean", f"#!{sys.executable}\n{script}\n")
    with pytest.raises(ToolchainError, match=words):
        read_version(lean, tmp_path, dict(os.environ), seconds=1.0)


def test_a_lean_that_does_not_start(tmp_path: Path) -> None:
    lean = write_program(tmp_path / "lean", "#!/no/such/interpreter\n")
    with pytest.raises(ToolchainError, match="did not start"):
        read_version(lean, tmp_path, {})


def test_a_lean_that_is_too_old(tmp_path: Path, no_path: Path) -> None:
    scripted(no_path, version="4.12.0")
    with pytest.raises(ToolchainError, match="oldest"):
        discover(tmp_path)


def test_what_is_no_version() -> None:
    with pytest.raises(ToolchainError, match="no version"):
        release("nightly")


def test_the_genuine_one_tells_its_version(genuine_lean: NativeToolchain) -> None:
    version, commit = read_version(genuine_lean.lean, genuine_lean.lean.parent, os.environ)
    assert version == "4.35.0"
    assert commit.startswith("eb6cafb")
