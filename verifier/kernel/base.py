"""The base library that proofs are replayed on: an export of Init or of Std, pinned by hash.

It is written once for an installation, by a fresh Lean that has run nothing of anybody's, and its
hash must be the one in ``base_pins.json``. What comes from a session later is never taken for a
part of it. Constants whose bodies the installation does not carry stand in it as axioms and are
listed as *assumed*; a label says which of them a result rests on.

Three files: ``NAME.ndjson`` in the format of lean4export, ``NAME.npz`` with the place of each line
in it, and ``NAME.json`` with what each declaration is called. Declarations are read on demand.
"""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from verifier.errors import StorageError, ToolchainError
from verifier.kernel import format as fmt
from verifier.kernel.format import Declaration, Expression, Level, Name
from verifier.lean import Environment, ExportSlice

PINS = Path(__file__).parent / "base_pins.json"
ROOTS: dict[str, tuple[str, ...]] = {"Init": ("Init",), "Std": ("Init", "Std")}
"""Bases by name with what they import."""


def base_for(imports: Iterable[str]) -> str:
    """Name of the base to use for some modules.

    There is none with the modules of Lean itself: theories import those for their tactics, and
    proofs hardly ever mention their constants. A proof that does cannot be replayed.
    """
    return "Init" if {module.split(".")[0] for module in imports} == {"Init"} else "Std"


def pinned(name: str) -> str:
    """The hash that a base must have."""
    return str(json.loads(PINS.read_text("utf-8"))[name])


@dataclass(frozen=True)
class BaseFiles:
    """Where a base lies."""

    folder: Path
    name: str

    @property
    def lines(self) -> Path:
        """The export."""
        return self.folder / f"{self.name}.ndjson"

    @property
    def places(self) -> Path:
        """Offsets of its lines."""
        return self.folder / f"{self.name}.npz"

    @property
    def contents(self) -> Path:
        """Names, axioms, assumptions; written last."""
        return self.folder / f"{self.name}.json"

    @property
    def exist(self) -> bool:
        """Whether all three are there."""
        return all(p.is_file() for p in (self.lines, self.places, self.contents))


@dataclass
class _Writer:
    """Collects an export slice by slice.

    Attributes:
        places: Offsets of names, levels and expressions by number.
        groups: For each group its offset; needs: numbers of the groups that it needs.
        of_name: The group that declares a name.
    """

    output: io.BufferedWriter
    at: int = 0
    places: dict[bytes, list[int]] = field(
        default_factory=lambda: {b'{"in"': [], b'{"il"': [], b'{"ie"': []}
    )
    groups: list[int] = field(default_factory=list)
    needs: list[list[int]] = field(default_factory=list)
    of_name: dict[str, int] = field(default_factory=dict)
    first_names: list[str] = field(default_factory=list)
    axioms: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    names: list[Name] = field(default_factory=lambda: [()])

    def write(self, part: ExportSlice) -> None:
        lines = part.text.encode().split(b"\n")[:-1]
        declarations: list[tuple[int, bytes]] = []
        for line in lines:
            places = self.places.get(line[:5])
            if places is None:
                declarations.append((self.at, line))
            else:
                places.append(self.at)
                if line[:5] == b'{"in"':
                    self.names.append(fmt.read_name(orjson.loads(line), self.names))
            self.at += len(line) + 1
        self.output.write(part.text.encode())
        self._index(part, declarations)
        self.axioms += part.axioms
        self.assumed += part.assumed

    def _index(self, part: ExportSlice, declarations: list[tuple[int, bytes]]) -> None:
        lines = iter(declarations)
        for first, needs in part.groups:
            number = len(self.groups)
            count = 4 if first == "Quot" else 1
            for i in range(count):
                offset, line = next(lines)
                if i == 0:
                    self.groups.append(offset)
                for name in _declared_names(line):
                    self.of_name[fmt.name_text(self.names[name])] = number
            self.first_names.append(first)
            self.needs.append(sorted({self.of_name[n] for n in needs} - {number}))

    def arrays(self) -> dict[str, Any]:
        import numpy as np

        lengths = [len(n) for n in self.needs]
        return {
            "names": np.array(self.places[b'{"in"'], np.int64),
            "levels": np.array(self.places[b'{"il"'], np.int64),
            "expressions": np.array(self.places[b'{"ie"'], np.int64),
            "groups": np.array(self.groups, np.int64),
            "needs": np.array([n for needs in self.needs for n in needs], np.int32),
            "needs_ends": np.cumsum(np.array(lengths, np.int64)),
        }


def _declared_names(line: bytes) -> list[int]:
    ((kind, body),) = orjson.loads(line).items()
    if kind != "inductive":
        return [body["name"]]
    return [c["name"] for part in ("types", "ctors", "recs") for c in body[part]]


def write_base(files: BaseFiles, slices: Callable[[Environment], Iterator[ExportSlice]]) -> str:
    """Writes a base from a fresh Lean; the file with the contents comes last.

    Args:
        files: Where.
        slices: Exports all imported constants; :meth:`verifier.session.Session.closure`.

    Returns:
        Its hash.

    Raises:
        StorageError: It cannot be written.
    """
    import numpy as np  # takes a tenth of a second, and the command line does without

    scratch = BaseFiles(files.folder, f".{files.name}-{os.getpid()}")
    try:
        files.folder.mkdir(parents=True, exist_ok=True)
        with scratch.lines.open("wb") as output:
            writer = _Writer(output)
            for part in slices(Environment(ROOTS[files.name])):
                writer.write(part)
        with scratch.places.open("wb") as output:
            np.savez(output, **writer.arrays())
        contents = {
            "export": _digest(scratch.lines.read_bytes()),
            "names": writer.of_name,
            "groups": writer.first_names,
            "axioms": sorted(writer.axioms),
            "assumed": sorted(writer.assumed),
        }
        scratch.contents.write_bytes(orjson.dumps(contents))
        digest = _digest(scratch.contents.read_bytes())
        for kind in ("lines", "places", "contents"):
            getattr(scratch, kind).replace(getattr(files, kind))
    except OSError as error:
        raise StorageError(
            f"the base of the second kernel cannot be written: {error}",
            f"Free some space at {files.folder}.",
        ) from error
    return digest


def _digest(data: bytes | mmap.mmap) -> str:
    return hashlib.sha256(data).hexdigest()


class Base:
    """A base library as it lies on the disk, checked against its hash.

    Args:
        files: Where it lies.
        digest: The hash that it must have.

    Raises:
        ToolchainError: A file is missing, or the base is not the pinned one.
    """

    def __init__(self, files: BaseFiles, digest: str) -> None:
        import numpy as np

        try:
            contents = files.contents.read_bytes()
            with files.lines.open("rb") as lines:
                self._data = mmap.mmap(lines.fileno(), 0, access=mmap.ACCESS_READ)
            with np.load(files.places, allow_pickle=False) as places:
                arrays = {name: places[name] for name in places.files}
        except (OSError, ValueError) as error:
            raise _unusable(files, str(error)) from error
        read = orjson.loads(contents) if _digest(contents) == digest else None
        if read is None or _digest(self._data) != read["export"]:
            raise _unusable(files, "it is not the pinned one")
        self._group_of: dict[str, int] = read["names"]
        self._first: list[str] = read["groups"]
        self._axioms = {self._group_of[n] for n in read["axioms"]}
        self._assumed = {self._group_of[n] for n in read["assumed"]}
        self._places: dict[str, Sequence[int]] = {
            kind: arrays[kind].tolist() for kind in ("names", "levels", "expressions", "groups")
        }
        self._needs = arrays["needs"]
        self._needs_ends = arrays["needs_ends"]
        self._names: dict[int, Name] = {0: ()}
        self._known: dict[Name, int | None] = {}

    def group(self, name: Name) -> int | None:
        """Number of the group that declares a name, or ``None``."""
        if name not in self._known:
            self._known[name] = self._group_of.get(fmt.name_text(name))
        return self._known[name]

    @property
    def size(self) -> int:
        """The number of groups."""
        return len(self._first)

    def name(self, group: int) -> str:
        """The first name of a group."""
        return self._first[group]

    def is_axiom(self, group: int) -> bool:
        """Whether it is an axiom of the library."""
        return group in self._axioms

    def is_assumed(self, group: int) -> bool:
        """Whether it stands without its body."""
        return group in self._assumed

    def needs(self, group: int) -> list[int]:
        """The groups that a group mentions."""
        start = int(self._needs_ends[group - 1]) if group else 0
        found: list[int] = self._needs[start : int(self._needs_ends[group])].tolist()
        return found

    def declarations(self, group: int) -> list[Declaration]:
        """The declarations of a group."""
        offset = self._places["groups"][group]
        read = []
        for _ in range(4 if self._first[group] == "Quot" else 1):
            line = self._line(offset)
            read.append(fmt.read_declaration(orjson.loads(line), self._name, int))
            offset += len(line)
        return read

    def expression(self, number: int) -> Expression:
        """An expression by its number."""
        item = self._numbered("expressions", number, "ie", number)
        return fmt.read_expression(item, int, int, self._name)

    def level(self, number: int) -> Level:
        """A level by its number."""
        if number == 0:
            return ("zero",)
        return fmt.read_level(self._numbered("levels", number - 1, "il", number), int, self._name)

    def _name(self, number: int) -> Name:
        known = self._names.get(number)
        if known is None:
            item = self._numbered("names", number - 1, "in", number)
            pre = (item.get("str") or item["num"])["pre"]
            below = self._name(pre)
            known = self._names[number] = (*below, _last_part(item))
        return known

    def _numbered(self, kind: str, place: int, key: str, number: int) -> dict[str, Any]:
        item: dict[str, Any] = orjson.loads(self._line(self._places[kind][place]))
        if item[key] != number:
            raise fmt.Malformed(f"the places of the base are wrong at {key} {number}")
        return item

    def _line(self, offset: int) -> bytes:
        return self._data[offset : self._data.find(b"\n", offset) + 1]


def _last_part(item: dict[str, Any]) -> str | int:
    part: str | int = item["str"]["str"] if "str" in item else item["num"]["i"]
    return part


def _unusable(files: BaseFiles, why: str) -> ToolchainError:
    return ToolchainError(
        f"the base library of the second kernel at {files.lines} cannot be used: {why}",
        "Remove that folder; it is written again when it is needed.",
    )
