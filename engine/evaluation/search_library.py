"""The knowledge base of Init and Std with every retriever that a benchmark compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.evaluation.hint_search import MOST
from engine.evaluation.hints_bench import Finder
from engine.evaluation.premises import is_sought
from engine.evaluation.retrieval_bench import FETCHED, FLAT, FUNNEL, goal_of
from engine.knowledge.base import KnowledgeBase
from engine.model import MethodNode
from engine.retrieval.encoders.cache import VectorCache
from engine.retrieval.encoders.neural import NeuralEncoder
from engine.retrieval.flat import FlatRetriever
from engine.retrieval.index import VectorIndex, Vectors
from engine.retrieval.interface import Retriever
from engine.settings import Settings
from verifier.errors import InputError
from verifier.progress import Progress

LEXICAL = "BM25"
HYBRID = "hybrid"
NEURAL = "neural"
CACHE = "neural.db"


@dataclass(frozen=True)
class SearchLibrary:
    """What a benchmark searches.

    Attributes:
        nodes: All declarations, aliases included.
        stands: By the id of an alias, the node that is searched in its place.
        retrievers: By name, in the order of a report.
        missing: Retrievers that cannot run here, with the reason.
        vectors: Shape (N, d), what the flat search compares with.
    """

    nodes: tuple[MethodNode, ...]
    stands: Mapping[str, str]
    retrievers: Mapping[str, Retriever]
    missing: Mapping[str, str]
    vectors: Vectors


def open_library(base: Path, settings: Settings, neural: bool, progress: Progress) -> SearchLibrary:
    """Opens a knowledge base that ``lemmata ingest`` has made.

    Args:
        base: Its folder.
        settings: Of the funnel and of the neural encoder.
        neural: Whether the neural encoder is wanted; it encodes all nodes the first time.
        progress: Told of what takes long.

    Raises:
        InputError: There is no knowledge base.
    """
    with KnowledgeBase(base, settings) as knowledge:
        progress.stage("reading declarations", None)
        nodes = tuple(row.node for _, row in knowledge.declarations.rows())
        stands = {alias: entry.kept for alias, entry in knowledge.index.aliases.items()}
        retrievers: dict[str, Retriever] = {
            FLAT: knowledge.retriever("flat"),
            FUNNEL: knowledge.retriever("funnel"),
            LEXICAL: knowledge.retriever("bm25"),
            HYBRID: knowledge.retriever("hybrid"),
        }
        vectors = knowledge.vectors.vectors
    missing: dict[str, str] = {}
    if neural:
        try:
            searched = [node for node in nodes if node.id not in stands]
            retrievers[NEURAL] = _neural(searched, base / CACHE, settings, progress)
        except InputError as error:
            missing[NEURAL] = f"{error.message}; {error.hint}"
    return SearchLibrary(nodes, stands, retrievers, missing, vectors)


def _neural(
    nodes: Sequence[MethodNode], cache: Path, settings: Settings, progress: Progress
) -> FlatRetriever:
    """Flat search by the neural encoder."""
    encoder = NeuralEncoder(settings.neural, VectorCache(cache), progress)
    encoded = VectorIndex([node.id for node in nodes], encoder.encode(nodes))
    return FlatRetriever(encoded, NeuralEncoder(settings.neural))


def theorem_names(library: SearchLibrary) -> list[str]:
    """Names of the theorems that are searched."""
    return [
        node.name
        for node in library.nodes
        if node.name and is_sought(node) and node.id not in library.stands
    ]


def finder_of(library: SearchLibrary, name: str) -> Finder:
    """The theorems that a retriever finds for a goal, as hints.

    Raises:
        InputError: There is no retriever of that name.
    """
    if name not in library.retrievers:
        known = ", ".join(library.retrievers)
        raise InputError(f"there is no search called {name}", f"there are: {known}")
    retriever = library.retrievers[name]
    theorems = {n.id: n.name for n in library.nodes if n.name and is_sought(n)}

    def find(node: MethodNode, hidden: frozenset[str]) -> list[str]:
        hits = retriever.search(goal_of(node), FETCHED).hits
        names = (theorems.get(hit.node) for hit in hits)
        return [name for name in names if name is not None and name not in hidden][:MOST]

    return find
