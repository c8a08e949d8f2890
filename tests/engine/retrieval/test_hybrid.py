from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from engine.retrieval.hybrid import HybridRetriever
from engine.retrieval.interface import FunnelPath, FunnelStep, Hit, Query, Retrieval
from verifier.errors import InputError

NOWHERE = FunnelPath()


@dataclass
class Ranked:
    """A retriever that ranks by heart."""

    nodes: str
    path: FunnelPath = NOWHERE
    why: tuple[str, ...] = ()
    asked: list[int] = field(default_factory=list)

    def search(self, query: Query, k: int) -> Retrieval:
        self.asked.append(k)
        hits = [Hit(node=node, score=9.0, path=self.path, why=self.why) for node in self.nodes[:k]]
        return Retrieval(hits=tuple(hits), visits=3, budget=4, comparisons=10)


def test_ranks_are_fused_by_their_reciprocals() -> None:
    hybrid = HybridRetriever({"one": Ranked("abc"), "two": Ranked("cxa")})
    hits = hybrid.search("q", 10).hits
    # a: 1/61 + 1/63, c: 1/63 + 1/61, then x and b, each once at rank 2.
    assert [hit.node for hit in hits] == ["a", "c", "b", "x"]
    assert hits[0].score == hits[1].score == pytest.approx(1 / 61 + 1 / 63)
    assert hits[2].score == hits[3].score == pytest.approx(1 / 62)


def test_a_hit_says_where_it_was_found_and_how() -> None:
    step = FunnelStep(cluster="c", level=1, summary="s", cosine=0.5)
    path = FunnelPath(steps=(step,))
    hybrid = HybridRetriever(
        {"vectors": Ranked("ab", path=path), "BM25": Ranked("zza", why=("word add",))}
    )
    hit = next(hit for hit in hybrid.search("q", 3).hits if hit.node == "a")
    assert hit.why == ("vectors rank 1", "BM25 rank 3", "word add") and hit.path == path


def test_each_search_is_read_deeply_enough_and_costs_are_added() -> None:
    first, second = Ranked("abc"), Ranked("abc")
    hybrid = HybridRetriever({"one": first, "two": second}, pool=20)
    assert len(hybrid.search("q", 2).hits) == 2
    found = hybrid.search("q", 50)
    assert first.asked == second.asked == [20, 50]
    assert (found.visits, found.budget, found.comparisons) == (6, 8, 20)


def test_what_cannot_be_fused() -> None:
    with pytest.raises(InputError, match="needs retrievers"):
        HybridRetriever({})
    with pytest.raises(InputError, match="at least 1"):
        HybridRetriever({"one": Ranked("a")}, pool=0)
    with pytest.raises(InputError, match="0 results"):
        HybridRetriever({"one": Ranked("a")}).search("q", 0)
