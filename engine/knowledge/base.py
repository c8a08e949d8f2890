"""A knowledge base on disk: all declarations of libraries, both trees over them, and searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal

from engine.knowledge.declarations import Declarations
from engine.knowledge.edges import Mentioned, known_for, library_edges
from engine.knowledge.index import Index
from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.retrieval.backtracking import Ancestor, backtrack
from engine.retrieval.flat import FlatRetriever
from engine.retrieval.funnel import FunnelRetriever
from engine.retrieval.hybrid import HybridRetriever
from engine.retrieval.index import VectorIndex, Vectors
from engine.retrieval.interface import Hit, Query, Retrieval, Retriever
from engine.settings import Settings
from engine.trees.abstraction import AbstractionTree
from engine.trees.cluster import Cluster
from engine.trees.growth import insert
from engine.trees.provenance import Edge, ProvenanceTree, as_contribution, build_provenance
from verifier.closing import Closing
from verifier.errors import InputError

Method = Literal["hybrid", "funnel", "flat", "bm25"]

TABLE = "declarations.db"
_FILTERED: int = 20
"""How many times as many hits are looked at where a filter leaves some out."""


@dataclass(frozen=True)
class Filter:
    """What hits may be; an empty field allows everything.

    Attributes:
        kind: Theorems or definitions only. module: A module, or the beginning of one.
        label: How a hit stands. deprecated: Whether deprecated declarations count.
    """

    kind: NodeKind | None = None
    module: str = ""
    label: Label | None = None
    deprecated: bool = False

    def admits(self, node: MethodNode) -> bool:
        """Whether a node may be a hit."""
        inside = node.module == self.module or node.module.startswith(f"{self.module}.")
        return (
            (self.kind is None or node.kind is self.kind)
            and (self.label is None or node.label is self.label)
            and (not self.module or inside)
            and (self.deprecated or node.deprecated is None)
        )


@dataclass(frozen=True)
class FoundNode:
    """A hit with its node.

    Attributes:
        aliases: Other names of the same statement.
    """

    hit: Hit
    node: MethodNode
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Search:
    """The outcome of a search.

    Attributes:
        found: Best first. ancestors: Kept by backtracking along T_M, I_d >= theta.
        retrieval: Visits, budget and comparisons; its hits are those before the filter.
    """

    found: tuple[FoundNode, ...]
    ancestors: tuple[tuple[Ancestor, MethodNode], ...]
    retrieval: Retrieval


class KnowledgeBase(Closing):
    """The declarations that were read, with the index over them.

    Args:
        folder: Where it lies.
        settings: Funnel and backtracking.
        extra: Nodes that are searched as well: the lemmas of a library, say. They are worked
            into T_C in memory.

    Raises:
        InputError: There is no knowledge base.
    """

    def __init__(self, folder: Path, settings: Settings, extra: Sequence[MethodNode] = ()) -> None:
        self.index = Index(folder / "index")
        if not self.index.exists:
            raise InputError(
                f"there is no knowledge base in {folder}", "Make it with `lemmata ingest`."
            )
        self._settings = settings
        self._extra = {n.id: n for n in extra if n.id not in self.index.rows}
        self.declarations = Declarations(folder / TABLE)

    def close(self) -> None:
        """Close the database."""
        self.declarations.close()

    @cached_property
    def vectors(self) -> VectorIndex:
        """The vectors of all that is searched."""
        if not self._extra:
            return self.index.vectors
        return self.index.vectors.added(list(self._extra), self._extra_vectors)

    @cached_property
    def tree(self) -> AbstractionTree:
        """T_C over all that is searched."""
        if not self._extra:
            return self.index.tree
        return insert(self.index.tree, list(self._extra), self._extra_vectors)

    def retriever(self, method: Method) -> Retriever:
        """One of the searches; all of them see the same nodes."""
        encoder = self.index.encoder
        if method == "flat":
            return FlatRetriever(self.vectors, encoder)
        if method == "bm25":
            lexical = self.index.lexical
            return lexical.beside(self._extra.values()) if self._extra else lexical
        funnel = FunnelRetriever(self.tree, self.vectors, encoder, self._settings.funnel)
        if method == "funnel":
            return funnel
        return HybridRetriever({"funnel": funnel, "BM25": self.retriever("bm25")})

    def nodes(self, ids: Sequence[str]) -> dict[str, MethodNode]:
        """The nodes of some ids."""
        return {
            **self.declarations.nodes(ids),
            **{id_: self._extra[id_] for id_ in ids if id_ in self._extra},
        }

    def search(
        self, query: Query, k: int, method: Method = "hybrid", wanted: Filter | None = None
    ) -> Search:
        """The best k nodes that a filter admits, with their ancestors.

        A query that is the very name of a declaration finds that first.

        Raises:
            InputError: k is below 1.
        """
        wanted = wanted or Filter(deprecated=True)
        wide = k if wanted == Filter(deprecated=True) else k * _FILTERED
        retrieval = self.retriever(method).search(query, wide)
        named = self._named(query)
        hits = [*named, *(h for h in retrieval.hits if h.node not in {n.node for n in named})]
        nodes = self.nodes([hit.node for hit in hits])
        admitted = [hit for hit in hits if wanted.admits(nodes[hit.node])][:k]
        found = tuple(
            FoundNode(hit, nodes[hit.node], self._aliases.get(hit.node, ())) for hit in admitted
        )
        return Search(found, self._ancestors([hit.node for hit in admitted]), retrieval)

    def kept(self, node_id: str) -> str:
        """The node that stands for a node: itself, unless it is an alias."""
        alias = self.index.aliases.get(node_id)
        return alias.kept if alias is not None else node_id

    def path(self, node_id: str) -> tuple[Cluster, ...]:
        """The clusters of T_C above a node, the root first; none for a node that is no leaf."""
        row = self.vectors.row.get(node_id)
        if row is None:
            return ()
        level = self.tree.levels[0]
        return self.tree.path(level.ids[int(self.tree.home[row])])

    def contributions_into(self, node_id: str) -> list[Contribution]:
        """All edges of T_M into a declaration that was read, the heaviest first."""
        number = self.index.rows.get(node_id)
        rows = [row for _, row in self.declarations.rows([number])] if number is not None else []
        known = known_for(rows, self.declarations, self.index.mentions)
        stands = {alias.alias: alias.kept for alias in self.index.aliases.values()}
        edges: Iterator[Edge] = chain(
            library_edges(rows, known, stands), self.declarations.contributions([node_id])
        )
        found = [as_contribution(e) for e in edges if e.parent in self.vectors.row]
        return sorted(found, key=lambda e: (-e.rating, -e.strength, e.parent))

    def provenance(self, supporting: bool = False) -> ProvenanceTree:
        """T_M over what was read.

        Args:
            supporting: With the supporting edges, which are made anew from the evidence.
        """
        names = self.index.vectors.names
        if not supporting:
            above = (self.index.lineage.ancestors(name, 1) for name in names)
            return build_provenance(names, chain.from_iterable(above))
        known = Mentioned()
        for _, row in self.declarations.rows():
            known.add(row)
        stands = {alias.alias: alias.kept for alias in self.index.aliases.values()}
        rows = (row for _, row in self.declarations.rows())
        evidence = library_edges(rows, known, stands)
        return build_provenance(names, chain(evidence, self.declarations.contributions()))

    def _named(self, query: Query) -> list[Hit]:
        if not isinstance(query, str) or " " in query.strip():
            return []
        ids = [node.id for node in self.declarations.named(query.strip())]
        kept = dict.fromkeys(self.kept(id_) for id_ in ids)
        return [Hit(node=id_, score=1.0, why=("its name",)) for id_ in kept]

    def _ancestors(self, hits: Sequence[str]) -> tuple[tuple[Ancestor, MethodNode], ...]:
        kept = backtrack(self.index.lineage, hits, self._settings.backtracking)
        nodes = self.nodes([ancestor.node for ancestor in kept])
        return tuple((a, nodes[a.node]) for a in kept if a.node in nodes)

    @cached_property
    def _aliases(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for alias in self.index.aliases.values():
            found.setdefault(alias.kept, []).append(alias.alias.partition(":")[2])
        return {kept: tuple(sorted(names)) for kept, names in found.items()}

    @cached_property
    def _extra_vectors(self) -> Vectors:
        return self.index.encoder.encode(list(self._extra.values()))
