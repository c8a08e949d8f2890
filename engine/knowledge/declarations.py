"""The declarations of compiled libraries at rest: nodes, features, constants mentioned."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar

import orjson

from engine.model import Contribution, MethodNode
from engine.store.database import (
    Database,
    Schema,
    decode_model,
    encode_json,
    encode_model,
    storage_errors,
)
from engine.trees.evidence import Evidence
from verifier.reading.files import ModuleFile

T = TypeVar("T")

Mentions = Mapping[str, Evidence]
"""For each constant how it is used; whether the user is a definition is not kept with it."""

SCHEMA: Final = Schema("engine.knowledge", "knowledge.sql", 1, 0x4C454D4B)
_AT_ONCE: Final = 500  # host parameters of one query


@dataclass(frozen=True)
class StoredModule:
    """A module as it was when it was read."""

    name: str
    source: str
    path: str
    size: int
    changed: int
    digest: str


@dataclass(frozen=True)
class Row:
    """A declaration with what is kept beside its node.

    Attributes:
        node: With its features.
        mentions: The constants that it mentions.
    """

    node: MethodNode
    mentions: Mentions


class Declarations(Database):
    """The table of declarations, in the file of one knowledge base."""

    schema: ClassVar[Schema] = SCHEMA

    def modules(self, source: str | None = None) -> dict[str, StoredModule]:
        """What was read, by name; of one source or of all."""
        where, values = ("source = ?", (source,)) if source is not None else ("1", ())
        rows = self._rows(f"SELECT * FROM modules WHERE {where} ORDER BY name", *values)
        return {row[0]: StoredModule(*row) for row in rows}

    def sources(self) -> list[str]:
        """The toolchain and the projects that modules come from."""
        return [row[0] for row in self._rows("SELECT DISTINCT source FROM modules ORDER BY 1")]

    def replace_module(
        self,
        source: str,
        file: ModuleFile,
        digest: str,
        rows: Iterable[Row],
        edges: Iterable[Contribution] = (),
    ) -> None:
        """Write a module with its declarations, in place of what was there before.

        Args:
            source: Where it comes from.
            file: The file that it was read from.
            digest: Of that file.
            rows: Its declarations.
            edges: Edges into them that the source brings along.

        Raises:
            StorageError: It could not be written; what was there is still there.
        """
        with self.transaction():
            self._write("DELETE FROM declarations WHERE module = ?", file.name)
            self._write(
                "INSERT OR REPLACE INTO modules VALUES (?, ?, ?, ?, ?, ?)",
                file.name, source, str(file.path), file.size, file.changed, digest,
            )  # fmt: skip
            self._connection.executemany(
                "INSERT INTO declarations "
                "(id, name, module, canonical, body, features, constants) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (_values(row) for row in rows),
            )
            self._connection.executemany(
                "INSERT INTO contributions VALUES (?, ?, ?)",
                ((edge.child, edge.parent, encode_model(edge)) for edge in edges),
            )

    def note_unchanged(self, files: Iterable[ModuleFile]) -> None:
        """Remember the new times of files whose contents are the old ones."""
        with self.transaction():
            for file in files:
                self._write(
                    "UPDATE modules SET path = ?, changed = ? WHERE name = ?",
                    str(file.path), file.changed, file.name,
                )  # fmt: skip

    def drop_modules(self, names: Iterable[str]) -> None:
        """Forget modules with their declarations."""
        with self.transaction():
            for name in names:
                self._write("DELETE FROM modules WHERE name = ?", name)

    def count(self) -> int:
        """How many declarations there are."""
        return int(self._rows("SELECT count(*) FROM declarations")[0][0])

    def keys(self) -> dict[str, int]:
        """The row number of each declaration, by id.

        A declaration that is read again gets a new number, so the numbers say what has changed.
        """
        return dict(self._rows("SELECT id, row FROM declarations"))

    def rows(self, numbers: Sequence[int] | None = None) -> Iterator[tuple[int, Row]]:
        """Declarations with their row numbers, by number: all, or those of some numbers."""
        select = "SELECT row, body, features, constants FROM declarations"
        if numbers is None:
            yield from map(_numbered, self._stream(f"{select} ORDER BY row"))
            return
        for part in _parts(sorted(numbers)):
            marks = ",".join("?" * len(part))
            found = self._rows(f"{select} WHERE row IN ({marks}) ORDER BY row", *part)
            yield from map(_numbered, found)

    def nodes(self, ids: Iterable[str]) -> dict[str, MethodNode]:
        """The nodes of some ids, as far as they are there."""
        found: dict[str, MethodNode] = {}
        for part in _parts(list(ids)):
            marks = ",".join("?" * len(part))
            rows = self._rows(
                f"SELECT id, body, features FROM declarations WHERE id IN ({marks})", *part
            )
            found.update({id_: _node(body, features) for id_, body, features in rows})
        return found

    def contributions(self, children: Iterable[str] | None = None) -> Iterator[Contribution]:
        """The edges that sources brought along: all, or those into some nodes."""
        if children is None:
            found = self._rows("SELECT body FROM contributions ORDER BY child, parent")
            yield from (decode_model(Contribution, row[0]) for row in found)
            return
        for part in _parts(sorted(children)):
            marks = ",".join("?" * len(part))
            found = self._rows(
                f"SELECT body FROM contributions WHERE child IN ({marks}) ORDER BY child, parent",
                *part,
            )
            yield from (decode_model(Contribution, row[0]) for row in found)

    def named(self, name: str) -> list[MethodNode]:
        """The declarations of this full name; several modules may have one."""
        rows = self._rows(
            "SELECT body, features FROM declarations WHERE name = ? ORDER BY id", name
        )
        return [_node(*row) for row in rows]

    def twins(self, node: MethodNode) -> list[MethodNode]:
        """The other theorems whose statements have the canonical form of this one, by id."""
        if not node.canonical:
            return []
        rows = self._rows(
            "SELECT body, features FROM declarations WHERE canonical = ? AND id <> ? ORDER BY id",
            node.canonical, node.id,
        )  # fmt: skip
        return [_node(*row) for row in rows]

    def ids_of(self, names: Iterable[str]) -> dict[str, str]:
        """The id of each name that is there."""
        found: dict[str, str] = {}
        for part in _parts(list(names)):
            marks = ",".join("?" * len(part))
            found.update(
                self._rows(f"SELECT name, id FROM declarations WHERE name IN ({marks})", *part)
            )
        return found

    def meta(self, key: str) -> str:
        """A remark that was written with :meth:`set_meta`; empty when there is none."""
        rows = self._rows("SELECT value FROM meta WHERE key = ?", key)
        return str(rows[0][0]) if rows else ""

    def set_meta(self, key: str, value: str) -> None:
        """Write a remark."""
        with self.transaction():
            self._write("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)

    def _stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Rows as SQLite finds them; all of them at once would need hundreds of megabytes."""
        with storage_errors(self.path):
            yield from self._connection.execute(sql)


def _values(row: Row) -> tuple[str, ...]:
    node = row.node
    body = orjson.dumps(node.model_dump(exclude={"features"}, exclude_defaults=True)).decode()
    return (
        node.id,
        node.name or "",
        node.module,
        node.canonical,
        body,
        "\n".join(node.features),
        encode_json({name: _told(evidence) for name, evidence in row.mentions.items()}),
    )


def _numbered(found: tuple[Any, ...]) -> tuple[int, Row]:
    number, body, features, constants = found
    mentions = {name: _evidence(*told) for name, told in orjson.loads(constants).items()}
    return number, Row(_node(body, features), mentions)


def _told(evidence: Evidence) -> list[Any]:
    """Two numbers; of what was looked at more closely the tactics and the survival too."""
    counts = [evidence.in_statement, evidence.in_proof]
    if not evidence.tactics and evidence.survives is None:
        return counts
    return [*counts, list(evidence.tactics), evidence.survives]


def _evidence(
    stated: int, used: int, tactics: Iterable[str] = (), survives: bool | None = None
) -> Evidence:
    return Evidence(stated, used, tuple(tactics), survives)


def _node(body: str, features: str) -> MethodNode:
    node = decode_model(MethodNode, body)
    if not features:
        return node
    tokens = tuple(map(sys.intern, features.split("\n")))
    return node.model_copy(update={"features": tokens})


def _parts(values: list[T]) -> Iterator[list[T]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
