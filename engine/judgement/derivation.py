"""Is the derivation of a candidate closed? The evidence for its consistency and explainability.

A node is closed when it is verified or assumed and its primary parent along T_M, if it has one, is
closed as well: nothing on the way to a root is a conjecture, refuted or retracted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.model import Label, MethodNode, Score
from engine.trees.provenance import Edge, build_provenance

UNATTRIBUTED = 0.5
"""Consistency of a candidate that names no ancestor: nothing speaks against it, nothing for it."""
SHOWN = 3


@dataclass(frozen=True)
class Chain:
    """The ancestors that a candidate reaches through the parents that it names.

    Attributes:
        nodes: How many there are, those that do not exist included.
        closed: How many of them are closed.
        missing: Named parents that do not exist.
        breaks: Ancestors that are neither verified nor assumed, with their labels.
    """

    nodes: int = 0
    closed: int = 0
    missing: tuple[str, ...] = ()
    breaks: tuple[tuple[str, Label], ...] = ()

    @property
    def share(self) -> float:
        """The share of the ancestors that is closed, in [0, 1]."""
        return self.closed / self.nodes if self.nodes else UNATTRIBUTED


class Derivations:
    """The ancestries of a moment: T_M with the label of every node.

    Args:
        nodes: All method nodes.
        edges: The contributions between them.
    """

    def __init__(self, nodes: Iterable[MethodNode], edges: Iterable[Edge]) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._tree = build_provenance(self._nodes, edges)

    def chain(self, parents: Sequence[str]) -> Chain:
        """What a candidate reaches through these parents.

        Args:
            parents: Ids of the nodes that it names.
        """
        missing = tuple(dict.fromkeys(p for p in parents if p not in self._nodes))
        reached = {node for parent in parents for node in self._ancestry(parent)}
        breaks = sorted(n for n in reached if not self._nodes[n].label.usable_as_premise)
        return Chain(
            nodes=len(reached) + len(missing),
            closed=sum(self._is_closed(node) for node in reached),
            missing=missing,
            breaks=tuple((self._name(n), self._nodes[n].label) for n in breaks),
        )

    def chain_of(self, node_id: str) -> Chain:
        """What a node of the store reaches through all its parents, supporting ones too."""
        primary = self._tree.parent(node_id)
        others = [edge.parent for edge in self._tree.supporters(node_id)]
        return self.chain([*([primary] if primary else []), *others])

    def _ancestry(self, node: str) -> list[str]:
        """A node with its primary ancestors, as far as it exists."""
        found = [node] if node in self._nodes else []
        while found and (parent := self._tree.parent(found[-1])):
            found.append(parent)
        return found

    def _is_closed(self, node: str) -> bool:
        return all(self._nodes[n].label.usable_as_premise for n in self._ancestry(node))

    def _name(self, node: str) -> str:
        return self._nodes[node].name or node


def consistency(chain: Chain) -> Score:
    """The score: the share of the derivation that is closed."""
    if not chain.nodes:
        return Score(value=chain.share, reason="It names no ancestor.")
    if chain.closed == chain.nodes:
        said = f"All {chain.nodes} ancestors are verified or assumed, down to their roots."
        one = "Its one ancestor is verified or assumed, down to its root."
        return Score(value=1.0, reason=one if chain.nodes == 1 else said)
    faults = [f"{name} does not exist" for name in chain.missing]
    faults += [f"{name} is {_standing(label)}" for name, label in chain.breaks]
    shown = ", ".join(faults[:SHOWN]) + (", …" if len(faults) > SHOWN else "")
    said = f"{chain.closed} of {chain.nodes} ancestors are true down to their roots: {shown}."
    return Score(value=chain.share, reason=said)


def _standing(label: Label) -> str:
    return "a conjecture" if label is Label.CONJECTURE else label.value
