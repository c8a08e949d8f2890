"""Exact nearest neighbours by cosine with faiss, and with a fixed order of ties.

Faiss finds the candidates; the cosines that are given out are computed once more, each by itself
and in one order of summation, so that equal vectors have equal cosines in every search.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.derived import reading, writing
from verifier.errors import InputError

Vectors = NDArray[np.float32]
Rows = NDArray[np.intp]

_SLACK: Final = 16  # candidates beyond k
_PROBES: Final = 64
_TOLERANCE: Final = 1e-5  # more than two ways to sum float32 products of unit vectors differ by


class VectorIndex:
    """Named unit vectors in a flat faiss index, in the order of their names.

    Args:
        names: Names, each once.
        vectors: Shape (len(names), d), float32, unit or zero rows.

    Raises:
        InputError: Names and vectors are not equally many, or a name occurs twice.
    """

    def __init__(self, names: Sequence[str], vectors: Vectors) -> None:
        import faiss

        if len(names) != len(vectors):
            raise InputError(
                f"{len(names)} names came with {len(vectors)} vectors", "encode them once more"
            )
        order = sorted(range(len(names)), key=names.__getitem__)
        ordered = order == list(range(len(names)))
        self.names: tuple[str, ...] = tuple(names[index] for index in order)
        if len(frozenset(self.names)) != len(self.names):
            raise InputError("a name occurs twice in the index", "give each name once")
        self._faiss: Any = faiss.IndexFlatIP(max(1, vectors.shape[1]))
        if len(names):
            self._faiss.add(np.ascontiguousarray(vectors if ordered else vectors[order]))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def dimensions(self) -> int:
        """Width d of the vectors."""
        return int(self._faiss.d)

    @cached_property
    def vectors(self) -> Vectors:
        """All vectors, shape (len(self), d), in the order of the names; not to be written to."""
        if not len(self):
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors: Vectors = np.asarray(_Memory(self._faiss)).reshape(len(self), self.dimensions)
        vectors.flags.writeable = False
        return vectors

    @cached_property
    def row(self) -> Mapping[str, int]:
        """The row of each name."""
        return {name: row for row, name in enumerate(self.names)}

    def nearest(
        self, vector: Vectors, k: int, among: Iterable[str] | None = None
    ) -> list[tuple[str, float]]:
        """The k names with the largest cosine to a vector, equal ones in order of name.

        Args:
            vector: Shape (d,), unit or zero.
            k: How many at most.
            among: Only these names; all if omitted.

        Returns:
            Names with their cosines, best first.

        Raises:
            InputError: k is below 1, the vector has another width, or a name is not indexed.
        """
        rows = None if among is None else self.rows_of(among)
        found, cosines = self.nearest_rows(vector, k, rows)
        pairs = zip(found.tolist(), cosines.tolist(), strict=True)
        return [(self.names[row], cosine) for row, cosine in pairs]

    def nearest_rows(
        self, vector: Vectors, k: int, among: Rows | None = None
    ) -> tuple[Rows, Vectors]:
        """The same by rows: of all, or of some, of which only the cosines are then computed.

        Args:
            vector: Shape (d,), unit or zero.
            k: How many at most.
            among: Rows, each once.

        Raises:
            InputError: k is below 1, or the vector has another width.
        """
        require_count(k)
        if vector.shape != (self.dimensions,) and len(self):
            raise InputError(
                f"a query of {len(vector)} dimensions met an index of {self.dimensions}",
                "use the encoder that the index was built with",
            )
        rows = self._candidates(vector, k) if among is None else among
        return best_rows(self.vectors, vector, rows, k)

    def rows_of(self, names: Iterable[str]) -> Rows:
        """The rows of some names.

        Raises:
            InputError: A name is not indexed.
        """
        try:
            return np.array([self.row[name] for name in names], dtype=np.intp)
        except KeyError as error:
            raise InputError(f"{error.args[0]!r} is not in the index", "build it anew") from error

    def added(self, names: Sequence[str], vectors: Vectors) -> VectorIndex:
        """An index that has these as well.

        Raises:
            InputError: A name is indexed already, or names and vectors are not equally many.
        """
        if not len(self):
            return VectorIndex(names, vectors)
        return VectorIndex([*self.names, *names], np.concatenate((self.vectors, vectors)))

    def removed(self, names: Iterable[str]) -> VectorIndex:
        """An index without these.

        Raises:
            InputError: A name is not indexed.
        """
        kept = np.ones(len(self), dtype=bool)
        kept[self.rows_of(names)] = False
        return VectorIndex(tuple(compress(self.names, kept)), self.vectors[kept])

    def save(self, path: Path) -> None:
        """Write the index to a file in faiss's own format, and its names to a file beside it.

        Raises:
            StorageError: A file cannot be written.
        """
        import faiss

        with writing(path) as temporary:
            faiss.write_index(self._faiss, str(temporary))
        with writing(_names_path(path)) as temporary:
            content = {"names": self.names, "vectors": _fingerprint(self.vectors)}
            temporary.write_bytes(orjson.dumps(content))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read an index that was saved; its vectors stay in the file until they are looked at.

        Raises:
            StorageError: A file is missing or damaged, or the two do not belong together.
        """
        import faiss

        index = cls.__new__(cls)
        with reading(path):
            content = orjson.loads(_names_path(path).read_bytes())
            index.names = tuple(content["names"])
            index._faiss = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
            if len(index.names) != index._faiss.ntotal:
                raise ValueError(f"{len(index.names)} names, {index._faiss.ntotal} vectors")
            if content["vectors"] != _fingerprint(index.vectors):
                raise ValueError("names and vectors were saved at different times")
        return index

    def _candidates(self, vector: Vectors, k: int) -> Rows:
        """Rows among which the k nearest are for sure, whatever ties and rounding do."""
        count = min(len(self), k + _SLACK)
        if count == 0:
            return np.zeros(0, dtype=np.intp)
        query = np.ascontiguousarray(vector[None], dtype=np.float32)
        with one_thread():
            cosines, rows = self._faiss.search(query, count)
            least = float(cosines[0, min(k, count) - 1]) - 2 * _TOLERANCE
            found: Rows = rows[0].astype(np.intp)
            if count < len(self) and cosines[0, -1] >= least:
                found = self._faiss.range_search(query, least)[2].astype(np.intp)
        return found


def best_rows(vectors: Vectors, vector: Vectors, rows: Rows, k: int) -> tuple[Rows, Vectors]:
    """The k of some rows with the largest cosine to a vector, and these; equal ones by row.

    Args:
        vectors: Shape (n, d).
        vector: Shape (d,).
        rows: Which of the n are meant, each once.
        k: How many at most, at least 1.
    """
    # A sum of its own for each row: a matrix product would round equal rows differently.
    cosines = np.einsum("ij,j->i", vectors[rows], vector)
    if k < len(rows):
        least = np.partition(cosines, len(rows) - k)[len(rows) - k]
        likely = np.flatnonzero(cosines >= least)
        rows, cosines = rows[likely], cosines[likely]
    order = np.lexsort((rows, -cosines))[:k]
    return rows[order], cosines[order]


def require_count(k: int) -> None:
    """Checks how many results are asked for.

    Raises:
        InputError: k is below 1.
    """
    if k < 1:
        raise InputError(f"cannot search for {k} results", "ask for at least one")


@contextmanager
def one_thread() -> Iterator[None]:
    """Faiss on one thread: a single query takes less time than waking the others does.

    On two busy cores a search of 60,000 vectors took 1.7 ms on one thread and 16 ms on two.
    """
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


class _Memory:
    """The memory of a flat index as numpy sees it; keeps the index alive as long as the view."""

    def __init__(self, index: Any) -> None:
        import faiss

        self.index = index
        memory = faiss.rev_swig_ptr(index.get_xb(), index.ntotal * index.d)
        self.__array_interface__ = memory.__array_interface__


def _names_path(path: Path) -> Path:
    return path.with_suffix(".names.json")


def _fingerprint(vectors: Vectors) -> str:
    """Digest of some rows, by which two files are seen to belong together."""
    rows = np.linspace(0, max(0, len(vectors) - 1), num=min(len(vectors), _PROBES), dtype=np.intp)
    return hashlib.sha256(vectors[rows].tobytes()).hexdigest()[:16]
