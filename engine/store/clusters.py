"""The abstraction tree T_C at rest."""

from __future__ import annotations

import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable

from engine.store.nodes import NodeTable
from engine.trees.cluster import Cluster


class ClusterTable(NodeTable):
    """The part of the store that holds T_C."""

    def save_clusters(self, clusters: Iterable[Cluster]) -> None:
        """Replace the stored T_C by this one, all at once.

        Raises:
            StorageError: A member is no stored node, a parent is missing, or a write failed.
        """
        with self.transaction():
            self._write("DELETE FROM cluster_members")
            self._write("DELETE FROM clusters")
            for cluster in clusters:
                self._write(
                    "INSERT INTO clusters VALUES (?, ?, ?, ?, ?, ?)",
                    cluster.id,
                    cluster.level,
                    cluster.parent,
                    cluster.summary,
                    _to_blob(cluster.centroid),
                    cluster.size,
                )
                for node in cluster.members:
                    self._write("INSERT INTO cluster_members VALUES (?, ?)", node, cluster.id)

    def clusters(self) -> list[Cluster]:
        """The stored T_C, from the leaves up, each level by id; empty before the first build."""
        members: defaultdict[str, list[str]] = defaultdict(list)
        for node, cluster in self._rows("SELECT node, cluster FROM cluster_members ORDER BY node"):
            members[cluster].append(node)
        return [
            Cluster(
                id=cluster_id,
                level=level,
                parent=parent,
                summary=summary,
                centroid=_from_blob(centroid),
                size=size,
                members=tuple(members[cluster_id]),
            )
            for cluster_id, level, parent, summary, centroid, size in self._rows(
                "SELECT * FROM clusters ORDER BY level, id"
            )
        ]


def _to_blob(values: tuple[float, ...]) -> bytes:
    floats = array("f", values)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats.tobytes()


def _from_blob(blob: bytes) -> tuple[float, ...]:
    floats = array("f")
    floats.frombytes(blob)
    if sys.byteorder == "big":
        floats.byteswap()
    return tuple(floats)
