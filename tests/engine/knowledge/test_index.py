"""The index over made-up libraries: built, extended, built again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.knowledge.base import Filter, KnowledgeBase
from engine.knowledge.index import Index, update_index
from engine.model import NodeKind
from engine.settings import AbstractionSettings, Settings
from verifier.errors import InputError, StorageError
from verifier.progress import SilentProgress


def update(declarations, settings: Settings, rebuild: bool = False):
    base = declarations.path.parent
    return update_index(base, declarations, settings, SilentProgress(), rebuild)


def index_of(declarations) -> Index:
    return Index(declarations.path.parent / "index")


@pytest.fixture
def filled(declarations, write, make_library):
    for module, rows in make_library().items():
        write(module, rows)
    return declarations


def leaves(index: Index) -> list[str]:
    return [leaf for cluster in index.tree.roots for leaf in index.tree.leaves(cluster.id)]


def test_a_first_build_and_a_second_look(filled, settings) -> None:
    first = update(filled, settings)
    assert (first.change, first.aliases) == ("rebuilt", 0)
    assert first.nodes == filled.count()

    second = update(filled, settings)
    assert (second.change, second.nodes) == ("unchanged", first.nodes)


def test_leaves_partition_the_nodes_and_t_m_is_acyclic(filled, settings) -> None:
    update(filled, settings)
    index = index_of(filled)

    assert sorted(leaves(index)) == sorted(filled.keys())
    for node in index.vectors.names:
        chain = index.lineage.ancestors(node)
        assert len({edge.parent for edge in chain} | {node}) == len(chain) + 1
    (edge,) = index.lineage.ancestors("Laws.map:map_sum", 1)
    assert edge.parent in ("Basic:map", "Basic:sum")
    assert "occurs" in edge.explanation


def test_two_builds_are_identical(filled, settings) -> None:
    update(filled, settings)
    first = {
        path.relative_to(filled.path.parent): path.read_bytes()
        for path in sorted((filled.path.parent / "index").rglob("*"))
        if path.is_file() and path.suffix != ".npz"
    }
    tree = index_of(filled).tree
    shutil.rmtree(filled.path.parent / "index")
    update(filled, settings)
    second = {name: (filled.path.parent / name).read_bytes() for name in first}

    assert first == second
    assert tree == index_of(filled).tree


def test_few_changes_are_worked_in(filled, write, settings, make_theorem) -> None:
    update(filled, settings)
    before = index_of(filled).tree
    module = "Laws.map"
    new = make_theorem(module, "new", "sum", "map", "append")
    write(module, [make_theorem(module, "map_map", "map", "map"), new])

    report = update(filled, settings)
    index = index_of(filled)

    assert report.change == "extended"
    assert sorted(leaves(index)) == sorted(filled.keys())
    assert "Laws.map:new" in leaves(index)
    assert "Laws.map:map_sum" not in leaves(index)
    kept = {cluster.id for cluster in before.clusters} & {c.id for c in index.tree.clusters}
    assert len(kept) >= 0.8 * len(index.tree.clusters)
    assert index.lexical.search("new", 1).hits[0].node == "Laws.map:new"
    assert index.lineage.ancestors("Laws.map:new", 1)
    assert update(filled, settings).change == "unchanged"


def test_growth_beyond_the_bound_builds_anew(filled, write, make_theorem) -> None:
    tight = Settings(abstraction=AbstractionSettings(growth=0.01, drift=1.0))
    update(filled, tight)
    write("New", [make_theorem("New", f"n{i}", *["sum"] * i, "map", "map") for i in range(2, 6)])
    assert update(filled, tight).change == "rebuilt"


def test_other_settings_build_anew(filled, settings) -> None:
    update(filled, settings)
    other = Settings(abstraction=AbstractionSettings(rounds=2))
    assert update(filled, other).change == "rebuilt"
    assert index_of(filled).tree.depth == 2


def test_a_parent_that_goes_away_is_replaced(filled, write, settings, make_constant) -> None:
    update(filled, settings)
    write("Basic", [make_constant("Basic", f) for f in ("append", "map")])
    update(filled, settings)
    index = index_of(filled)

    for node in index.vectors.names:
        for edge in index.lineage.ancestors(node):
            assert edge.parent in index.vectors.row
    (edge,) = index.lineage.ancestors("Laws.sum:sum_map", 1)
    assert edge.parent == "Basic:map"
    assert not index.lineage.ancestors("Laws.sum:sum_sum", 1)


def test_the_same_statement_twice_is_one_node(filled, write, settings, make_theorem) -> None:
    update(filled, settings)
    write("Copy", [make_theorem("Copy", "again", "map", "sum")])
    report = update(filled, settings)
    index = index_of(filled)

    assert report.aliases == 1
    assert index.aliases["Copy:again"].kept == "Laws.map:map_sum"
    assert "Copy:again" not in leaves(index)

    rebuilt = update(filled, settings, rebuild=True)
    assert (rebuilt.change, rebuilt.aliases) == ("rebuilt", 1)


def test_an_alias_outlives_the_node_that_it_stood_for(
    filled, write, settings, make_theorem
) -> None:
    write("Copy", [make_theorem("Copy", "long_name_again", "map", "sum")])
    update(filled, settings)
    assert "Copy:long_name_again" in index_of(filled).aliases
    filled.drop_modules(["Laws.map"])
    update(filled, settings)
    index = index_of(filled)

    assert not index.aliases
    assert "Copy:long_name_again" in leaves(index)
    assert sorted(leaves(index)) == sorted(filled.keys())


def test_a_statement_over_more_universes_is_another(filled, write, settings, make_theorem) -> None:
    update(filled, settings)
    write("Copy", [make_theorem("Copy", "again", "map", "sum", universes=1)])
    assert update(filled, settings).aliases == 0


def test_an_index_that_cannot_be_read_is_built_again(filled, settings) -> None:
    update(filled, settings)
    (filled.path.parent / "index" / "abstraction.npz").write_bytes(b"damaged")
    assert update(filled, settings).change == "rebuilt"


def test_what_an_interrupted_build_left_does_no_harm(filled, settings) -> None:
    update(filled, settings)
    (filled.path.parent / "index.new").mkdir()
    (filled.path.parent / "index.new" / "rubbish").write_text("")
    update(filled, settings, rebuild=True)
    assert not (filled.path.parent / "index" / "rubbish").exists()


def test_a_full_disk_leaves_the_old_index(
    filled, write, settings, make_theorem, monkeypatch
) -> None:
    update(filled, settings)
    write("New", [make_theorem("New", "n", "sum", "map", "append")])

    def full(self: object, folder: Path) -> None:
        raise StorageError("the disk is full")

    from engine.retrieval.lexical import LexicalRetriever

    with monkeypatch.context() as patch:
        patch.setattr(LexicalRetriever, "save", full)
        with pytest.raises(StorageError, match="full"):
            update(filled, settings)
    assert "New:n" not in index_of(filled).vectors.row
    assert update(filled, settings).change == "extended"


@pytest.mark.parametrize("method", ["hybrid", "funnel", "flat", "bm25"])
def test_every_search_finds_a_declaration_by_its_words(filled, settings, method) -> None:
    update(filled, settings)
    with KnowledgeBase(filled.path.parent, settings) as base:
        found = base.search("reverse length", 6, method).found
    assert "Laws.reverse:reverse_length" in {f.node.id for f in found}
    assert all({"reverse", "length"} <= set(f.node.symbols) for f in found[:2])


def test_the_very_name_comes_first(filled, settings) -> None:
    update(filled, settings)
    with KnowledgeBase(filled.path.parent, settings) as base:
        found = base.search("map_sum_sum", 2).found
    assert found[0].node.name == "map_sum_sum"
    assert found[0].hit.why == ("its name",)


def test_filters(filled, settings) -> None:
    update(filled, settings)
    with KnowledgeBase(filled.path.parent, settings) as base:
        kinds = base.search("map", 5, wanted=Filter(kind=NodeKind.DEFINITION)).found
        inside = base.search("map", 5, wanted=Filter(module="Laws.sum")).found
        below = base.search("map", 5, wanted=Filter(module="Laws")).found
    assert {f.node.kind for f in kinds} == {NodeKind.DEFINITION}
    assert {f.node.module for f in inside} == {"Laws.sum"}
    assert len(below) == 5


def test_ancestors_are_those_of_the_formula(filled, settings) -> None:
    update(filled, settings)
    with KnowledgeBase(filled.path.parent, settings) as base:
        search = base.search("map_sum_sum", 1)
    eps, theta = settings.backtracking.eps, settings.backtracking.theta
    for ancestor, node in search.ancestors:
        influence = 1.0
        for edge in ancestor.chain:
            influence *= min(1.0, edge.weight + eps)
        assert ancestor.influence == pytest.approx(influence)
        assert influence >= theta
        assert node.id == ancestor.node


def test_nodes_beside_the_base_are_searched_too(filled, settings, make_theorem) -> None:
    update(filled, settings)
    lemma = make_theorem("Library", "brand_new", "sum", "reverse", "sum").node
    with KnowledgeBase(filled.path.parent, settings, [lemma]) as base:
        for method in ("funnel", "flat", "hybrid"):
            found = base.search(lemma, 1, method).found
            assert found[0].node == lemma, method


def test_no_base_is_an_error_that_says_what_to_do(tmp_path: Path, settings) -> None:
    with pytest.raises(InputError) as error:
        KnowledgeBase(tmp_path, settings)
    assert "lemmata ingest" in error.value.hint
