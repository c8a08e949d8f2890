"""A cluster of the abstraction tree T_C."""

from __future__ import annotations

from pydantic import Field

from engine.model import Frozen


class Cluster(Frozen):
    """An inner node of T_C.

    Attributes:
        id: Derived from level and leaves, so equal clusters of two builds have one id.
        level: 1 directly above the method nodes, n at the roots.
        parent: The cluster of the next level that holds it; ``None`` at the roots.
        summary: s(c): dominant symbols and a typical statement.
        centroid: Mean of the unit vectors of its leaves, scaled to length 1; float32 values.
        size: Number of method nodes below it.
        members: Ids of the method nodes, sorted; only at level 1.
    """

    id: str
    level: int = Field(ge=1)
    parent: str | None
    summary: str
    centroid: tuple[float, ...]
    size: int = Field(ge=1)
    members: tuple[str, ...] = ()
