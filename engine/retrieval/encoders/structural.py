"""The encoder that needs no model: symbols, subterm shapes and words.

TF-IDF over the tokens of ``shape.item_tokens``, then a truncated SVD:

    weight(t, x) = (1 + ln tf(t, x)) * (1 + ln((1 + n) / (1 + df(t)))),
    v(x) = unit(unit(weight(x)) V),

with the d right singular vectors V of the corpus. The weights are computed here and not by
scikit-learn, so that a query needs neither its import (a second) nor its pickles; only fitting
imports it, for the randomised SVD. A hashed vocabulary would save the list of tokens, but then no
token could be cut for being rare, and collisions would be decided by chance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.derived import reading, writing
from engine.model import MethodNode
from engine.retrieval.encoders.interface import Vectors, unit_rows
from engine.retrieval.interface import Query
from engine.retrieval.shape import item_tokens
from engine.settings import EncoderSettings

_TINY_CORPUS: Final = 32  # below it the SVD would only rotate the few documents that there are
_LARGE_CORPUS: Final = 1_000  # below it a rare token is what a query asks for, not a burden
_ITERATIONS: Final = 4  # of the randomised SVD; the singular values decay slowly
_FORMAT: Final = 1
_HEADER: Final = "encoder.json"
_WEIGHTS: Final = "weights.npz"
_DIRECTIONS: Final = "directions.npy"


class StructuralEncoder:
    """TF-IDF and truncated SVD to d dimensions with d <= min(n, vocabulary) - 1.

    A corpus that is tiny, or whose vocabulary is small already, keeps its TF-IDF vectors. Made by
    ``fit`` or ``load``; the same corpus and seed give the same vectors.

    Args:
        vocabulary: Tokens in the order of their columns.
        rarity: 1 + ln((1 + n) / (1 + df)) of each token, shape (vocabulary,).
        directions: V, shape (vocabulary, d); ``None`` where there was no SVD.
    """

    def __init__(
        self, vocabulary: Sequence[str], rarity: Vectors, directions: Vectors | None
    ) -> None:
        self._columns = {token: column for column, token in enumerate(vocabulary)}
        self._rarity = rarity
        self._directions = directions

    @classmethod
    def fit(cls, corpus: Sequence[MethodNode], settings: EncoderSettings | None = None) -> Self:
        """Learn vocabulary, weights and directions from a corpus.

        Args:
            corpus: The nodes that will be searched; may be empty.
            settings: Dimensions, rarest token and seed.
        """
        settings = settings or EncoderSettings()
        counts = [Counter(item_tokens(node)) for node in corpus]
        frequency = Counter(token for count in counts for token in count)
        least = settings.min_documents if len(corpus) >= _LARGE_CORPUS else 1
        vocabulary = sorted(token for token, documents in frequency.items() if documents >= least)
        rarity = np.array(
            [1.0 + math.log((1 + len(corpus)) / (1 + frequency[token])) for token in vocabulary],
            dtype=np.float32,
        )
        encoder = cls(vocabulary, rarity, None)
        if len(corpus) >= _TINY_CORPUS and len(vocabulary) > settings.dimensions:
            encoder._directions = _directions(encoder._matrix(counts), settings)
        return encoder

    @property
    def dimensions(self) -> int:
        """Width d of the vectors."""
        if self._directions is not None:
            return int(self._directions.shape[1])
        return max(1, len(self._columns))

    def encode(self, items: Sequence[Query]) -> Vectors:
        """Encode nodes and texts, see ``Encoder.encode``."""
        rows = np.zeros((len(items), self.dimensions), dtype=np.float32)
        for row, item in enumerate(items):
            columns, weights = self._weights(Counter(item_tokens(item)))
            if self._directions is None:
                rows[row, columns] = weights
            elif len(columns):
                rows[row] = weights @ self._directions[columns]
        return unit_rows(rows)

    def save(self, folder: Path) -> None:
        """Write the encoder as JSON and NumPy's own formats, in place of one that was there.

        Args:
            folder: Made if it is missing.

        Raises:
            StorageError: It cannot be written.
        """
        header = {"format": _FORMAT, "vocabulary": list(self._columns)}
        with writing(folder / _WEIGHTS) as path, path.open("wb") as file:
            (folder / _HEADER).unlink(missing_ok=True)  # without it the rest counts for nothing
            np.savez(file, rarity=self._rarity)
        (folder / _DIRECTIONS).unlink(missing_ok=True)
        if self._directions is not None:
            with writing(folder / _DIRECTIONS) as path, path.open("wb") as file:
                np.save(file, self._directions, allow_pickle=False)
        with writing(folder / _HEADER) as path:
            path.write_bytes(orjson.dumps(header))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read an encoder that was saved; the directions stay on disk until a query needs them.

        Args:
            folder: Where ``save`` wrote it.

        Raises:
            StorageError: There is none, it is damaged, or another version wrote it.
        """
        with reading(folder):
            header = orjson.loads((folder / _HEADER).read_bytes())
            if header["format"] != _FORMAT:
                raise ValueError(f"format {header['format']}, not {_FORMAT}")
            with np.load(folder / _WEIGHTS, allow_pickle=False) as arrays:
                rarity = arrays["rarity"]
            path = folder / _DIRECTIONS
            directions = np.load(path, mmap_mode="r", allow_pickle=False) if path.exists() else None
            vocabulary = [str(token) for token in header["vocabulary"]]
            _require_matching(vocabulary, rarity, directions)
        return cls(vocabulary, rarity, directions)

    def _weights(self, counts: Counter[str]) -> tuple[NDArray[np.intp], Vectors]:
        """The columns of an item, ascending, and its TF-IDF weights, a unit vector."""
        known = {self._columns[t]: n for t, n in counts.items() if t in self._columns}
        columns = np.array(sorted(known), dtype=np.intp)
        frequencies = np.array([known[column] for column in columns.tolist()], dtype=np.float32)
        weights = (1.0 + np.log(frequencies)) * self._rarity[columns]
        length = np.linalg.norm(weights)
        return columns, (weights / length if length else weights).astype(np.float32)

    def _matrix(self, counts: Iterable[Counter[str]]) -> Any:
        """The weights of all items, a sparse matrix of shape (n, vocabulary)."""
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

        rows = [self._weights(count) for count in counts]
        ends = np.cumsum([0, *(len(columns) for columns, _ in rows)])
        columns = np.concatenate([columns for columns, _ in rows]).astype(np.int32)
        weights = np.concatenate([weights for _, weights in rows])
        return csr_matrix((weights, columns, ends), shape=(len(rows), len(self._columns)))


def _directions(weights: Any, settings: EncoderSettings) -> Vectors:
    """The right singular vectors of the largest singular values, one a column."""
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    count, vocabulary = weights.shape
    width = min(settings.dimensions, count - 1, vocabulary - 1)
    # One thread: sums in a fixed order, and no waiting for cores that others use.
    with threadpool_limits(limits=1):
        _, _, rows = randomized_svd(weights, width, n_iter=_ITERATIONS, random_state=settings.seed)
    return np.ascontiguousarray(rows.T, dtype=np.float32)


def _require_matching(vocabulary: Sequence[str], rarity: Any, directions: Any) -> None:
    if rarity.shape != (len(vocabulary),):
        raise ValueError(f"{len(vocabulary)} tokens, but weights of shape {rarity.shape}")
    if directions is not None and (directions.ndim != 2 or len(directions) != len(vocabulary)):
        raise ValueError(f"{len(vocabulary)} tokens, but directions of shape {directions.shape}")
