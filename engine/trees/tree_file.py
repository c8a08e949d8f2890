"""T_C in one file: arrays as numpy has them, texts as JSON, nothing that could run.

The ids of the nodes are not in it: whoever reads the tree has them from the index of their
vectors, and a digest tells whether they are the same ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.derived import reading, writing
from engine.trees.abstraction import AbstractionTree, Level
from engine.trees.cluster import ClusterText

_FORMAT: Final = 1


def save_tree(tree: AbstractionTree, path: Path) -> None:
    """Write T_C to a ``.npz`` file.

    Raises:
        StorageError: The file cannot be written.
    """
    head = {
        "format": _FORMAT,
        "nodes": _digest(tree.nodes),
        "built": tree.built,
        "changed": tree.changed,
        "levels": [
            {"ids": level.ids, "texts": [text.model_dump() for text in level.texts]}
            for level in tree.levels
        ],
    }
    arrays: dict[str, NDArray[Any]] = {
        "head": np.frombuffer(orjson.dumps(head), dtype=np.uint8),
        "home": tree.home.astype(np.int32),
    }
    for number, level in enumerate(tree.levels, start=1):
        arrays[f"parents_{number}"] = level.parents.astype(np.int32)
        arrays[f"sizes_{number}"] = level.sizes
        arrays[f"sums_{number}"] = level.sums
        arrays[f"built_{number}"] = level.built
    with writing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def load_tree(path: Path, nodes: Sequence[str]) -> AbstractionTree:
    """Read T_C from a file.

    Args:
        path: Where ``save_tree`` wrote it.
        nodes: The ids of its nodes, sorted: ``VectorIndex.names``.

    Raises:
        StorageError: The file is missing, damaged, of another version, or over other nodes.
    """
    with reading(path), np.load(path, allow_pickle=False) as arrays:
        head = orjson.loads(arrays["head"].tobytes())
        if head["format"] != _FORMAT:
            raise ValueError("another version of lemmata wrote it")
        if head["nodes"] != _digest(nodes):
            raise ValueError("it was built over other nodes")
        return AbstractionTree(
            nodes=tuple(nodes),
            home=arrays["home"].astype(np.intp),
            levels=tuple(
                _level(arrays, number, texts) for number, texts in enumerate(head["levels"], 1)
            ),
            built=head["built"],
            changed=head["changed"],
        )


def _level(arrays: Mapping[str, NDArray[Any]], number: int, head: dict[str, Any]) -> Level:
    return Level(
        ids=tuple(head["ids"]),
        parents=arrays[f"parents_{number}"].astype(np.intp),
        sizes=arrays[f"sizes_{number}"],
        sums=arrays[f"sums_{number}"],
        built=arrays[f"built_{number}"],
        texts=tuple(ClusterText.model_validate(text) for text in head["texts"]),
    )


def _digest(nodes: Sequence[str]) -> str:
    text = "\0".join(nodes)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
