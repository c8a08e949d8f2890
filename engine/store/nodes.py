"""Method nodes, the contributions between them, and the aliases of merged nodes."""

from __future__ import annotations

from typing import Any

from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.store.audit import AuditTrail
from engine.store.database import decode_model, encode_model
from engine.store.records import Alias
from verifier.errors import InputError

_NOT_FOUND_HINT = "search for it with `lemmata search`, or read its source with `lemmata ingest`"


class NodeTable(AuditTrail):
    """The part of the store that holds the nodes and edges of T_M."""

    def upsert_node(self, node: MethodNode) -> MethodNode:
        """Write a node, replacing what was stored under its id.

        A node that was merged into another one is not written again. Whatever makes, changes or
        ends a claim of truth goes into the audit chain.

        Returns:
            The node now stored: this one, or the one that it was merged into.

        Raises:
            InputError: The node's text is no Unicode.
            StorageError: It could not be written.
        """
        with self.transaction():
            known = self.find_node(node.id)
            if known is not None and known.id != node.id:
                return known
            self._write(
                "INSERT INTO nodes (id, body, updated) VALUES (?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET body = excluded.body, updated = excluded.updated",
                node.id,
                encode_model(node),
                self._now(),
            )
            self._audit_label(node, known.label if known else None)
            return node

    def node(self, node_id: str) -> MethodNode:
        """The node of this id, or the one that it was merged into.

        Raises:
            InputError: There is no such node.
        """
        found = self.find_node(node_id)
        if found is None:
            raise InputError(f"there is no node {node_id!r}", _NOT_FOUND_HINT)
        return found

    def find_node(self, node_id: str) -> MethodNode | None:
        """Like ``node``, with ``None`` for a node that does not exist."""
        rows = self._rows("SELECT body FROM nodes WHERE id = ?", self.resolve(node_id))
        return decode_model(MethodNode, rows[0][0]) if rows else None

    def nodes(
        self,
        *,
        label: Label | None = None,
        module: str | None = None,
        kind: NodeKind | None = None,
        name: str | None = None,
    ) -> list[MethodNode]:
        """The nodes that satisfy every given filter, by id.

        Args:
            label: Standing.
            module: Lean module, exactly.
            kind: What the node is.
            name: Lean declaration; several modules may have one of this name.
        """
        wanted = {"label": label, "module": module, "kind": kind, "name": name}
        given = {column: str(value) for column, value in wanted.items() if value is not None}
        # Column names come from the line above, never from a caller.
        where = " AND ".join(f"{column} = ?" for column in given) or "1"
        rows = self._rows(f"SELECT body FROM nodes WHERE {where} ORDER BY id", *given.values())
        return [decode_model(MethodNode, row[0]) for row in rows]

    def add_contribution(self, contribution: Contribution) -> Contribution:
        """Write an edge, replacing what was stored between its ends.

        Returns:
            The edge as stored: its ends are the nodes that merged ends stand for.

        Raises:
            InputError: An end does not exist (a fabricated citation), or both are one node.
        """
        with self.transaction():
            edge = contribution.model_copy(
                update={
                    "parent": self._existing(contribution.parent),
                    "child": self._existing(contribution.child),
                }
            )
            if edge.parent == edge.child:
                raise InputError(
                    f"{edge.child!r} cannot be its own parent", "name the node that it came from"
                )
            self._write(
                "INSERT OR REPLACE INTO contributions VALUES (?, ?, ?, ?, ?, ?)",
                *_edge_values(edge),
            )
            return edge

    def remove_contribution(self, parent: str, child: str) -> None:
        """Take an edge away, as from a lemma that is proved without it now."""
        with self.transaction():
            self._write(
                "DELETE FROM contributions WHERE parent = ? AND child = ?",
                self.resolve(parent),
                self.resolve(child),
            )

    def contributions(self) -> list[Contribution]:
        """Every edge, by parent and child."""
        return self._edges("1")

    def contributions_of(self, node_id: str) -> list[Contribution]:
        """The edges that leave a node: what it contributed to."""
        return self._edges("parent = ?", self.resolve(node_id))

    def contributions_into(self, node_id: str) -> list[Contribution]:
        """The edges that enter a node: what contributed to it."""
        return self._edges("child = ?", self.resolve(node_id))

    def merge_node(self, alias: str, kept: str, reason: str) -> Alias:
        """Make one node an alias of another (paper: deduplication).

        The edges of the alias move to the kept node; where both have an edge, the larger weight
        stays. An alias that was never stored as a node is only noted.

        Raises:
            InputError: The kept node does not exist, both are one, or the alias is a lemma of
                the library, which must be retracted first.
        """
        with self.transaction():
            target = self._existing(kept)
            if self.resolve(alias) == target:
                raise InputError(
                    f"{alias!r} and {kept!r} are one node already", "name two different nodes"
                )
            if self._rows("SELECT 1 FROM lemmas WHERE node = ?", alias):
                raise InputError(
                    f"{alias!r} is a lemma of the library", "keep it, and merge the other one"
                )
            self._move_edges(alias, target)
            self._write("UPDATE candidates SET node = ? WHERE node = ?", target, alias)
            self._write("UPDATE aliases SET kept = ? WHERE kept = ?", target, alias)
            self._write(
                "INSERT OR REPLACE INTO aliases VALUES (?, ?, ?, ?)",
                alias,
                target,
                reason,
                self._now(),
            )
            self._write("DELETE FROM nodes WHERE id = ?", alias)
            self.audit("node.merged", alias, {"kept": target, "reason": reason})
            return Alias(alias=alias, kept=target, reason=reason)

    def resolve(self, node_id: str) -> str:
        """The id of the node that an alias stands for; any other id is its own answer."""
        rows = self._rows("SELECT kept FROM aliases WHERE alias = ?", node_id)
        return str(rows[0][0]) if rows else node_id

    def aliases(self, kept: str | None = None) -> list[Alias]:
        """All aliases, or those of one node."""
        rows = self._rows(
            "SELECT alias, kept, reason FROM aliases WHERE kept = coalesce(?, kept) ORDER BY alias",
            kept,
        )
        return [Alias(alias=alias, kept=to, reason=reason) for alias, to, reason in rows]

    def _existing(self, node_id: str) -> str:
        found = self.find_node(node_id)
        if found is None:
            raise InputError(f"there is no node {node_id!r} to refer to", _NOT_FOUND_HINT)
        return found.id

    def _edges(self, where: str, *values: Any) -> list[Contribution]:
        rows = self._rows(
            f"SELECT * FROM contributions WHERE {where} ORDER BY parent, child", *values
        )
        names = ("parent", "child", "rating", "explanation", "operator", "strength")
        return [Contribution.model_validate(dict(zip(names, row, strict=True))) for row in rows]

    def _move_edges(self, alias: str, target: str) -> None:
        moved = [
            edge.model_copy(
                update={
                    end: target if getattr(edge, end) == alias else getattr(edge, end)
                    for end in ("parent", "child")
                }
            )
            for edge in self._edges("parent = ? OR child = ?", alias, alias)
        ]
        self._write("DELETE FROM contributions WHERE parent = ?1 OR child = ?1", alias)
        for edge in moved:
            if edge.parent != edge.child:
                self._keep_heavier(edge)

    def _keep_heavier(self, edge: Contribution) -> None:
        self._write(
            "INSERT INTO contributions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (parent, child) "
            "DO UPDATE SET rating = excluded.rating, explanation = excluded.explanation, "
            "operator = excluded.operator, strength = excluded.strength "
            "WHERE (excluded.rating, excluded.strength) > (rating, strength)",
            *_edge_values(edge),
        )

    def _audit_label(self, node: MethodNode, before: Label | None) -> None:
        if node.label is before or (before is None and node.label is not Label.VERIFIED):
            return
        self.audit("node.labelled", node.id, {"before": before, "after": node.label})


def _edge_values(edge: Contribution) -> tuple[str, str, int, str, str, float]:
    fields = (edge.parent, edge.child, edge.rating, edge.explanation, edge.operator)
    return (*fields, edge.strength)
