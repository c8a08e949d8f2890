"""Local modules: imports in order, and clear words for what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import InputError
from verifier.modules import line_of, load_graph, module_name, project_root, read_graph, read_text
from verifier.session import Session


def installed(name: str) -> bool:
    return name in ("Init", "Std")


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.lean"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_byte_order_mark_and_line_ends_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "A.lean"
    file.write_bytes(b"\xef\xbb\xbfdef a := 1\r\ndef b := 2\r\n")
    assert read_text(file) == "def a := 1\ndef b := 2\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "there is no file"), (b"\xff\xfe", "not UTF-8"), (b"def a\0", "NUL byte")],
)
def test_unreadable_files_are_named(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "A.lean"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_text(file)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_text(tmp_path)


def test_names_are_counted_from_the_project(tmp_path: Path) -> None:
    write(tmp_path, Deep__Er__A="")
    (tmp_path / "lakefile.toml").write_text("")
    file = tmp_path / "Deep" / "Er" / "A.lean"
    assert project_root(file) == tmp_path.resolve()
    assert module_name(file, tmp_path.resolve()) == "Deep.Er.A"


def test_lines_are_counted_in_bytes() -> None:
    assert line_of("α\nβ\nγ", 0) == 1
    assert line_of("α\nβ\nγ", 3) == 2


@pytest.mark.lean
def test_imports_come_first_and_once(tmp_path: Path, session: Session) -> None:
    write(
        tmp_path,
        Base="def zero := 0\n",
        Left="import Base\ndef left := zero\n",
        Right="import Base\ndef right := zero\n",
        Top="import Left\nimport Right\ntheorem same : left = right := rfl\n",
    )
    graph = read_graph(tmp_path / "Top.lean", session, installed)
    assert [m.name for m in graph.modules] == ["Base", "Left", "Right", "Top"]
    loaded = load_graph(graph, session)
    assert [d.name for d in loaded.modules[-1].declared] == ["same"]


@pytest.mark.lean
@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"Top": "import Mathlib.Tactic\n"}, "unknown import Mathlib.Tactic"),
        ({"Top": "import A\n", "A": "import Top\n"}, "cycle: Top -> A -> Top"),
        ({"Top": "def x : Nat := true\n"}, r"Top.lean:1:"),
        ({"Top": "this is no Lean\n"}, r"Top.lean:1:"),
        ({"Top": "import A\n", "A": "theorem f : 1 = 2 := rfl\n"}, r"A.lean:1:"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, session: Session, files: dict[str, str], words: str
) -> None:
    write(tmp_path, **files)
    with pytest.raises(InputError, match=words):
        load_graph(read_graph(tmp_path / "Top.lean", session, installed), session)


@pytest.mark.lean
def test_a_definition_over_core_lists_needs_no_compiled_code(
    tmp_path: Path, session: Session
) -> None:
    """Compilation fails where core's compiled parts are not installed; reasoning does not."""
    text = "def back (xs : List Nat) : Nat := xs.reverse.length\ntheorem t : back [] = 0 := rfl\n"
    write(tmp_path, Top=text)
    loaded = load_graph(read_graph(tmp_path / "Top.lean", session, installed), session)
    assert [d.name for d in loaded.modules[-1].declared] == ["back", "t"]
    assert loaded.modules[-1].declared[0].span == (0, 51)
