from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engine.knowledge.declarations import Declarations, Row
from engine.model import Binder, MethodNode
from engine.store import Store
from engine.trees.evidence import Evidence
from verifier.errors import StorageError
from verifier.reading.files import ModuleFile


def rows_of(declarations: Declarations) -> dict[str, Row]:
    return {row.node.id: row for _, row in declarations.rows()}


def test_a_row_comes_back_as_it_was(declarations, write, make_theorem) -> None:
    row = make_theorem("M", "t", "f", "g")
    node = row.node.model_copy(
        update={
            "binders": (Binder(name="x", style="explicit", role="value"),),
            "deprecated": "",
            "attributes": ("simp",),
            "summary": "two\nlines",
        }
    )
    write("M", [Row(node, {"f": Evidence(1, 2), "g": Evidence(0, 1, ("simp",), False)})])

    assert rows_of(declarations) == {
        "M:t": Row(node, {"f": Evidence(1, 2), "g": Evidence(0, 1, ("simp",), False)})
    }
    assert declarations.nodes(["M:t", "M:none"]) == {"M:t": node}
    assert declarations.named("t") == [node]
    assert declarations.ids_of(["t", "none"]) == {"t": "M:t"}


def test_a_module_takes_the_place_of_its_older_self(declarations, write, make_theorem) -> None:
    write("M", [make_theorem("M", "a", "f"), make_theorem("M", "b", "f")])
    before = declarations.keys()
    write("M", [make_theorem("M", "b", "f"), make_theorem("M", "c", "f")])
    after = declarations.keys()

    assert set(after) == {"M:b", "M:c"}
    assert not set(before.values()) & set(after.values()), "row numbers say what was read again"


def test_a_dropped_module_takes_its_declarations_along(declarations, write, make_theorem) -> None:
    write("M", [make_theorem("M", "a", "f")])
    write("N", [make_theorem("N", "b", "f")], source="project")
    declarations.drop_modules(["M"])

    assert list(declarations.keys()) == ["N:b"]
    assert declarations.sources() == ["project"]


def test_half_a_module_is_none(declarations, write, make_theorem) -> None:
    write("M", [make_theorem("M", "a", "f")])
    twice = [make_theorem("M", "b", "f"), make_theorem("M", "b", "g")]
    with pytest.raises(StorageError):
        write("M", twice)

    assert list(declarations.keys()) == ["M:a"]


def test_twins_have_the_same_statement(declarations, write, make_theorem) -> None:
    write("M", [make_theorem("M", "a", "f", "g"), make_theorem("M", "b", "g", "f")])
    write("N", [make_theorem("N", "c", "f", "g")])
    (node,) = declarations.named("a")

    assert [twin.id for twin in declarations.twins(node)] == ["N:c"]


def test_many_names_at_once(declarations, write, make_theorem) -> None:
    rows = [make_theorem("M", f"t{i}", "f") for i in range(1200)]
    write("M", rows)
    ids = [row.node.id for row in rows]

    assert list(declarations.nodes(ids)) == sorted(ids, key=ids.index) or set(
        declarations.nodes(ids)
    ) == set(ids)
    numbers = list(declarations.keys().values())
    assert len(list(declarations.rows(numbers))) == 1200


def test_another_database_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db"):
        pass
    with pytest.raises(StorageError, match="another program"):
        Declarations(tmp_path / "store.db")
    with pytest.raises(StorageError):
        (tmp_path / "text.db").write_text("no database " * 200)
        Declarations(tmp_path / "text.db")


def test_a_damaged_row_is_an_error(declarations, write, make_theorem) -> None:
    write("M", [make_theorem("M", "a", "f")])
    with sqlite3.connect(declarations.path) as connection:
        connection.execute("UPDATE declarations SET body = '{}'")
    with pytest.raises(StorageError, match="cannot be read"):
        rows_of(declarations)


def test_a_touched_file_is_remembered(declarations, write, make_theorem) -> None:
    write("M", [make_theorem("M", "a", "f")])
    declarations.note_unchanged([ModuleFile("M", Path("elsewhere/M.olean"), 1, 99)])

    assert declarations.modules()["M"].changed == 99
    assert isinstance(declarations.named("a")[0], MethodNode)
