"""What every retriever takes and gives back."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from engine.model import Frozen, MethodNode

Query = MethodNode | str
"""A goal: a node, or text (a Lean statement or plain words)."""


class FunnelStep(Frozen):
    """One cluster on the way down T_C.

    Attributes:
        cosine: Similarity cos(v(q), v(s(c))) of the query to it.
    """

    cluster: str
    level: int
    summary: str
    cosine: float


class FunnelPath(Frozen):
    """The clusters that led to a hit, from a root down; empty for a flat search."""

    steps: tuple[FunnelStep, ...] = ()


class Hit(Frozen):
    """A node that was found.

    Attributes:
        score: Cosine of query and node.
    """

    node: str
    score: float
    path: FunnelPath = FunnelPath()


class Retrieval(Frozen):
    """The outcome of a search.

    Attributes:
        hits: Best first; equal scores by node id.
        visits: Clusters of T_C that were opened.
        budget: The most that could have been, sum of k_t; 0 for a flat search.
        comparisons: Cosines that were computed, of clusters and nodes.
    """

    hits: tuple[Hit, ...]
    visits: int = Field(default=0, ge=0)
    budget: int = Field(default=0, ge=0)
    comparisons: int = Field(default=0, ge=0)


class Retriever(Protocol):
    """Finds the nodes nearest to a query."""

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nearest nodes, or as many as there are.

        Raises:
            InputError: k is below 1.
        """
        ...
