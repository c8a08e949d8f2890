"""Backtracking: from retrieved methods to those that they came from (paper: backtracking).

I_d(m) = prod_{l=1..d} min(1, w_l(m) + eps) along the primary-parent chain of T_M. The ancestor at
distance d is kept while I_d >= theta and d <= m. For a set M_q of retrieved nodes that is at most
m * |M_q| ancestors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from engine.model import Contribution, Frozen, Unit
from engine.settings import BacktrackingSettings
from engine.trees.provenance import Ancestry


class Ancestor(Frozen):
    """A node that a retrieved node descends from.

    Attributes:
        node: The ancestor.
        source: The retrieved node that it was reached from.
        depth: Distance d, in edges.
        influence: I_d, in [0, 1].
        chain: The edges from the retrieved node up to the ancestor.
    """

    node: str
    source: str
    depth: int = Field(ge=1)
    influence: Unit
    chain: tuple[Contribution, ...]


def influences(weights: Iterable[float], eps: float) -> Iterator[float]:
    """I_1, I_2, … for the weights w_1, w_2, … of a chain; they never grow.

    Args:
        weights: Each in [0, 1].
        eps: What is added to each weight before it is clamped to 1.
    """
    influence = 1.0
    for weight in weights:
        influence *= min(1.0, weight + eps)
        yield influence


def backtrack(
    tree: Ancestry, retrieved: Iterable[str], settings: BacktrackingSettings | None = None
) -> list[Ancestor]:
    """The ancestors of retrieved nodes that had enough influence on them.

    An ancestor that several nodes lead to is reported once, with its largest influence (of equal
    ones the nearest, then the smallest source). The retrieved nodes themselves are left out.

    Args:
        tree: T_M, or what was saved of it.
        retrieved: M_q, ids of nodes.
        settings: theta, depth m and eps.

    Returns:
        Most influential first; equal ones by depth and id.
    """
    settings = settings or BacktrackingSettings()
    sources = sorted(set(retrieved))
    best: dict[str, Ancestor] = {}
    for source in sources:
        for ancestor in _climb(tree, source, settings):
            known = best.get(ancestor.node)
            if known is None or _rank(ancestor) < _rank(known):
                best[ancestor.node] = ancestor
    for source in sources:
        best.pop(source, None)
    return sorted(best.values(), key=_rank)


def _climb(tree: Ancestry, source: str, settings: BacktrackingSettings) -> Iterator[Ancestor]:
    chain: Sequence[Contribution] = tree.ancestors(source, settings.depth)
    weights = (edge.weight for edge in chain)
    for depth, influence in enumerate(influences(weights, settings.eps), start=1):
        if influence < settings.theta:
            return
        yield Ancestor(
            node=chain[depth - 1].parent,
            source=source,
            depth=depth,
            influence=influence,
            chain=tuple(chain[:depth]),
        )


def _rank(ancestor: Ancestor) -> tuple[float, int, str, str]:
    return (-ancestor.influence, ancestor.depth, ancestor.node, ancestor.source)
