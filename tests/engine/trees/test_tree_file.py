from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.model import Label, MethodNode, NodeKind
from engine.settings import AbstractionSettings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import build_abstraction, cluster_nodes
from engine.trees.growth import insert
from engine.trees.tree_file import load_tree, save_tree
from verifier.errors import StorageError

SMALL = AbstractionSettings(k_1=6, k_n=2, k_min=2, rounds=3)


@pytest.fixture
def tree() -> AbstractionTree:
    rows = np.random.default_rng(0).normal(size=(30, 5))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    nodes = [
        MethodNode(
            id=f"M:«t {number}»\n",
            kind=NodeKind.THEOREM,
            name=f"«t {number}»",
            statement="∀ x, x = x",
            label=Label.ASSUMED,
            symbols=("Eq",),
        )
        for number in range(25)
    ]
    built = build_abstraction(nodes, vectors[:25], SMALL)
    return insert(built, [f"new{number}" for number in range(5)], vectors[25:])


def test_a_tree_comes_back_as_it_was(tree: AbstractionTree, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tree.npz"
    save_tree(tree, path)
    assert load_tree(path, tree.nodes) == tree
    assert load_tree(path, tree.nodes).clusters == tree.clusters
    assert [file.name for file in path.parent.iterdir()] == ["tree.npz"]


def test_the_empty_tree_comes_back_too(tmp_path: Path) -> None:
    save_tree(AbstractionTree(changed=3), tmp_path / "tree.npz")
    assert load_tree(tmp_path / "tree.npz", ()) == AbstractionTree(changed=3)


def test_a_tree_over_other_nodes_is_refused(tree: AbstractionTree, tmp_path: Path) -> None:
    save_tree(tree, tmp_path / "tree.npz")
    with pytest.raises(StorageError, match="other nodes") as caught:
        load_tree(tmp_path / "tree.npz", tree.nodes[1:])
    assert "lemmata ingest" in caught.value.hint


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "text"])
def test_a_damaged_file_is_an_error(tree: AbstractionTree, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "tree.npz"
    save_tree(tree, path)
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "cut": content[: len(content) // 2], "text": b"{}"}[damage])
    with pytest.raises(StorageError, match="could not be read"):
        load_tree(path, tree.nodes)


def test_a_pickle_is_never_run(tree: AbstractionTree, tmp_path: Path) -> None:
    path = tmp_path / "tree.npz"
    np.savez(path, head=np.array([{"format": 1}], dtype=object))
    with pytest.raises(StorageError, match="allow_pickle"):
        load_tree(path, tree.nodes)


def test_a_failed_write_leaves_the_old_file(tree: AbstractionTree, tmp_path: Path) -> None:
    path = tmp_path / "tree.npz"
    save_tree(tree, path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="could not be written"):
        save_tree(tree, tmp_path / "file" / "tree.npz")
    assert load_tree(path, tree.nodes) == tree


def test_a_bare_tree_has_no_texts(tmp_path: Path) -> None:
    bare = cluster_nodes(["a", "b"], np.eye(2, dtype=np.float32), SMALL)
    save_tree(bare, tmp_path / "tree.npz")
    assert load_tree(tmp_path / "tree.npz", bare.nodes).levels[0].texts == ()
