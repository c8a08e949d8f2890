"""A cluster of the abstraction tree T_C."""

from __future__ import annotations

from pydantic import Field

from engine.model import Frozen


class ClusterText(Frozen):
    """What a person reads about a cluster.

    Attributes:
        summary: s(c): one line, by default made of the other fields.
        symbols: The constants that set it apart, most telling first.
        namespace: The deepest namespace that most of its declarations share; may be empty.
        typical: Two or three of its most central statements, shortened.
    """

    summary: str = ""
    symbols: tuple[str, ...] = ()
    namespace: str = ""
    typical: tuple[str, ...] = ()


class Cluster(ClusterText):
    """An inner node of T_C, a view of one row of a level.

    Attributes:
        id: Derived from level and leaves when the cluster is first made; it stays while leaves
            come and go, and goes over to the cluster of the next build that it is most alike.
        level: 1 directly above the method nodes, n at the roots.
        parent: The cluster of the next level that holds it; ``None`` at the roots.
        centroid: Mean of the unit vectors of its leaves, scaled to length 1; float32 values.
        size: Number of method nodes below it.
        members: Ids of the method nodes, sorted; only at level 1.
    """

    id: str
    level: int = Field(ge=1)
    parent: str | None
    centroid: tuple[float, ...]
    size: int = Field(ge=1)
    members: tuple[str, ...] = ()
