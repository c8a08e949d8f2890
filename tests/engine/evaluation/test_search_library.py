"""The knowledge base as benchmarks see it: all searches, and hints from one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_library import definition, knowledge_base, theorem

from engine.evaluation import search_library
from engine.evaluation.hint_search import MOST
from engine.evaluation.retrieval_bench import FLAT, FUNNEL
from engine.evaluation.search_library import NEURAL, finder_of, open_library, theorem_names
from engine.settings import Settings
from verifier.errors import InputError
from verifier.progress import SilentProgress


def test_all_searches_see_the_same_nodes(base: Path) -> None:
    library = open_library(base, Settings(), False, SilentProgress())
    assert list(library.retrievers) == ["flat", "funnel", "BM25", "hybrid"]
    searched = {node.id for node in library.nodes} - set(library.stands)
    assert len(library.vectors) == len(searched)
    for retriever in library.retrievers.values():
        hits = {hit.node for hit in retriever.search("List.map length append", 10).hits}
        assert hits and hits <= searched


def test_a_neural_encoder_that_is_not_installed_is_said_to_be_missing(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object) -> None:
        raise InputError("the neural encoder is not installed", "pip install 'lemmata[neural]'")

    monkeypatch.setattr(search_library, "NeuralEncoder", absent)
    library = open_library(base, Settings(), True, SilentProgress())
    assert NEURAL not in library.retrievers
    assert "pip install" in library.missing[NEURAL]


def test_hints_are_theorems_that_are_not_hidden(tmp_path: Path) -> None:
    nodes = [
        *(theorem(f"List.t{n}", statement=f": List.length x = {n}") for n in range(40)),
        *(definition(f"List.d{n}", statement=": List.length x") for n in range(9)),
        theorem("List.i", statement=": List.length x", attributes=("instance",)),
    ]
    library = open_library(
        knowledge_base(tmp_path / "base", nodes), Settings(), False, SilentProgress()
    )
    assert set(theorem_names(library)) <= {f"List.t{n}" for n in range(40)}
    for search in (FLAT, FUNNEL):
        hints = finder_of(library, search)(nodes[3], frozenset({"List.t3", "List.t4"}))
        assert 0 < len(hints) <= MOST
        assert set(hints) <= set(theorem_names(library)) - {"List.t3", "List.t4"}


def test_an_unknown_search_is_refused(base: Path) -> None:
    library = open_library(base, Settings(), False, SilentProgress())
    with pytest.raises(InputError, match="no search called"):
        finder_of(library, "telepathy")
