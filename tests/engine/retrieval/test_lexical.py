from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.model import MethodNode
from engine.retrieval.lexical import LexicalRetriever
from verifier.errors import InputError, StorageError


def test_rare_tokens_weigh_more_and_are_named_as_the_reason() -> None:
    lexical = LexicalRetriever.build(
        ["c", "a", "b", "d"],
        [["word add"], ["word add", "word comm"], ["word add"], ["word other"]],
    )
    hits = lexical.search("add comm", 4).hits
    assert [hit.node for hit in hits] == ["a", "b", "c"]
    assert hits[0].why == ("word comm", "word add") and hits[1].why == ("word add",)
    assert hits[1].score == hits[2].score < hits[0].score
    assert [hit.node for hit in lexical.search("add comm", 2).hits] == ["a", "b"]


def test_the_score_is_the_sum_of_what_the_tokens_give() -> None:
    lexical = LexicalRetriever.build(["a", "b"], [["word add", "word comm"], ["word add"]])

    def score(query: str) -> float:
        return {hit.node: hit.score for hit in lexical.search(query, 2).hits}["a"]

    assert score("add comm") == pytest.approx(score("add") + score("comm"))


def test_a_law_finds_itself_first(laws: list[MethodNode]) -> None:
    lexical = LexicalRetriever.of(laws[::-1])
    assert lexical.names == tuple(sorted(law.id for law in laws))
    for law in laws[::7]:
        found = lexical.search(law, 5)
        assert found.hits[0].node == law.id and found.comparisons == found.budget == 0


def test_a_query_that_shares_nothing_has_no_hits(laws: list[MethodNode]) -> None:
    assert LexicalRetriever.of(laws).search("qwertz", 3).hits == ()


@pytest.mark.parametrize("documents", [[], [[], []]])
def test_nothing_to_search(documents: list[list[str]], tmp_path: Path) -> None:
    lexical = LexicalRetriever.build(["a", "b"][: len(documents)], documents)
    assert lexical.search("add", 3).hits == ()
    lexical.save(tmp_path)
    back = LexicalRetriever.load(tmp_path)
    assert back.names == lexical.names and back.search("add", 3).hits == ()


def test_what_cannot_be_indexed_or_asked(laws: list[MethodNode]) -> None:
    with pytest.raises(InputError, match="1 names came with 2 documents"):
        LexicalRetriever.build(["a"], [["x"], ["y"]])
    with pytest.raises(InputError, match="twice"):
        LexicalRetriever.build(["a", "a"], [["x"], ["y"]])
    with pytest.raises(InputError, match="0 results"):
        LexicalRetriever.of(laws).search("add", 0)


def test_an_index_comes_back_as_it_was(laws: list[MethodNode], tmp_path: Path) -> None:
    lexical = LexicalRetriever.of(laws)
    lexical.save(tmp_path / "deep" / "lexical")
    back = LexicalRetriever.load(tmp_path / "deep" / "lexical")
    for query in (laws[3], "size of a join", "append"):
        assert back.search(query, 12) == lexical.search(query, 12)
    assert not list((tmp_path / "deep").rglob("*.pkl"))


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sets(st.integers(0, 44)), st.integers(0, 45))
def test_a_changed_index_ranks_like_one_made_from_nothing(
    laws: list[MethodNode], gone: set[int], built: int
) -> None:
    before = LexicalRetriever.of(laws[:built])
    removed = [laws[place].id for place in gone if place < built]
    after = before.changed(removed, laws[built:])
    left = [law for law in laws if law.id not in removed]
    fresh = LexicalRetriever.of(left)
    assert after.names == fresh.names
    for query in ("add a b = add b a", laws[0], "size"):
        assert after.search(query, 50) == fresh.search(query, 50)


def test_a_loaded_index_can_be_changed(laws: list[MethodNode], tmp_path: Path) -> None:
    LexicalRetriever.of(laws[:30]).save(tmp_path)
    after = LexicalRetriever.load(tmp_path).changed([laws[0].id], laws[30:])
    assert after.search(laws[40], 9) == LexicalRetriever.of(laws[1:]).search(laws[40], 9)
    with pytest.raises(InputError, match="twice"):
        after.changed([], laws[5:6])


def test_nodes_beside_an_index_are_scored_by_its_statistics(laws: list[MethodNode]) -> None:
    lexical = LexicalRetriever.of(laws)
    twin = laws[7].model_copy(update={"id": "Z:twin"})
    both = lexical.beside([twin])
    for query in (laws[7], "(a b : List) : add_List a b = add_List b a", "size plus"):
        alone = lexical.search(query, 50).hits
        found = {hit.node: hit for hit in both.search(query, 50).hits}
        assert [hit for hit in found.values() if hit.node != "Z:twin"] == list(alone[:49])
        assert ("Z:twin" in found) == (laws[7].id in found)
        if "Z:twin" in found:
            original = found[laws[7].id]
            assert found["Z:twin"].score == pytest.approx(original.score, rel=1e-5)
            assert found["Z:twin"].why == original.why
    assert [hit.node for hit in both.search(laws[7], 2).hits] in (
        [laws[7].id, "Z:twin"],
        ["Z:twin", laws[7].id],
    )
    with pytest.raises(InputError, match="0 results"):
        both.search("add", 0)


def test_nodes_beside_nothing_are_an_index(laws: list[MethodNode]) -> None:
    beside = LexicalRetriever.of([]).beside(laws)
    assert beside.search(laws[3], 5) == LexicalRetriever.of(laws).search(laws[3], 5)


def test_a_missing_or_mixed_index_is_an_error(laws: list[MethodNode], tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="could not be read"):
        LexicalRetriever.load(tmp_path)
    LexicalRetriever.of(laws).save(tmp_path / "all")
    LexicalRetriever.of(laws[:9]).save(tmp_path / "some")
    (tmp_path / "some" / "names.json").replace(tmp_path / "all" / "names.json")
    with pytest.raises(StorageError, match="9 names, 45 documents"):
        LexicalRetriever.load(tmp_path / "all")
