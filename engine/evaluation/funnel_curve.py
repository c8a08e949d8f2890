"""What the funnel costs beside a flat search, from a thousand nodes to a million.

Up to the size of the library the nodes are a random part of it. Beyond it they are synthetic:
copies of its vectors with seeded noise, which keeps the clusters of the real ones and fills them
more densely. The queries are nodes of the library with noise, so that none is indexed as it is.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.model import Frozen
from engine.retrieval.funnel import Funnel
from engine.retrieval.index import VectorIndex, Vectors
from engine.settings import Settings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import cluster_nodes
from engine.trees.clustering import unit
from engine.trees.schedule import funnel_widths
from verifier.errors import InputError

SIZES: Final = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUERIES: Final = 200
NEAREST: Final = 10
COPY_NOISE: Final = 0.3
"""Length of the noise of a synthetic node, in lengths of the vector: a cosine of 0.96 with the
node that it copies, a near relative."""
QUERY_NOISE: Final = 0.5
"""Length of the noise of a query: a cosine of 0.89 with the node that it was made from."""
_CHUNK: Final = 65_536

Progress = Callable[[str], None]


class CurvePoint(Frozen):
    """The figures of one size; times in seconds, of a query the median.

    Attributes:
        nodes: Number N of nodes that were searched.
        synthetic: How many of them are synthetic.
        clusters: K_1..K_n, leaves first.
        widths: k_1..k_n, roots first.
        build: Time to cluster.
        funnel_comparisons: Mean number of cosines of a search through T_C.
        flat_comparisons: The same of a flat search, N.
        funnel_query: Time of a search through T_C.
        flat_query: Time of a flat search with faiss.
        recall: Mean share of the ten nearest nodes of the flat search that the funnel found.
    """

    nodes: int
    synthetic: int
    clusters: tuple[int, ...]
    widths: tuple[int, ...]
    build: float
    funnel_comparisons: float
    flat_comparisons: int
    funnel_query: float
    flat_query: float
    recall: float


class CurveFigures(Frozen):
    """The cost curve of the funnel.

    Attributes:
        library: Number of real vectors; larger sizes are filled up with synthetic ones.
        dimensions: Width d of the vectors.
        queries: Searches a size.
        points: One a size.
    """

    library: int
    dimensions: int
    queries: int
    points: tuple[CurvePoint, ...]

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return self.model_dump(mode="json")


def measure_curve(
    vectors: Vectors,
    sizes: Sequence[int] = SIZES,
    settings: Settings | None = None,
    progress: Progress = lambda _: None,
    *,
    queries: int = QUERIES,
) -> CurveFigures:
    """Measure the funnel and the flat search at several sizes.

    Args:
        vectors: Shape (N, d), float32, unit rows: the library as its encoder sees it.
        sizes: Numbers of nodes, each at least 1.
        settings: Shape of T_C and of the funnel.
        progress: Told what is measured next.
        queries: Searches a size.

    Raises:
        InputError: There are no vectors, or a size or the number of queries is below 1.
    """
    settings = settings or Settings()
    if len(vectors) == 0 or min(queries, *sizes, queries) < 1:
        raise InputError(
            "a cost curve needs vectors, and sizes of at least 1", "ingest a library first"
        )
    generator = np.random.default_rng(settings.abstraction.seed)
    asked = vectors[generator.choice(len(vectors), queries)]
    noisy = _with_noise(asked, QUERY_NOISE, generator)
    points = []
    for size in sizes:
        progress(f"{size:,} nodes")
        points.append(_measure(vectors, noisy, size, settings))
    return CurveFigures(
        library=len(vectors),
        dimensions=vectors.shape[1],
        queries=queries,
        points=tuple(points),
    )


def grown(vectors: Vectors, size: int, seed: int) -> Vectors:
    """So many vectors: a random part of the real ones, or all of them and synthetic ones.

    Args:
        vectors: Shape (N, d), float32, unit rows.
        size: How many are wanted.
        seed: Seed of the choice and of the noise.

    Returns:
        Shape (size, d), float32; real ones first.
    """
    generator = np.random.default_rng((seed, size))
    if size <= len(vectors):
        return vectors[np.sort(generator.choice(len(vectors), size, replace=False))]
    filled = np.empty((size, vectors.shape[1]), dtype=np.float32)
    filled[: len(vectors)] = vectors
    for start in range(len(vectors), size, _CHUNK):
        end = min(size, start + _CHUNK)
        originals = vectors[generator.choice(len(vectors), end - start)]
        filled[start:end] = _with_noise(originals, COPY_NOISE, generator)
    return filled


@dataclass(frozen=True)
class _Search:
    """The outcomes of one way to search: rows found, seconds and cosines of each query."""

    found: list[frozenset[int]]
    seconds: list[float]
    comparisons: list[int]


def _measure(vectors: Vectors, queries: Vectors, size: int, settings: Settings) -> CurvePoint:
    nodes = grown(vectors, size, settings.abstraction.seed)
    index = VectorIndex([f"{row:09}" for row in range(size)], nodes)
    del nodes
    started = time.perf_counter()
    tree = cluster_nodes(index.names, index.vectors, settings.abstraction)
    build = time.perf_counter() - started
    widths = funnel_widths(size, len(tree.levels[0]), tree.depth, settings.funnel)
    flat = _flat(index, queries)
    funnel = _funnel(tree, index, widths, queries)
    pairs = zip(flat.found, funnel.found, strict=True)
    return CurvePoint(
        nodes=size,
        synthetic=max(0, size - len(vectors)),
        clusters=tuple(len(level) for level in tree.levels),
        widths=widths,
        build=build,
        funnel_comparisons=statistics.fmean(funnel.comparisons),
        flat_comparisons=size,
        funnel_query=statistics.median(funnel.seconds),
        flat_query=statistics.median(flat.seconds),
        recall=statistics.fmean(len(near & found) / len(near) for near, found in pairs),
    )


def _flat(index: VectorIndex, queries: Vectors) -> _Search:
    search = _Search([], [], [])
    index.nearest_rows(queries[0], NEAREST)  # the first search pays for the start of faiss
    for query in queries:
        started = time.perf_counter()
        rows, _ = index.nearest_rows(query, NEAREST)
        search.seconds.append(time.perf_counter() - started)
        search.found.append(frozenset(rows.tolist()))
        search.comparisons.append(len(index))
    return search


def _funnel(
    tree: AbstractionTree, index: VectorIndex, widths: Sequence[int], queries: Vectors
) -> _Search:
    funnel = Funnel(tree, index.vectors, [level.centroids for level in tree.levels], widths)
    search = _Search([], [], [])
    funnel.descend(queries[0], NEAREST)  # the first search sorts the leaves by cluster
    for query in queries:
        started = time.perf_counter()
        descent = funnel.descend(query, NEAREST)
        search.seconds.append(time.perf_counter() - started)
        search.found.append(frozenset(descent.rows.tolist()))
        search.comparisons.append(descent.comparisons)
    return search


def _with_noise(vectors: Vectors, length: float, generator: np.random.Generator) -> Vectors:
    noise = generator.standard_normal(vectors.shape, dtype=np.float32)
    return unit(vectors + length * unit(noise))
