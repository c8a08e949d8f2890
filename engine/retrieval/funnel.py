"""Funnel search down the abstraction tree T_C (paper: funnel retrieval).

Step t searches level n - t + 1 of T_C, the roots first: C_t are the k_t clusters among the
children of C_(t-1) with the largest cos(v(q), v(s(c))), where k_t = max(1, ceil(k_1 eta^(t-1))).
The method nodes below C_n are then ranked by cos(v(q), v(sum(m))).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.model import MethodNode
from engine.retrieval.encoder import Encoder
from engine.retrieval.index import VectorIndex, Vectors
from engine.retrieval.interface import FunnelPath, FunnelStep, Hit, Query, Retrieval
from engine.settings import FunnelSettings
from engine.trees.abstraction import AbstractionTree, funnel_schedule
from verifier.errors import InputError


class FunnelRetriever:
    """Opens at most sum(k_t) clusters of T_C, then ranks the nodes below the last ones.

    Args:
        tree: T_C over exactly these nodes.
        nodes: What is searched.
        encoder: Encodes nodes, cluster summaries and queries.
        settings: k_1 and eta.

    Raises:
        InputError: T_C was built over other nodes, or from another encoder's vectors.
    """

    def __init__(
        self,
        tree: AbstractionTree,
        nodes: Sequence[MethodNode],
        encoder: Encoder,
        settings: FunnelSettings | None = None,
    ) -> None:
        settings = settings or FunnelSettings()
        vectors = encoder.encode(nodes)
        _require_fitting(tree, nodes, vectors)
        self._tree = tree
        self._encoder = encoder
        self._widths = funnel_schedule(settings.k_1, settings.eta, tree.depth)
        self._nodes = VectorIndex([node.id for node in nodes], vectors)
        self._clusters = VectorIndex(
            [cluster.id for cluster in tree.clusters], _cluster_vectors(tree, encoder, settings)
        )

    @property
    def budget(self) -> int:
        """The most clusters that a search may open: sum of k_t."""
        return sum(self._widths)

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nearest nodes below the clusters that the funnel ends in.

        See ``Retriever.search``; each hit carries its path through T_C.
        """
        vector = self._encoder.encode([query])[0]
        cosines, last, comparisons = self._descend(vector)
        home = {leaf: cluster for cluster in last for leaf in self._tree.cluster(cluster).members}
        found = self._nodes.nearest(vector, k, among=home)
        return Retrieval(
            hits=tuple(
                Hit(node=node, score=cosine, path=self._path(home[node], cosines))
                for node, cosine in found
            ),
            visits=len(cosines),
            budget=self.budget,
            comparisons=comparisons + len(home),
        )

    def _descend(self, vector: Vectors) -> tuple[dict[str, float], list[str], int]:
        """Cosines of all opened clusters, the ids of C_n, and the number of cosines computed."""
        opened: dict[str, float] = {}
        chosen: list[str] = []
        comparisons = 0
        frontier = [cluster.id for cluster in self._tree.roots]
        for width in self._widths:
            best = self._clusters.nearest(vector, width, among=frontier)
            comparisons += len(frontier)
            opened.update(best)
            chosen = [cluster for cluster, _ in best]
            frontier = [child.id for parent in chosen for child in self._tree.children(parent)]
        return opened, chosen, comparisons

    def _path(self, cluster_id: str, cosines: Mapping[str, float]) -> FunnelPath:
        return FunnelPath(
            steps=tuple(
                FunnelStep(
                    cluster=cluster.id,
                    level=cluster.level,
                    summary=cluster.summary,
                    cosine=cosines[cluster.id],
                )
                for cluster in self._tree.path(cluster_id)
            )
        )


def _cluster_vectors(tree: AbstractionTree, encoder: Encoder, settings: FunnelSettings) -> Vectors:
    """What stands for v(s(c)), one row a cluster in the order of the tree."""
    if settings.cluster_vector == "summary" or not tree.clusters:
        return encoder.encode([cluster.summary for cluster in tree.clusters])
    return np.array([cluster.centroid for cluster in tree.clusters], dtype=np.float32)


def _require_fitting(tree: AbstractionTree, nodes: Sequence[MethodNode], vectors: Vectors) -> None:
    hint = "build it anew from these nodes and this encoder"
    leaves = {leaf for cluster in tree.level(1) for leaf in cluster.members}
    if leaves != {node.id for node in nodes}:
        raise InputError("the abstraction tree was built over other nodes", hint)
    if any(len(cluster.centroid) != vectors.shape[1] for cluster in tree.clusters):
        raise InputError("the abstraction tree was built from another encoder's vectors", hint)
