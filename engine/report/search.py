"""The outcome of a search for a reader: hits with their reasons, the way through both trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.knowledge.base import FoundNode, Search
from engine.knowledge.query import ReadQuery
from engine.model import MethodNode
from engine.retrieval.interface import FunnelStep

_WIDTH = 140  # characters of a statement in the list
_TOKENS = frozenset(
    {"word", "symbol", "name", "shape", "conclusion", "hypothesis", "typed", "argument", "class"}
)
_WORDS = {"words": "words", "term": "a Lean term", "goal": "a goal"}


def print_search(read: ReadQuery, search: Search, seconds: float, explain: bool) -> None:
    """Writes a search to standard output."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for line in search_lines(read, search, seconds, explain):
        console.print(line, markup=False)


def search_lines(read: ReadQuery, search: Search, seconds: float, explain: bool) -> Iterator[str]:
    """A search as lines of text; ``explain`` adds paths and ancestors."""
    if read.remark:
        yield f"Searched as words. {read.remark}"
    if not search.found:
        yield "Nothing was found."
    for place, found in enumerate(search.found, start=1):
        yield from _hit_lines(place, found)
    if explain:
        yield from _path_lines(search)
        yield from _ancestor_lines(search)
    yield _effort(read, search, seconds)


def search_dict(read: ReadQuery, search: Search, seconds: float) -> dict[str, Any]:
    """A search for JSON."""
    return {
        "read_as": read.kind,
        "remark": read.remark,
        "hits": [_hit_dict(found) for found in search.found],
        "ancestors": [
            {**_node_dict(node), **ancestor.model_dump(mode="json")}
            for ancestor, node in search.ancestors
        ],
        "visits": search.retrieval.visits,
        "budget": search.retrieval.budget,
        "comparisons": search.retrieval.comparisons,
        "seconds": round(seconds, 4),
    }


def _hit_lines(place: int, found: FoundNode) -> Iterator[str]:
    node = found.node
    marks = [*node.attributes, *(["private"] if node.private else [])]
    if node.deprecated is not None:
        marks.append(f"deprecated: use {node.deprecated}" if node.deprecated else "deprecated")
    shown = f"  @[{', '.join(marks)}]" if marks else ""
    yield f"{place:>2}  {node.name}  [{node.label}]  {_where(node)}{shown}"
    yield f"    {_one_line(node.statement)}"
    if node.summary:
        yield f"    {_one_line(node.summary)}"
    yield f"    {'; '.join(_reasons(found))}"
    if found.aliases:
        yield f"    also known as {', '.join(found.aliases)}"


def _where(node: MethodNode) -> str:
    if node.location is not None and node.location.first_line is not None:
        return f"{node.location.document}:{node.location.first_line}"
    return node.module


def _reasons(found: FoundNode) -> list[str]:
    """Why a hit was reached: ranks and the like, what it shares with the query, its cluster."""
    shared = [token for token in map(shared_token, found.hit.why) if token]
    reasons = [text for text in found.hit.why if not shared_token(text)]
    if shared:
        reasons.append(f"shares {', '.join(dict.fromkeys(shared))}")
    if found.hit.path.steps:
        last = found.hit.path.steps[-1]
        reasons.append(f"in the cluster {last.summary.partition(' — ')[0] or last.cluster}")
    return reasons or [f"score {found.hit.score:.2f}"]


def shared_token(text: str) -> str:
    """A token of :mod:`engine.retrieval.shape` as a reader writes it; empty for another text."""
    kind, _, rest = text.partition(" ")
    return rest.removeprefix("symbol ") if kind in _TOKENS else ""


def _path_lines(search: Search) -> Iterator[str]:
    """The clusters that led to the hits, each once, with the hits below the last ones."""
    steps: dict[tuple[str, ...], FunnelStep] = {}
    places: dict[tuple[str, ...], list[int]] = {}
    for place, found in enumerate(search.found, start=1):
        path: tuple[str, ...] = ()
        for step in found.hit.path.steps:
            path = (*path, step.cluster)
            steps.setdefault(path, step)
        if path:
            places.setdefault(path, []).append(place)
    if steps:
        yield "The way through T_C (rank among the clusters compared, cosine to the query):"
    for path in sorted(steps, key=lambda p: [(-steps[p[:i]].cosine, p[i - 1]) for i in _upto(p)]):
        below = ", ".join(map(str, places.get(path, ())))
        led = f"  -> hits {below}" if below else ""
        step = steps[path]
        told = f"rank {step.rank} of {step.among}, {step.cosine:.2f}: {_one_line(step.summary)}"
        yield f"  {'  ' * (len(path) - 1)}{step.cluster[:8]} level {step.level}, {told}{led}"


def _upto(path: tuple[str, ...]) -> range:
    return range(1, len(path) + 1)


def _ancestor_lines(search: Search) -> Iterator[str]:
    if search.ancestors:
        yield "Ancestors kept by backtracking (I_d, distance):"
    for ancestor, node in search.ancestors:
        statement = _one_line(node.statement)
        yield f"  {ancestor.influence:.2f}, {ancestor.depth}  {node.name}  {statement}"
        yield f"      {ancestor.chain[-1].explanation}"


def _effort(read: ReadQuery, search: Search, seconds: float) -> str:
    retrieval = search.retrieval
    visits = f", {retrieval.visits} of at most {retrieval.budget} clusters opened"
    return (
        f"Read as {_WORDS[read.kind]}; {len(search.found)} hits in {1000 * seconds:.0f} ms, "
        f"{retrieval.comparisons} vectors compared{visits if retrieval.budget else ''}."
    )


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _hit_dict(found: FoundNode) -> dict[str, Any]:
    return {
        **_node_dict(found.node),
        "score": found.hit.score,
        "why": list(found.hit.why),
        "path": [step.model_dump(mode="json") for step in found.hit.path.steps],
        "aliases": list(found.aliases),
    }


def _node_dict(node: MethodNode) -> dict[str, Any]:
    return {
        "id": node.id,
        "name": node.name,
        "kind": node.lean_kind or node.kind,
        "label": node.label,
        "module": node.module,
        "location": node.location.model_dump(mode="json") if node.location else None,
        "statement": node.statement,
        "docstring": node.summary,
        "attributes": list(node.attributes),
        "deprecated": node.deprecated,
    }
