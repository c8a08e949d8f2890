"""The derivation chain of a node: its parents along T_M, with weights and explanations."""

from __future__ import annotations

from engine.model import MethodNode
from engine.store import Store
from engine.trees.provenance import ProvenanceTree, build_provenance


def chain_lines(store: Store, node_id: str) -> list[str]:
    """A node and its primary parents down to a root; supporting parents are listed beside them.

    Raises:
        InputError: There is no such node.
    """
    nodes = {n.id: n for n in store.nodes()}
    tree = build_provenance(nodes, store.contributions())
    lines = [_headline(store.node(node_id))]
    lines += _supporting(tree, node_id)
    for edge in tree.ancestors(node_id):
        lines.append(f"└─ w = {edge.weight:.2f}  {edge.explanation}")
        lines.append(f"   {_headline(nodes[edge.parent])}")
        lines += _supporting(tree, edge.parent)
    return lines


def _headline(node: MethodNode) -> str:
    where = ""
    if node.location is not None:
        where = f"  ({node.location.document}:{node.location.first_line})"
    return f"[{node.label}] {node.name} {node.statement}{where}"


def _supporting(tree: ProvenanceTree, node_id: str) -> list[str]:
    edges = sorted(tree.supporters(node_id), key=lambda e: (-e.weight, -e.strength))
    return [f"   also, w = {e.weight:.2f}: {e.explanation}" for e in edges]
