"""A declaration of the knowledge base for a reader: what it says, and its place in both trees."""

from __future__ import annotations

from typing import Any

from engine.knowledge.base import KnowledgeBase
from engine.model import Binder, MethodNode

_SUPPORTING = 8  # parents beside the primary one that are shown
_BRACKETS = {
    "explicit": ("(", ")"),
    "implicit": ("{", "}"),
    "strict": ("⦃", "⦄"),
    "instance": ("[", "]"),
}


def declaration_lines(base: KnowledgeBase, node: MethodNode) -> list[str]:
    """All that the knowledge base has of a declaration, as lines of text."""
    lines = [f"{node.name} {node.statement}", f"label: {node.label}  kind: {node.lean_kind}"]
    if node.summary:
        lines.append(f"docstring: {node.summary}")
    if node.deprecated is not None:
        lines.append(f"deprecated: use {node.deprecated}" if node.deprecated else "deprecated")
    lines.append(f"module: {node.module}{_place(node)}")
    if node.attributes:
        lines.append(f"attributes: {', '.join(node.attributes)}")
    if node.universes:
        lines.append(f"universes: {', '.join(node.universes)}")
    if node.binders:
        lines.append(f"arguments: {', '.join(map(_binder, node.binders))}")
    if node.axioms:
        lines.append(f"axioms: {', '.join(node.axioms)}")
    if node.premises:
        lines.append(f"premises of the proof: {', '.join(node.premises)}")
    kept = base.kept(node.id)
    if kept != node.id:
        alias = base.index.aliases[node.id]
        lines.append(f"stands for: {kept.partition(':')[2]} ({alias.reason})")
    return [*lines, *_cluster_lines(base, kept), *_chain_lines(base, kept)]


def declaration_dict(base: KnowledgeBase, node: MethodNode) -> dict[str, Any]:
    """The declaration for JSON."""
    kept = base.kept(node.id)
    return {
        "node": node.model_dump(mode="json", exclude={"features"}),
        "kept": kept,
        "clusters": [
            c.model_dump(mode="json", exclude={"centroid", "members"}) for c in base.path(kept)
        ],
        "contributions": [
            {**edge.model_dump(mode="json"), "weight": edge.weight}
            for edge in base.contributions_into(kept)
        ],
        "ancestors": [
            {**edge.model_dump(mode="json"), "weight": edge.weight}
            for edge in base.index.lineage.ancestors(kept)
        ],
    }


def _place(node: MethodNode) -> str:
    if node.location is None:
        return ""
    return f" ({node.location.document}:{node.location.first_line})"


def _binder(binder: Binder) -> str:
    left, right = _BRACKETS[binder.style]
    return f"{left}{binder.name or '_'}: {binder.role}{right}"


def _cluster_lines(base: KnowledgeBase, node_id: str) -> list[str]:
    lines = ["place in T_C:"]
    for depth, cluster in enumerate(base.path(node_id)):
        summary = " ".join(cluster.summary.split())[:140]
        lines.append(f"  {'  ' * depth}{cluster.id[:8]}  {cluster.size} nodes  {summary}")
    return lines


def _chain_lines(base: KnowledgeBase, node_id: str) -> list[str]:
    chain = base.index.lineage.ancestors(node_id)
    nodes = base.nodes([edge.parent for edge in chain])
    lines = ["derivation chain along T_M:", *_supporting(base, node_id)]
    for edge in chain:
        parent = nodes.get(edge.parent)
        lines.append(f"  └─ w = {edge.weight:.2f}  {edge.explanation}")
        if parent is not None:
            lines.append(f"     {parent.name} {' '.join(parent.statement.split())}")
    return lines if chain else [*lines, "  a root"]


def _supporting(base: KnowledgeBase, node_id: str) -> list[str]:
    """The parents beside the primary one, as far as they carry weight."""
    primary = base.index.lineage.parent(node_id)
    edges = [e for e in base.contributions_into(node_id) if e.parent != primary and e.weight > 0]
    lines = [f"  also, w = {e.weight:.2f}: {e.explanation}" for e in edges[:_SUPPORTING]]
    left = len(edges) - len(lines)
    return [*lines, f"  and {left} more with --json"] if left else lines
