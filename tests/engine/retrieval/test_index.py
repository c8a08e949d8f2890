from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.index import VectorIndex, best_rows
from verifier.errors import InputError, StorageError


def points(count: int, seed: int = 0, width: int = 16) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def names(count: int) -> list[str]:
    return [f"n{number:04}" for number in range(count)]


def test_ties_go_by_name() -> None:
    index = VectorIndex(["c", "a", "b"], np.ones((3, 1), dtype=np.float32))
    one = np.ones(1, dtype=np.float32)
    assert [name for name, _ in index.nearest(one, 2)] == ["a", "b"]
    assert [name for name, _ in index.nearest(one, 2, among=["c", "b"])] == ["b", "c"]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 200), st.integers(1, 20), st.integers(1, 250))
def test_search_is_exact_whatever_is_equal(seed: int, count: int, distinct: int, k: int) -> None:
    vectors = points(distinct, seed)[np.random.default_rng(seed).integers(0, distinct, count)]
    index = VectorIndex(names(count), vectors)
    query = points(1, seed + 1)[0]
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    expected = sorted(range(count), key=lambda row: (-round(float(cosines[row]), 5), row))[:k]
    rows, found = index.nearest_rows(query, k)
    assert rows.tolist() == expected
    assert np.allclose(found, cosines[expected], atol=1e-5)
    assert index.nearest(query, k) == index.nearest(query, k, among=names(count))


def test_a_query_of_nothing_is_answered_in_order() -> None:
    index = VectorIndex(names(500), points(500))
    assert index.nearest(np.zeros(16, dtype=np.float32), 3) == [(n, 0.0) for n in names(3)]


def test_only_the_rows_in_question_are_compared() -> None:
    vectors = points(50)
    index = VectorIndex(names(50), vectors)
    rows = np.array([40, 3, 17])
    found, cosines = index.nearest_rows(vectors[17], 2, among=rows)
    assert found[0] == 17 and set(found) < {40, 3, 17} and cosines[0] == pytest.approx(1.0)
    assert best_rows(vectors, vectors[0], rows[:0], 5)[0].size == 0


def test_what_cannot_be_indexed_or_asked() -> None:
    with pytest.raises(InputError, match="1 names came with 2 vectors"):
        VectorIndex(["a"], points(2))
    with pytest.raises(InputError, match="twice"):
        VectorIndex(["a", "a"], points(2))
    index = VectorIndex(["a"], points(1))
    with pytest.raises(InputError, match="0 results"):
        index.nearest(points(1)[0], 0)
    with pytest.raises(InputError, match="3 dimensions met an index of 16"):
        index.nearest(points(1, width=3)[0], 1)
    with pytest.raises(InputError, match="'b' is not in the index"):
        index.nearest(points(1)[0], 1, among=["b"])


def test_rows_come_and_go() -> None:
    vectors = points(6)
    index = VectorIndex(["b", "d"], vectors[:2])
    more = index.added(["c", "a"], vectors[2:4])
    assert more.names == ("a", "b", "c", "d") and index.names == ("b", "d")
    assert np.array_equal(more.vectors, vectors[[3, 0, 2, 1]])
    less = more.removed(["b", "a"])
    assert less.names == ("c", "d") and np.array_equal(less.vectors, vectors[[2, 1]])
    with pytest.raises(InputError, match="twice"):
        index.added(["b"], vectors[2:3])
    with pytest.raises(InputError, match="not in the index"):
        index.removed(["z"])
    empty = less.removed(["c", "d"])
    assert len(empty) == 0 and empty.nearest(vectors[0], 3) == []
    assert empty.added(["x"], vectors[:1]).nearest(vectors[0], 1)[0][0] == "x"


def test_the_vectors_outlive_their_index_and_cannot_be_changed() -> None:
    vectors = VectorIndex(names(2000), points(2000)).vectors
    gc.collect()
    other = VectorIndex(names(2000), points(2000, seed=9)).vectors
    assert np.array_equal(vectors, points(2000)) and not np.array_equal(vectors, other)
    with pytest.raises(ValueError, match="read-only"):
        vectors[0] = 0.0


@pytest.mark.parametrize("count", [0, 1, 300])
def test_an_index_comes_back_as_it_was(count: int, tmp_path: Path) -> None:
    index = VectorIndex(names(count)[::-1], points(count))
    index.save(tmp_path / "deep" / "index.faiss")
    back = VectorIndex.load(tmp_path / "deep" / "index.faiss")
    assert back.names == index.names and np.array_equal(back.vectors, index.vectors)
    assert back.dimensions == 16
    query = points(1, seed=5)[0]
    assert back.nearest(query, 7) == index.nearest(query, 7)


def test_a_loaded_index_survives_its_file_being_replaced(tmp_path: Path) -> None:
    path = tmp_path / "index.faiss"
    VectorIndex(names(300), points(300)).save(path)
    loaded = VectorIndex.load(path)
    VectorIndex(names(10), points(10, seed=1)).save(path)
    assert np.array_equal(loaded.vectors, points(300))
    assert len(VectorIndex.load(path)) == 10


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    first, second = tmp_path / "a.faiss", tmp_path / "b.faiss"
    VectorIndex(names(3), points(3)).save(first)
    VectorIndex(names(3), points(3, seed=1)).save(second)
    second.replace(first)
    with pytest.raises(StorageError, match="different times"):
        VectorIndex.load(first)
    VectorIndex(names(4), points(4)).save(second)
    second.replace(first)
    with pytest.raises(StorageError, match="3 names, 4 vectors"):
        VectorIndex.load(first)


@pytest.mark.parametrize("content", [None, b"", b"IxFI", b"no index at all"])
def test_a_damaged_index_is_an_error(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "index.faiss"
    VectorIndex(names(3), points(3)).save(path)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StorageError, match="could not be read"):
        VectorIndex.load(path)
