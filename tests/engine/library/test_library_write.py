"""Write-back: database first, then the module; one writer; nothing lost."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from credulous import Credulous, theory, write

from engine.library.files import HOLDER
from engine.library.library import Library
from engine.library.package import DATABASE
from engine.model import Label
from engine.sources.lean_module import Theory
from verifier.errors import InputError, StorageError
from verifier.verifier import Verifier

MODULE = "Lemmata/Theories/Basic.lean"


def names(library: Library) -> list[str]:
    return [lemma.name for lemma in library.lemmas()]


def in_module(folder: Path) -> list[str]:
    return re.findall(r"^theorem (\S+)", (folder / MODULE).read_text(), re.MULTILINE)


def test_a_new_library_is_a_lake_package(library: Library, folder: Path) -> None:
    assert (folder / "Theories/Basic.lean").read_text() == theory().graph.target.text
    assert (folder / "lean-toolchain").read_text() == "leanprover/lean4:v4.28.0\n"
    assert '"Theories.Basic"' in (folder / "lakefile.toml").read_text()
    assert (folder / MODULE).read_text().startswith("import Theories.Basic\n")


def test_a_lemma_joins_database_and_module(library: Library, folder: Path, basic: Theory) -> None:
    written = write(library, basic, "one")
    again = write(library, basic, "two", "by use one")
    assert names(library) == ["T.one", "T.two"] and in_module(folder) == ["one", "two"]
    assert written.record.serial == 1 and again.environment.parent == written.environment
    assert "/-- Says one.\n\nFound by induction, from `zero`. -/" in (folder / MODULE).read_text()
    assert library.find("two").name == library.find("T.two").name == "T.two"
    with pytest.raises(InputError, match="no lemma"):
        library.find("three")


def test_a_lemma_may_be_written_again(library: Library, basic: Theory) -> None:
    first = write(library, basic, "one")
    version = library.store.library_version()
    assert write(library, basic, "one").record == first.record
    assert library.store.library_version() == version


@pytest.mark.parametrize(
    "fields",
    [
        {"its_label": Label.CONJECTURE},
        {"its_label": Label.RETRACTED},
        {"its_statement": ": says more"},
        {"its_proof": "by use zero"},
        {"its_name": "T.other"},
        {"its_id": "Elsewhere:T.one"},
        {"its_module": "Lemmata.Theories.Other"},
    ],
)
def test_what_does_not_agree_is_refused(
    library: Library, basic: Theory, folder: Path, fields: dict[str, object]
) -> None:
    with pytest.raises(InputError):
        write(library, basic, "one", **fields)
    assert names(library) == [] and in_module(folder) == []


def test_a_text_that_adds_more_is_refused(library: Library, basic: Theory, folder: Path) -> None:
    with pytest.raises(InputError, match=r"also declares T\.sneaky"):
        write(library, basic, "one", "trivial\naxiom sneaky : False")
    assert names(library) == [] and in_module(folder) == []


def test_a_name_is_free_only_once(library: Library, basic: Theory, believer: Verifier) -> None:
    write(library, basic, "one")
    other = theory("namespace T\nend T\n", "Theories.Other")
    library.adopt(other, believer)
    with pytest.raises(InputError, match="is taken"):
        write(library, other, "one")
    taken = library.taken(other, Credulous())
    assert taken("one") and not taken("two")


def test_a_reader_does_not_write(library: Library, folder: Path, basic: Theory) -> None:
    write(library, basic, "one")
    with Library.read(folder) as reader:
        assert names(reader) == ["T.one"]
        with pytest.raises(StorageError, match="reading only"):
            reader.retract("Lemmata.Theories.Basic:T.one", "tried")


def test_there_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no library"):
        Library.read(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_second_writer_is_told_who_the_first_is(library: Library, folder: Path) -> None:
    with pytest.raises(StorageError, match=rf"process {os.getpid()} on ") as caught:
        Library.open(folder, wait_seconds=0.05)
    assert "Wait" in caught.value.hint


def test_a_second_process_is_refused_and_then_let_in(library: Library, folder: Path) -> None:
    code = "import sys; from engine.library.library import Library; "
    code += "Library.open(sys.argv[1], wait_seconds=0.05).close()"
    command = [sys.executable, "-c", code, str(folder)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "StorageError" in refused.stderr and str(os.getpid()) in refused.stderr
    library.close()
    assert subprocess.run(command, check=False).returncode == 0
    assert not (folder / HOLDER).exists()


def test_a_full_disk_loses_nothing(
    library: Library, folder: Path, basic: Theory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(library, basic, "one")
    before = (folder / MODULE).read_text()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", full_disk)
        with pytest.raises(StorageError, match="No space left") as caught:
            write(library, basic, "two")
    assert "database" in caught.value.hint
    assert (folder / MODULE).read_text() == before
    assert not list(folder.rglob("*.tmp"))
    assert names(library) == ["T.one", "T.two"]
    write(library, basic, "three", "by use two")
    assert in_module(folder) == ["one", "two", "three"]


def test_a_full_disk_is_made_good_at_the_next_opening(
    library: Library, folder: Path, basic: Theory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", full_disk)
        with pytest.raises(StorageError):
            write(library, basic, "one")
    library.close()
    with Library.open(folder) as opened:
        assert names(opened) == ["T.one"] and in_module(folder) == ["one"]


def full_disk(handle: int, *_: object) -> object:
    class Full:
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(handle)

        def write(self, _: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return Full()


def test_an_edited_module_is_refused_and_left_alone(
    library: Library, folder: Path, basic: Theory
) -> None:
    write(library, basic, "one")
    library.close()
    edited = (folder / MODULE).read_text() + "-- mine\n"
    (folder / MODULE).write_text(edited)
    with pytest.raises(StorageError, match=r"Basic\.lean") as caught:
        Library.open(folder)
    assert "lemmata library check" in caught.value.hint
    assert (folder / MODULE).read_text() == edited
    with Library.open(folder, lenient=True) as opened:
        assert [f.code for f in opened.conflicts] == ["module_edited"]
        (aside,) = opened.restore()
    assert aside.read_text() == edited and in_module(folder) == ["one"]
    Library.open(folder).close()


def test_a_module_edited_under_a_writer_is_not_overwritten(
    library: Library, folder: Path, basic: Theory
) -> None:
    write(library, basic, "one")
    (folder / MODULE).write_text("-- mine\n")
    with pytest.raises(StorageError):
        write(library, basic, "two")
    assert (folder / MODULE).read_text() == "-- mine\n"
    assert names(library) == ["T.one", "T.two"]


def test_an_older_text_of_ours_is_brought_up_to_date(
    library: Library, folder: Path, basic: Theory
) -> None:
    write(library, basic, "one")
    older = (folder / MODULE).read_bytes()
    write(library, basic, "two")
    library.close()
    (folder / MODULE).write_bytes(older)
    with Library.open(folder):
        assert in_module(folder) == ["one", "two"]


def test_line_ends_of_version_control_are_no_edit(
    library: Library, folder: Path, basic: Theory
) -> None:
    write(library, basic, "one")
    library.close()
    windows = (folder / MODULE).read_bytes().replace(b"\n", b"\r\n")
    (folder / MODULE).write_bytes(windows)
    Library.open(folder).close()
    assert (folder / MODULE).read_bytes() == windows


@pytest.mark.parametrize("lost", [MODULE, "Theories/Basic.lean", "lakefile.toml"])
def test_a_lost_file_comes_back(library: Library, folder: Path, basic: Theory, lost: str) -> None:
    write(library, basic, "one")
    library.close()
    before = (folder / lost).read_text()
    (folder / lost).unlink()
    Library.open(folder).close()
    assert (folder / lost).read_text() == before


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE lemmas SET text = 'theorem one : False := trivial'",
        "UPDATE nodes SET body = json_set(body, '$.statement', ': False')",
        "DELETE FROM lemmas",
        "DROP TRIGGER audit_never_changes; UPDATE audit SET detail = '{}' WHERE seq = 2",
    ],
)
def test_an_edited_database_does_not_reach_the_module(
    library: Library, folder: Path, basic: Theory, edit: str
) -> None:
    write(library, basic, "one")
    library.close()
    before = (folder / MODULE).read_text()
    with sqlite3.connect(folder / DATABASE) as raw:
        raw.executescript(edit)
    raw.close()
    with pytest.raises(StorageError):
        Library.open(folder)
    assert (folder / MODULE).read_text() == before


def test_users_own_lakefile_is_kept(library: Library, folder: Path, believer: Verifier) -> None:
    (folder / "lakefile.toml").write_text('name = "mine"\n')
    library.adopt(theory("namespace T\nend T\n", "Theories.Other"), believer)
    assert (folder / "lakefile.toml").read_text() == 'name = "mine"\n'
    assert [f.code for f in library.package.compare()] == ["lakefile_edited"]


def test_retraction_takes_the_dependants_out_of_the_module(
    library: Library, folder: Path, basic: Theory
) -> None:
    write(library, basic, "one")
    write(library, basic, "two", "by use one")
    write(library, basic, "three")
    fallen = library.retract("Lemmata.Theories.Basic:T.one", "a test")
    assert [node.name for node in fallen] == ["T.one", "T.two"]
    assert in_module(folder) == ["three"]
    assert library.package.compare() == []


@pytest.mark.parametrize("name", ["Lemmata.Basic", "Lemmata", "lakefile"])
def test_names_of_the_library_are_not_for_theories(
    library: Library, believer: Verifier, name: str
) -> None:
    with pytest.raises(InputError, match="may not be named"):
        library.adopt(theory(name=name), believer)


def test_a_theory_must_be_adopted_as_it_is(library: Library, basic: Theory) -> None:
    with pytest.raises(InputError, match="as it is now"):
        library.environment(theory(basic.graph.target.text + "-- more\n"), Credulous())
