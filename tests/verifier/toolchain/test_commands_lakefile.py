"""Lakefiles, workspaces and targets, without Lean."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import InputError
from verifier.toolchain.embedded.commands.lakefile import read_package
from verifier.toolchain.embedded.commands.targets import default_targets, modules_of
from verifier.toolchain.embedded.commands.workspace import (
    Workspace,
    environment_of,
    load_workspace,
)
from verifier.toolchain.embedded.layout import EmbeddedLean

LAKEFILE = """
name = "shapes"
defaultTargets = ["Shapes"]
srcDir = "src"
moreLeanArgs = ["-q"]
[leanOptions]
pp.unicode.fun = true
maxRecDepth = 500

[[require]]
name = "base"
path = "../base"

[[lean_lib]]
name = "Shapes"
globs = ["Shapes.*"]
leanOptions = [{ name = "autoImplicit", value = false }]

[[lean_lib]]
name = "Parts"
roots = ["Part", "Piece"]
globs = ["Part.+"]

[[lean_exe]]
name = "draw"
"""


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """The package ``shapes``, which requires its neighbour ``base``."""
    for name in ("Shapes", "Shapes/Round", "Shapes/Round/Disc", "Part", "Part/A"):
        file = tmp_path / "shapes" / "src" / f"{name}.lean"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    (tmp_path / "shapes/lakefile.toml").write_text(LAKEFILE)
    (tmp_path / "base").mkdir()
    (tmp_path / "base/lakefile.toml").write_text('name = "base"\n[[lean_lib]]\nname = "Base"\n')
    return tmp_path / "shapes"


@pytest.fixture
def workspace(shapes: Path) -> Workspace:
    """The workspace of ``shapes``."""
    return load_workspace(shapes)


def test_a_library_has_the_settings_of_its_package_and_its_own(shapes: Path) -> None:
    package = read_package(shapes)
    settings = package.libraries[0].settings
    assert settings.options == ("pp.unicode.fun=true", "maxRecDepth=500", "autoImplicit=false")
    assert settings.arguments == ("-q",)
    assert package.olean_of("Shapes.Round") == shapes / ".lake/build/lib/lean/Shapes/Round.olean"


def test_globs_say_what_is_built_and_roots_what_is_owned(workspace: Workspace) -> None:
    library, parts = workspace.root.libraries
    assert list(library.modules()) == ["Shapes", "Shapes.Round", "Shapes.Round.Disc"]
    assert list(parts.modules()) == ["Part.A"]
    assert parts.owns("Piece.X")
    assert not parts.owns("Pieces")


def test_a_required_package_is_part_of_the_workspace(workspace: Workspace, shapes: Path) -> None:
    assert [package.name for package in workspace.packages] == ["shapes", "base"]
    assert workspace.find("Base.Far") is not None
    assert workspace.find("Other") is None
    assert workspace.outputs[1] == shapes.parent / "base/.lake/build/lib/lean"


@pytest.mark.parametrize(
    ("target", "modules"),
    [
        ("Shapes", ("Shapes", "Shapes.Round", "Shapes.Round.Disc")),
        ("+Shapes.Round", ("Shapes.Round",)),
        ("Shapes.Round:olean", ("Shapes.Round",)),
        ("shapes/Parts", ("Part.A",)),
        ("@base", ("Base",)),
        ("@shapes/Part.A", ("Part.A",)),
    ],
)
def test_targets(workspace: Workspace, target: str, modules: tuple[str, ...]) -> None:
    assert modules_of(workspace, [target]) == modules


def test_a_file_is_the_target_that_it_holds(
    workspace: Workspace, shapes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shapes / "src")
    assert modules_of(workspace, ["Shapes/Round.lean"]) == ("Shapes.Round",)


@pytest.mark.parametrize("target", ["Nothing", "draw", "@other", "Shapes:c", "elsewhere.lean"])
def test_targets_that_cannot_be_built(workspace: Workspace, target: str) -> None:
    with pytest.raises(InputError):
        modules_of(workspace, [target])


def test_without_default_targets_all_libraries_are_built(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "x"\n[[lean_lib]]\nname = "A"\n')
    assert default_targets(load_workspace(tmp_path)) == ("A",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[require]]\nname = "std"\ngit = "somewhere"', "requires std from another place"),
        ('[[require]]\nname = "std"\nscope = "owner"', "requires std from another place"),
        ("name = ", "is not TOML"),
        ("[[lean_lib]]", "has no name"),
        ("name = 5", "name is not a text"),
        ('lean_lib = "A"', "lean_lib is not an array of tables"),
    ],
)
def test_lakefiles_that_cannot_be_followed(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "lakefile.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        load_workspace(tmp_path)


def test_a_lakefile_in_lean_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "lakefile.lean").write_text("import Lake")
    with pytest.raises(InputError, match="a program, which the embedded Lean cannot run") as info:
        load_workspace(tmp_path)
    assert "lakefile.toml" in info.value.hint


def test_a_package_of_another_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "a"\n[[require]]\nname = "b"\npath = "."')
    with pytest.raises(InputError, match="is the package a, and b is required"):
        load_workspace(tmp_path)


def test_the_environment_of_a_workspace(workspace: Workspace, tmp_path: Path) -> None:
    lean = EmbeddedLean.at(tmp_path / "lean")
    current = {"PATH": "/bin", "LEAN_PATH": "/mine", "HOME": "/me"}
    variables = environment_of(workspace, lean, tmp_path / "commands", current)
    assert variables["PATH"] == f"{tmp_path}/commands:/bin"
    assert variables["LEAN_PATH"] == ":".join([*map(str, workspace.outputs), "/mine"])
    assert variables["LEAN_SYSROOT"] == str(tmp_path / "lean")
    assert variables["HOME"] == "/me"
