"""Exact search over all nodes: the measure that the funnel is compared with."""

from __future__ import annotations

from collections.abc import Sequence

from engine.model import MethodNode
from engine.retrieval.encoder import Encoder
from engine.retrieval.index import VectorIndex
from engine.retrieval.interface import Hit, Query, Retrieval


class FlatRetriever:
    """Compares the query with every node.

    Args:
        nodes: What is searched.
        encoder: Encodes nodes and queries.
    """

    def __init__(self, nodes: Sequence[MethodNode], encoder: Encoder) -> None:
        self._encoder = encoder
        self._index = VectorIndex([node.id for node in nodes], encoder.encode(nodes))

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nearest nodes, see ``Retriever.search``."""
        found = self._index.nearest(self._encoder.encode([query])[0], k)
        return Retrieval(
            hits=tuple(Hit(node=node, score=cosine) for node, cosine in found),
            comparisons=len(self._index),
        )
