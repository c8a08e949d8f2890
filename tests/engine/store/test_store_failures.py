"""Damaged files, a full disk, killed writers, and two writers at once."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.model import Label, MethodNode, NodeKind
from engine.store import Store
from verifier.errors import StorageError

WRITER = """
import sys
from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.store import Store

path, module, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Store(path) as store:
    for number in range(count):
        name = f"t{number}"
        node = MethodNode(id=f"{module}:{name}", kind=NodeKind.THEOREM, name=name, module=module,
                          statement=": True", label=Label.VERIFIED)
        edges = [Contribution(parent=f"{module}:t{number - 1}", child=node.id, rating=3,
                              explanation="follows")] if number else []
        store.append_lemma(node, edges, f"theorem {name} : True := trivial")
        print(node.id, flush=True)
"""


def writer(path: Path, module: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), module, str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )


def verified(name: str) -> MethodNode:
    return MethodNode(
        id=f"M:{name}",
        kind=NodeKind.THEOREM,
        name=name,
        module="M",
        statement=": True",
        label=Label.VERIFIED,
    )


def assert_sound(store: Store) -> None:
    assert store.check_integrity() == ()
    assert store.verify_chain().intact
    assert store.tampered_lemmas() == []
    assert store.unwitnessed_nodes() == []


def test_a_killed_writer_loses_nothing_that_it_acknowledged(database: Path) -> None:
    chance = random.Random(2603)
    for round_ in range(4):
        process = writer(database, f"M{round_}", 100_000)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.15))
        os.kill(process.pid, signal.SIGKILL)
        acknowledged = {line.strip() for line in (first, *process.stdout) if line.endswith("\n")}
        process.wait()
        process.stdout.close()
        with Store(database) as store:
            assert_sound(store)
            kept = {lemma.node for lemma in store.lemmas(f"M{round_}")}
            assert acknowledged <= kept
            assert len(kept) <= len(acknowledged) + 1
            assert len(store.contributions_into(f"M{round_}:t1")) == (len(kept) > 1)


def test_two_processes_create_and_write_one_database(database: Path) -> None:
    processes = [writer(database, module, 30) for module in ("One", "Two", "Three")]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0, 0]
    with Store(database) as store:
        assert_sound(store)
        assert {m: len(store.lemmas(m)) for m in store.library_modules()} == {
            "One": 30,
            "Two": 30,
            "Three": 30,
        }
        assert sorted(lemma.serial for lemma in store.lemmas()) == list(range(1, 91))


def test_a_full_disk_is_reported_and_loses_nothing(store: Store) -> None:
    store.append_lemma(verified("before"), (), "theorem before : True := trivial")
    pages = store._pragma("page_count")
    store._connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    written = ["before"]
    with pytest.raises(StorageError, match="disk is full") as caught:
        for number in range(1000):
            store.append_lemma(verified(f"t{number}"), (), f"theorem t{number} {' ' * 500}")
            written.append(f"t{number}")
    assert caught.value.hint
    assert sorted(lemma.name for lemma in store.lemmas()) == sorted(written)
    assert_sound(store)
    store._connection.execute("PRAGMA max_page_count = 100000")
    store.append_lemma(verified("after"), (), "theorem after : True := trivial")
    assert_sound(store)


def test_a_full_disk_inside_an_outer_transaction_undoes_all_of_it(store: Store) -> None:
    store._connection.execute(f"PRAGMA max_page_count = {store._pragma('page_count') + 4}")
    with pytest.raises(StorageError), store.transaction():
        for number in range(1000):
            store.append_lemma(verified(f"t{number}"), (), f"theorem t{number} {' ' * 500}")
    assert store.lemmas() == [] and store.nodes() == []
    assert_sound(store)


def test_a_busy_database_is_reported(database: Path) -> None:
    with Store(database) as one, Store(database, busy_seconds=0.05) as two:
        with one.transaction(), pytest.raises(StorageError, match="another process") as caught:
            two.audit("thing.happened", "s")
        assert "wait" in caught.value.hint
        two.audit("thing.happened", "s")


def test_text_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("theorem a : True := trivial\n" * 50)
    with pytest.raises(StorageError, match="no database") as caught:
        Store(path)
    assert caught.value.hint
    assert path.read_text().startswith("theorem a")


def test_a_foreign_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        Store(path)
    assert path.read_bytes() == before


def test_another_version_is_refused(database: Path) -> None:
    with Store(database) as store, store.transaction():
        store._write("UPDATE meta SET value = '99' WHERE key = 'schema'")
    with pytest.raises(StorageError, match="schema 99") as caught:
        Store(database)
    assert caught.value.hint


def test_damaged_pages_are_reported(database: Path) -> None:
    with Store(database) as store, store.transaction():
        for number in range(200):
            store.upsert_node(verified(f"t{number}"))
    with database.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(StorageError, match="damaged"), Store(database) as store:
        store.nodes()


def test_a_truncated_file_is_reported(database: Path) -> None:
    with Store(database) as store, store.transaction():
        for number in range(200):
            store.upsert_node(verified(f"t{number}"))
    with database.open("r+b") as file:
        file.truncate(3 * 4096 + 100)
    with pytest.raises(StorageError, match="damaged"), Store(database) as store:
        store.nodes()


def test_a_node_edited_into_nonsense_is_reported(store: Store) -> None:
    store.upsert_node(verified("a"))
    with store.transaction():
        store._write("UPDATE nodes SET body = json_set(body, '$.label', 'proven')")
    with pytest.raises(StorageError, match="cannot be read"):
        store.node("M:a")


def test_a_path_below_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="folder cannot be made") as caught:
        Store(tmp_path / "file" / "lemmata.db")
    assert caught.value.hint


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened"):
        Store(tmp_path)


def test_a_read_only_database_is_reported(store: Store) -> None:
    store._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError, match="read-only"):
        store.audit("thing.happened", "s")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(StorageError, match="cannot be opened"):
        Store(folder / "lemmata.db")


def test_threads_may_share_a_store(store: Store) -> None:
    def work(number: int) -> None:
        with store.transaction():
            store.audit("thread.wrote", str(number))
            store.upsert_node(verified(f"t{number}"))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(40)))
    assert len(store.nodes()) == 40
    assert_sound(store)
