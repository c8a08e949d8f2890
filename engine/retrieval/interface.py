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
        rank: Its place among the clusters that the step compared, from 1.
        among: How many clusters the step compared.
        cosine: Similarity cos(v(q), v(s(c))) of the query to it.
    """

    cluster: str
    level: int
    summary: str
    cosine: float
    rank: int = Field(default=1, ge=1)
    among: int = Field(default=1, ge=1)


class FunnelPath(Frozen):
    """The clusters that led to a hit, from a root down; empty for a search without T_C."""

    steps: tuple[FunnelStep, ...] = ()


class Hit(Frozen):
    """A node that was found.

    Attributes:
        score: By which the hits are ranked: the cosine of query and node, the BM25 score, or the
            fused score of two searches.
        path: The way down T_C, where there was one.
        why: What a person should know of how it was reached beside the path: the tokens that it
            shares with the query, or its ranks in the searches that were fused.
    """

    node: str
    score: float
    path: FunnelPath = FunnelPath()
    why: tuple[str, ...] = ()


class Retrieval(Frozen):
    """The outcome of a search.

    Attributes:
        hits: Best first; equal scores by node id.
        visits: Clusters of T_C that were opened.
        budget: The most that could have been, sum of k_t; 0 for a search without T_C.
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
