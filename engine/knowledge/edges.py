"""The edges of T_M over libraries: evidence from the constants that each declaration mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from engine.knowledge.declarations import Declarations, Row
from engine.trees.evidence import EvidenceEdge, Shares, edge

_INSTANCE = "instance"


@dataclass
class Mentioned:
    """What is known of all declarations before an edge is rated.

    Attributes:
        ids: The node of each constant. mentions: How many declarations mention a constant.
        instances: Constants that are instances of classes. declarations: How many there are.
    """

    ids: dict[str, str] = field(default_factory=dict)
    mentions: Counter[str] = field(default_factory=Counter)
    instances: set[str] = field(default_factory=set)
    declarations: int = 0

    def add(self, row: Row) -> None:
        """Takes a declaration into account."""
        node = row.node
        name = node.name or ""
        self.ids.setdefault(name, node.id)
        self.mentions.update(row.mentions.keys())
        self.declarations += 1
        if _INSTANCE in node.attributes:
            self.instances.add(name)


def known_for(
    rows: Iterable[Row], declarations: Declarations, mentions: Mapping[str, int]
) -> Mentioned:
    """What must be known to rate the edges into a few declarations.

    Args:
        rows: The declarations.
        declarations: All of the knowledge base.
        mentions: How many declarations mention each constant, from the index.
    """
    constants = {constant for row in rows for constant in row.mentions}
    ids = declarations.ids_of(constants)
    nodes = declarations.nodes(ids.values())
    instances = {name for name, id_ in ids.items() if _INSTANCE in nodes[id_].attributes}
    return Mentioned(ids, Counter(mentions), instances, declarations.count())


def library_edges(
    rows: Iterable[Row], known: Mentioned, kept: Mapping[str, str]
) -> Iterator[EvidenceEdge]:
    """The edges into some declarations, from the constants that they mention.

    Args:
        rows: The declarations.
        known: All of the knowledge base.
        kept: For each alias the id of the node that stands for it.
    """
    shares = Shares(known.mentions, known.declarations)
    for row in rows:
        child = kept.get(row.node.id, row.node.id)
        is_theorem = row.node.lean_kind == "theorem"
        for constant, mention in row.mentions.items():
            parent = known.ids.get(constant)
            if parent is None:
                continue
            evidence = mention._replace(definition=not is_theorem)
            yield edge(
                kept.get(parent, parent),
                child,
                constant,
                evidence,
                shares,
                instance=constant in known.instances,
            )
