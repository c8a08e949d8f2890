"""Exact nearest neighbours by cosine, with a fixed order of ties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from verifier.errors import InputError

Vectors = NDArray[np.float32]


class VectorIndex:
    """Named unit vectors.

    Args:
        names: Names, each once.
        vectors: Shape (len(names), d), float32, unit or zero rows.

    Raises:
        InputError: Names and vectors are not equally many.
    """

    def __init__(self, names: Sequence[str], vectors: Vectors) -> None:
        if len(names) != len(vectors):
            raise InputError(
                f"{len(names)} names came with {len(vectors)} vectors", "encode them once more"
            )
        order = sorted(range(len(names)), key=names.__getitem__)
        self._names = [names[index] for index in order]
        self._vectors = vectors[order]
        self._row = {name: row for row, name in enumerate(self._names)}

    def __len__(self) -> int:
        return len(self._names)

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
            InputError: k is below 1.
        """
        if k < 1:
            raise InputError(f"cannot search for {k} results", "ask for at least one")
        rows = np.arange(len(self)) if among is None else self._rows(among)
        cosines = self._vectors[rows] @ vector
        best = np.lexsort((rows, -cosines))[:k]
        return [(self._names[int(rows[place])], float(cosines[place])) for place in best]

    def _rows(self, names: Iterable[str]) -> NDArray[np.intp]:
        return np.array(sorted(self._row[name] for name in names), dtype=np.intp)
