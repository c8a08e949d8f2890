"""A search as a reader sees it."""

from __future__ import annotations

from engine.knowledge.base import FoundNode, Search
from engine.knowledge.query import ReadQuery
from engine.model import Label, MethodNode, NodeKind
from engine.report.search import search_dict, search_lines, shared_token
from engine.retrieval.interface import FunnelPath, FunnelStep, Hit, Retrieval


def node(name: str, **more: object) -> MethodNode:
    return MethodNode(
        id=f"M:{name}", kind=NodeKind.THEOREM, name=name, statement=": a\n  = b",
        label=Label.ASSUMED, module="M", **more,
    )  # fmt: skip


def step(cluster: str, level: int) -> FunnelStep:
    return FunnelStep(cluster=cluster, level=level, summary=f"{cluster}: f — t", cosine=0.5)


def search(*found: FoundNode) -> Search:
    retrieval = Retrieval(hits=tuple(f.hit for f in found), visits=2, budget=4, comparisons=9)
    return Search(found, (), retrieval)


def test_a_hit_says_what_it_is_and_why_it_was_reached() -> None:
    path = FunnelPath(steps=(step("root", 2), step("leaf", 1)))
    why = ("funnel rank 1", "symbol add", "conclusion symbol add", "shape +(_,_)")
    hit = Hit(node="M:t", score=0.5, path=path, why=why)
    found = FoundNode(hit, node("t", attributes=("simp",), deprecated="u"), ("v",))
    text = "\n".join(search_lines(ReadQuery("q", "words"), search(found), 0.002, explain=False))
    assert "t  [assumed]  M  @[simp, deprecated: use u]" in text
    assert ": a = b" in text
    assert "funnel rank 1; shares add, +(_,_); in the cluster leaf: f" in text
    assert "also known as v" in text
    assert "1 hits in 2 ms, 9 vectors compared, 2 of at most 4 clusters opened" in text


def test_the_way_through_the_tree_is_told_once_for_all_hits() -> None:
    paths = [FunnelPath(steps=(step("root", 2), step(leaf, 1))) for leaf in ("one", "two", "one")]
    found = [
        FoundNode(Hit(node=f"M:{i}", score=0.5, path=path), node(str(i)))
        for i, path in enumerate(paths)
    ]
    lines = list(search_lines(ReadQuery("q", "goal"), search(*found), 0.0, explain=True))
    assert sum("root level 2" in line for line in lines) == 1
    (one,) = [line for line in lines if "one level 1" in line]
    assert one.endswith("-> hits 1, 3")


def test_nothing_found_and_a_remark() -> None:
    read = ReadQuery("q", "words", "Lean does not take it: it is odd")
    lines = list(search_lines(read, search(), 0.0, explain=True))
    assert lines[0] == "Searched as words. Lean does not take it: it is odd"
    assert lines[1] == "Nothing was found."
    assert search_dict(read, search(), 0.0)["hits"] == []


def test_tokens_are_told_from_other_reasons() -> None:
    assert shared_token("shape f(_)") == "f(_)"
    assert shared_token("conclusion symbol f") == "f"
    assert shared_token("BM25 rank 3") == ""
    assert shared_token("its name") == ""
