"""Exact search over all nodes: the measure that the funnel is compared with."""

from __future__ import annotations

from engine.retrieval.encoders import Encoder
from engine.retrieval.index import VectorIndex
from engine.retrieval.interface import Hit, Query, Retrieval


class FlatRetriever:
    """Compares the query with every node.

    Args:
        index: The vectors of the nodes that are searched, by node id.
        encoder: The encoder that made them; encodes the queries.
    """

    def __init__(self, index: VectorIndex, encoder: Encoder) -> None:
        self._index = index
        self._encoder = encoder

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nearest nodes, see ``Retriever.search``."""
        found = self._index.nearest(self._encoder.encode([query])[0], k)
        return Retrieval(
            hits=tuple(Hit(node=node, score=cosine) for node, cosine in found),
            comparisons=len(self._index),
        )
