"""The primary parents of a large T_M on disk: chains of ancestors without building the tree.

A search needs the ancestors of its hits and nothing else of T_M. The file is NumPy's ``.npz``, with
texts as UTF-8 bytes and offsets, so that nothing in it is run when it is read.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from engine.derived import reading, writing
from engine.model import Contribution
from engine.trees.provenance import ProvenanceTree
from verifier.errors import StorageError

NO_PARENT = -1
_ARRAYS = ("parents", "ratings", "strengths")
_TEXTS = ("nodes", "explanations", "operators")


class _Texts:
    """Many texts in two arrays; one is decoded when it is asked for."""

    def __init__(self, data: Any, ends: Any) -> None:
        self.data = data
        self.ends = ends

    @classmethod
    def of(cls, texts: list[str]) -> _Texts:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.fromiter(accumulate(map(len, encoded)), np.int64, len(encoded))
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> str:
        start = int(self.ends[index - 1]) if index else 0
        data: bytes = self.data[start : int(self.ends[index])].tobytes()
        return data.decode("utf-8", "surrogatepass")

    def all(self) -> list[str]:
        data, ends = self.data.tobytes(), self.ends.tolist()
        return [
            data[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip([0, *ends], ends, strict=False)
        ]


class Lineage:
    """The primary edge into each node (an :class:`engine.trees.provenance.Ancestry`).

    Args:
        arrays: ``parents`` (int32, the place of the parent or -1), ``ratings`` (int8) and
            ``strengths`` (float64), one entry a node.
        texts: ``nodes`` (the ids), ``explanations`` and ``operators``, one a node.
    """

    def __init__(self, arrays: dict[str, Any], texts: dict[str, _Texts]) -> None:
        self._arrays = arrays
        self._texts = texts

    @classmethod
    def of(cls, tree: ProvenanceTree) -> Lineage:
        """The primary edges of a tree."""
        place = {node: index for index, node in enumerate(tree.nodes)}
        edges = [tree.primary.get(node) for node in tree.nodes]
        return cls(
            {
                "parents": np.array([place[e.parent] if e else NO_PARENT for e in edges], np.int32),
                "ratings": np.array([e.rating if e else 0 for e in edges], np.int8),
                "strengths": np.array([e.strength if e else 0.0 for e in edges], np.float64),
            },
            {
                "nodes": _Texts.of(list(tree.nodes)),
                "explanations": _Texts.of([e.explanation if e else "" for e in edges]),
                "operators": _Texts.of([e.operator if e else "" for e in edges]),
            },
        )

    @classmethod
    def load(cls, path: Path) -> Lineage:
        """Reads what :meth:`save` wrote.

        Raises:
            StorageError: The file is missing, damaged, or something else.
        """
        with reading(path), np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in _ARRAYS}
            texts = {name: _Texts(file[f"{name}_data"], file[f"{name}_ends"]) for name in _TEXTS}
        if len({len(part) for part in (*arrays.values(), *texts.values())}) != 1:
            raise StorageError(
                f"{path} is damaged: its parts differ in length",
                "build it anew with lemmata ingest",
            )
        return cls(arrays, texts)

    def save(self, path: Path) -> None:
        """Writes the edges as ``.npz``.

        Raises:
            StorageError: It cannot be written.
        """
        parts = dict(self._arrays)
        for name, texts in self._texts.items():
            parts |= {f"{name}_data": texts.data, f"{name}_ends": texts.ends}
        with writing(path) as unfinished, unfinished.open("wb") as file:
            np.savez(file, **parts)

    def parent(self, node: str) -> str | None:
        """The primary parent of a node, or ``None`` at a root or an unknown node."""
        at = self._parent_place(self._places.get(node, NO_PARENT))
        return None if at == NO_PARENT else self._texts["nodes"][at]

    def ancestors(self, node: str, depth: int | None = None) -> tuple[Contribution, ...]:
        """The primary-parent chain of a node: edges from the node upwards, nearest first.

        Args:
            node: Where the chain starts.
            depth: At most so many edges; all the way to the root if omitted.
        """
        chain: list[Contribution] = []
        at = self._places.get(node, NO_PARENT)
        while (above := self._parent_place(at)) != NO_PARENT:
            if depth is not None and len(chain) >= depth:
                break
            chain.append(self._edge(at, above))
            at = above
        return tuple(chain)

    def _parent_place(self, at: int) -> int:
        return NO_PARENT if at == NO_PARENT else int(self._arrays["parents"][at])

    def _edge(self, child: int, parent: int) -> Contribution:
        nodes = self._texts["nodes"]
        return Contribution(
            parent=nodes[parent],
            child=nodes[child],
            rating=int(self._arrays["ratings"][child]),
            strength=float(self._arrays["strengths"][child]),
            explanation=self._texts["explanations"][child],
            operator=self._texts["operators"][child],
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {node: place for place, node in enumerate(self._texts["nodes"].all())}
