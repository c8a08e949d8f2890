"""Encoders: v(x), a unit vector for a method node or for the text of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from engine.model import MethodNode
from engine.retrieval.interface import Query
from engine.retrieval.shape import item_tokens
from engine.settings import EncoderSettings

if TYPE_CHECKING:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

Vectors = NDArray[np.float32]

_TINY_CORPUS: Final = 32  # below it the SVD would only rotate the few documents that there are


class Encoder(Protocol):
    """Turns nodes and query texts into vectors of one space."""

    def encode(self, items: Sequence[Query]) -> Vectors:
        """Encode nodes and texts.

        Args:
            items: n method nodes or texts.

        Returns:
            Shape (n, d), float32. A row has length 1, or 0 when the encoder knows nothing about
            the item; the dot product of two rows is their cosine.
        """
        ...


class StructuralEncoder:
    """The encoder that needs no model: symbols, subterm shapes and words.

    TF-IDF over the tokens of ``shape``, then a truncated SVD to d dimensions with
    d <= min(n, vocabulary) - 1. A corpus that is tiny, or whose vocabulary is small already,
    keeps its TF-IDF vectors. Made by ``fit``; the same corpus and seed give the same vectors.
    """

    def __init__(self, vectorizer: TfidfVectorizer | None, svd: TruncatedSVD | None) -> None:
        self._vectorizer = vectorizer
        self._svd = svd

    @classmethod
    def fit(cls, corpus: Sequence[MethodNode], settings: EncoderSettings | None = None) -> Self:
        """Learn vocabulary, weights and directions from a corpus.

        Args:
            corpus: The nodes that will be searched; may be empty.
            settings: Dimensions and seed.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer

        settings = settings or EncoderSettings()
        if not any(item_tokens(node) for node in corpus):
            return cls(None, None)
        vectorizer = TfidfVectorizer(analyzer=item_tokens, sublinear_tf=True)
        weights = vectorizer.fit_transform(corpus)
        return cls(vectorizer, _fit_svd(weights, settings))

    @property
    def dimensions(self) -> int:
        """Width d of the vectors."""
        if self._svd is not None:
            return int(self._svd.components_.shape[0])
        return max(1, len(self._vectorizer.vocabulary_)) if self._vectorizer is not None else 1

    def encode(self, items: Sequence[Query]) -> Vectors:
        """Encode nodes and texts, see ``Encoder.encode``."""
        if self._vectorizer is None or not items:
            return np.zeros((len(items), self.dimensions), dtype=np.float32)
        weights = self._vectorizer.transform(items)
        dense = weights.toarray() if self._svd is None else self._svd.transform(weights)
        return unit_rows(dense)


def unit_rows(vectors: NDArray[np.floating[Any]]) -> Vectors:
    """Rows scaled to length 1 as float32; a row of (almost) nothing becomes zero.

    Args:
        vectors: Shape (n, d).
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    known = lengths > 1e-9
    return np.where(known, vectors / np.where(known, lengths, 1.0), 0.0).astype(np.float32)


def _fit_svd(weights: Any, settings: EncoderSettings) -> TruncatedSVD | None:
    count, vocabulary = weights.shape
    if count < _TINY_CORPUS or vocabulary <= settings.dimensions:
        return None
    from sklearn.decomposition import TruncatedSVD

    width = min(settings.dimensions, count - 1, vocabulary - 1)
    return TruncatedSVD(n_components=width, random_state=settings.seed).fit(weights)
