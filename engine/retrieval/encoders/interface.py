"""What every encoder does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.interface import Query

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Turns nodes and query texts into vectors of one space."""

    @property
    def dimensions(self) -> int:
        """Width d of the vectors."""
        ...

    def encode(self, items: Sequence[Query]) -> Vectors:
        """Encode nodes and texts.

        Args:
            items: n method nodes or texts.

        Returns:
            Shape (n, d), float32. A row has length 1, or 0 when the encoder knows nothing about
            the item; the dot product of two rows is their cosine.
        """
        ...


def unit_rows(vectors: NDArray[np.floating[Any]]) -> Vectors:
    """Rows scaled to length 1 as float32; a row of (almost) nothing becomes zero.

    Args:
        vectors: Shape (n, d).
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    known = lengths > 1e-9
    return np.where(known, vectors / np.where(known, lengths, 1.0), 0.0).astype(np.float32)
