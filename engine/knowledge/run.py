"""What is known at a moment: the nodes, both trees over them, and retrieval by the funnel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.model import MethodNode
from engine.retrieval.backtracking import Ancestor, backtrack
from engine.retrieval.encoders import StructuralEncoder
from engine.retrieval.funnel import FunnelRetriever
from engine.retrieval.index import VectorIndex, Vectors
from engine.retrieval.interface import Query, Retrieval
from engine.settings import Settings
from engine.store import Store
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import build_abstraction
from engine.trees.provenance import ProvenanceTree, build_provenance


@dataclass(frozen=True)
class Retrieved:
    """The outcome of a query: hits through T_C, and the ancestors kept along T_M.

    Attributes:
        retrieval: Hits M_q with their paths, visits and budget.
        ancestors: Kept by backtracking, I_d >= theta.
    """

    retrieval: Retrieval
    ancestors: tuple[Ancestor, ...]

    @property
    def nodes(self) -> list[str]:
        """C_q: the hits, best first, then the ancestors that are no hits."""
        found = [hit.node for hit in self.retrieval.hits]
        return list(dict.fromkeys([*found, *(a.node for a in self.ancestors)]))


class Knowledge:
    """The trees over a set of nodes.

    Args:
        store: Nodes and contributions are read from it once.
        settings: Shapes of the trees and of the funnel.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        self._settings = settings
        self.nodes: Sequence[MethodNode] = store.nodes()
        self._edges = store.contributions()

    @cached_property
    def provenance(self) -> ProvenanceTree:
        """T_M over all nodes."""
        return build_provenance([n.id for n in self.nodes], self._edges)

    @cached_property
    def encoder(self) -> StructuralEncoder:
        """Fitted to the nodes."""
        return StructuralEncoder.fit(self.nodes, self._settings.encoder)

    @cached_property
    def abstraction(self) -> AbstractionTree:
        """T_C over all nodes."""
        return build_abstraction(self.nodes, self._vectors, self._settings.abstraction)

    @cached_property
    def _funnel(self) -> FunnelRetriever:
        index = VectorIndex([node.id for node in self.nodes], self._vectors)
        return FunnelRetriever(self.abstraction, index, self.encoder, self._settings.funnel)

    @cached_property
    def _vectors(self) -> Vectors:
        return self.encoder.encode(self.nodes)

    def retrieve(self, query: Query, k: int) -> Retrieved:
        """The nodes nearest to a query through the funnel, with their ancestors."""
        retrieval = self._funnel.search(query, k)
        hits = [hit.node for hit in retrieval.hits]
        ancestors = backtrack(self.provenance, hits, self._settings.backtracking)
        return Retrieved(retrieval, tuple(ancestors))
