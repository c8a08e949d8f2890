"""Which nodes say the same (paper: dedup, merge at cos(v(sum(m)), v(sum(m'))) >= tau).

Three stages, each more expensive than the one before:

1. equal canonical forms (:mod:`engine.trees.statement`), for all theorems;
2. theorems whose vectors have a cosine of at least tau and which mention the same constants: they
   may say the same, and no more than that;
3. of those, as many as a budget allows, are put to Lean: they are one where each follows from the
   other.

A cosine alone merges nothing, so that a theorem with a hypothesis fewer stays a theorem of its own.
Neither is a definition ever merged: its type says nothing of what it is.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.model import MethodNode, NodeKind
from engine.settings import DedupSettings
from verifier.errors import InputError
from verifier.progress import Progress, SilentProgress

Vectors = NDArray[np.float32]
Prove: TypeAlias = Callable[[MethodNode, MethodNode], bool]
"""Whether Lean proved each of two theorems from the other."""

_BLOCK: Final = 2_048  # rows compared at once
_CLAIM: Final = "theorem"


class Alias(NamedTuple):
    """A node that another stands for.

    Attributes:
        alias: Id of the node that was merged.
        kept: Id of the node that stays.
        reason: Why they are one.
    """

    alias: str
    kept: str
    reason: str


class Pair(NamedTuple):
    """Two nodes that look alike, by their places, the smaller first."""

    cosine: float
    one: int
    other: int


def duplicates(
    nodes: Sequence[MethodNode],
    vectors: Vectors,
    settings: DedupSettings | None = None,
    prove: Prove | None = None,
    progress: Progress | None = None,
) -> tuple[Alias, ...]:
    """The nodes that others stand for; the same ones in whatever order the nodes come.

    Args:
        nodes: Method nodes, each id once.
        vectors: v(sum(m)) of each, shape (len(nodes), d), unit rows.
        settings: tau, and how many pairs may be put to Lean.
        prove: Asks Lean; without it the first stage is the only one.
        progress: Told how many pairs were tried.

    Returns:
        By alias; no kept node is an alias.

    Raises:
        InputError: Nodes and vectors are not equally many.
    """
    if len(nodes) != len(vectors):
        raise InputError(
            f"{len(nodes)} nodes came with {len(vectors)} vectors", "encode the nodes once more"
        )
    settings = settings or DedupSettings()
    aliases = {alias.alias: alias for alias in same_statement(nodes)}
    if prove is not None and settings.proofs:
        order = sorted(
            (p for p, n in enumerate(nodes) if n.id not in aliases and _is_claim(n)),
            key=lambda place: nodes[place].id,
        )
        left = [nodes[place] for place in order]
        pairs = similar(left, vectors[order], settings)
        proved = _proved(left, pairs, prove, progress or SilentProgress())
        aliases |= {alias.alias: alias for alias in proved}
    return tuple(sorted(_followed(aliases)))


def same_statement(nodes: Iterable[MethodNode]) -> list[Alias]:
    """The theorems whose canonical form is that of another (stage 1)."""
    groups: defaultdict[tuple[str, int], list[MethodNode]] = defaultdict(list)
    for node in nodes:
        if node.canonical and _is_claim(node):
            groups[node.canonical, len(node.universes)].append(node)
    return [
        Alias(node.id, kept.id, _reason(node, kept))
        for group in groups.values()
        for kept in [min(group, key=preference)]
        for node in group
        if node.id != kept.id
    ]


def preference(node: MethodNode) -> tuple[bool, bool, bool, int, str, str]:
    """The key by which the node to keep comes first.

    What may be used as a premise, then what is not deprecated, then what every module can name,
    then the shortest name, then the first in the alphabet.
    """
    name = node.name or node.id
    return (
        not node.label.usable_as_premise,
        node.deprecated is not None,
        node.private,
        len(name),
        name,
        node.id,
    )


def similar(nodes: Sequence[MethodNode], vectors: Vectors, settings: DedupSettings) -> list[Pair]:
    """Pairs that look alike and mention the same constants (stage 2), the most alike first.

    Args:
        nodes: Theorems.
        vectors: Shape (len(nodes), d), unit rows.
        settings: tau, and how many pairs are wanted.
    """
    constants = _mentioned(nodes)
    # All pairs that pass are seen; only the best ones are remembered.
    return sorted(
        heapq.nsmallest(
            settings.proofs,
            (
                pair
                for pair in _near(vectors, settings.tau)
                if constants[pair.one] == constants[pair.other]
            ),
            key=_most_alike,
        ),
        key=_most_alike,
    )


def _near(vectors: Vectors, tau: float) -> Iterator[Pair]:
    """All pairs of rows with a cosine of at least tau, compared block by block."""
    for start in range(0, len(vectors), _BLOCK):
        rows = vectors[start : start + _BLOCK]
        for other in range(start, len(vectors), _BLOCK):
            cosines = rows @ vectors[other : other + _BLOCK].T
            for row, column in np.argwhere(cosines >= tau).tolist():
                if start + row < other + column:
                    yield Pair(float(cosines[row, column]), start + row, other + column)


def _mentioned(nodes: Sequence[MethodNode]) -> list[int]:
    """A number for each node, equal for two that mention the same constants."""
    numbers: dict[tuple[str, ...], int] = {}
    return [numbers.setdefault(node.symbols, len(numbers)) for node in nodes]


def _most_alike(pair: Pair) -> tuple[float, int, int]:
    return (-round(pair.cosine, 5), pair.one, pair.other)


def _proved(
    nodes: Sequence[MethodNode], pairs: Sequence[Pair], prove: Prove, progress: Progress
) -> list[Alias]:
    """The aliases that Lean has shown to be such (stage 3)."""
    stands: dict[str, MethodNode] = {}
    found: dict[str, Alias] = {}
    progress.stage("proving that likely duplicates are such", len(pairs))
    for pair in pairs:
        one, other = (stands.get(nodes[p].id, nodes[p]) for p in (pair.one, pair.other))
        progress.advance(1)
        if one.id == other.id or not prove(one, other):
            continue
        kept, alias = sorted((one, other), key=preference)
        found[alias.id] = Alias(alias.id, kept.id, "each follows from the other, proved by Lean")
        for id_, node in [*stands.items(), (alias.id, alias)]:
            if node.id == alias.id:
                stands[id_] = kept
    progress.done()
    return list(found.values())


def _followed(aliases: Mapping[str, Alias]) -> Iterator[Alias]:
    """The aliases, each to a node that is none itself."""
    for alias in aliases.values():
        kept = alias.kept
        while kept in aliases:
            kept = aliases[kept].kept
        yield alias._replace(kept=kept)


def _is_claim(node: MethodNode) -> bool:
    """Whether a statement is all that there is to a node; an axiom is not merged away."""
    return node.kind is NodeKind.THEOREM and node.lean_kind in (_CLAIM, "")


def _reason(node: MethodNode, kept: MethodNode) -> str:
    if node.deprecated is not None and kept.deprecated is None:
        return "a deprecated name of the same statement"
    if node.statement == kept.statement:
        return "the same statement"
    return "the same statement up to names, the order of its arguments and the sides of = and ↔"
