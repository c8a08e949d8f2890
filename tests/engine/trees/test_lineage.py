"""Saved primary parents answer as the tree does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Contribution
from engine.trees.lineage import Lineage
from engine.trees.provenance import build_provenance
from verifier.errors import StorageError

NODES = ("M:α", "M:b", "N:c.d", "N:«e f»", "g")
edges = st.lists(
    st.builds(
        Contribution,
        parent=st.sampled_from(NODES),
        child=st.sampled_from(NODES),
        rating=st.integers(1, 5),
        strength=st.floats(0.0, 1.0),
        explanation=st.text(max_size=10),
        operator=st.sampled_from(("", "induction")),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(edges)
def test_chains_are_those_of_the_tree(
    tmp_path_factory: pytest.TempPathFactory, given_edges: list[Contribution]
) -> None:
    tree = build_provenance(NODES, given_edges)
    path = tmp_path_factory.mktemp("lineage") / "tree.npz"
    Lineage.of(tree).save(path)
    loaded = Lineage.load(path)
    for node in NODES:
        assert loaded.ancestors(node) == tree.ancestors(node)
        assert loaded.ancestors(node, 1) == tree.ancestors(node, 1)
        assert loaded.parent(node) == tree.parent(node)
    assert loaded.ancestors("unknown") == () and loaded.parent("unknown") is None


def test_equal_trees_are_saved_equally(tmp_path: Path) -> None:
    edge = Contribution(parent="g", child="M:b", rating=3, explanation="used")
    for name in ("one", "two"):
        Lineage.of(build_provenance(NODES, [edge])).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_what_is_no_saved_tree_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tree.npz"
    with pytest.raises(StorageError, match="could not be read"):
        Lineage.load(path)
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(StorageError, match="could not be read"):
        Lineage.load(path)
    np.savez(path, parents=np.array([{}], object))
    with pytest.raises(StorageError, match="could not be read"):
        Lineage.load(path)


def test_a_file_with_parts_missing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tree.npz"
    Lineage.of(build_provenance(NODES, [])).save(path)
    with np.load(path) as file:
        parts = {name: file[name] for name in file.files} | {"ratings": np.zeros(1, np.int8)}
    np.savez(path, **parts)
    with pytest.raises(StorageError, match="damaged"):
        Lineage.load(path)
    with pytest.raises(StorageError, match="could not be written"):
        Lineage.of(build_provenance(NODES, [])).save(path / "tree.npz")
