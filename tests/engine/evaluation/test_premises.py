"""The premise data: what counts as a premise, and whether the committed file keeps its word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_library import definition, theorem

from engine.evaluation.premises import (
    FILE,
    INTERNAL,
    PremiseHeader,
    PremiseLemma,
    PremiseSet,
    area_of,
    load_premises,
    origin_of,
    plumbing_of,
    save_premises,
    sorted_premises,
)
from verifier.errors import StorageError

NODES = {
    node.name: node
    for node in (
        theorem("List.length_append", "Init.Data.List.Lemmas"),
        theorem("List.instLawful", "Init.Data.List.Lemmas", attributes=("instance",)),
        theorem("Eq.trans", "Init.Prelude"),
        theorem("Int.Linear.eq_norm", "Init.Data.Int.Linear"),
        theorem("Nat.succ_le", "Init.Data.Nat.Basic"),
        definition("List.map", "Init.Prelude"),
    )
    if node.name
}


@pytest.mark.parametrize(
    ("constant", "origin"),
    [
        ("List.length_append", "List.length_append"),
        ("List.length_append._simp_1", "List.length_append"),
        ("List.map.eq_2", "List.map"),
        ("List.map.match_1.eq_1", "List.map"),
        ("_private.Init.Data.List.Basic.0.List.map._proof_3", "List.map"),
        ("List.reverse", None),
        ("List.map.lemma", None),
    ],
)
def test_a_derived_constant_stands_for_its_origin(constant: str, origin: str | None) -> None:
    assert origin_of(constant, NODES) == origin


def test_constants_are_sorted_into_theorems_and_what_lean_finds_by_itself() -> None:
    constants = (
        "Eq.trans", "List.map.eq_1", "List.length_append._simp_1", "List.instLawful",
        "Int.Linear.eq_norm", "Unknown.thing",
    )  # fmt: skip
    theorems, others = sorted_premises(constants, NODES)
    assert theorems == ("Eq.trans", "List.length_append")
    assert others == ("List.instLawful", "List.map")


@given(st.sets(st.sampled_from(sorted(NODES))))
def test_sorting_loses_only_internal_lemmas(names: set[str]) -> None:
    theorems, others = sorted_premises(names, NODES)
    assert {*theorems, *others} == {n for n in names if not n.startswith(INTERNAL)}
    assert not set(theorems) & set(others)


def test_areas_are_the_heads_of_names() -> None:
    names = ("List.map_map", "Std.HashMap.get_insert", "Std.foo", "congrArg")
    assert [area_of(name) for name in names] == ["List", "Std.HashMap", "Std", "core"]


def lemma(name: str, *premises: str) -> PremiseLemma:
    return PremiseLemma(
        name=name, module="M", signature=": True", attempt="simp", proof="by simp",
        premises=tuple(sorted(premises)),
    )  # fmt: skip


def test_plumbing_is_frequent_and_about_no_particular_type() -> None:
    rows = [lemma(f"l{n}", "Eq.trans", "List.length_append") for n in range(9)]
    assert plumbing_of(rows, NODES, 0.5) == ("Eq.trans",)
    rare = [*rows, *(lemma(f"m{n}", "Nat.succ_le") for n in range(9))]
    assert plumbing_of(rare, NODES, 0.5) == ()


def test_a_data_set_comes_back_from_its_file(tmp_path: Path) -> None:
    header = PremiseHeader(toolchain="t", seed=1, threshold=0.5, tried=3, plumbing=("Eq.trans",))
    made = PremiseSet(header=header, lemmas=(lemma("a", "Eq.trans", "b"), lemma("b", "c")))
    save_premises(made, tmp_path / "p.jsonl")
    assert load_premises(tmp_path / "p.jsonl") == made
    assert made.counted(made.lemmas[0]) == ("b",)


@pytest.mark.parametrize("content", [b"", b"not json\n", b'{"toolchain": "t"}\n'])
def test_a_damaged_file_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.jsonl").write_bytes(content)
    with pytest.raises(StorageError):
        load_premises(tmp_path / "p.jsonl")


@pytest.fixture(scope="module")
def data() -> PremiseSet:
    return load_premises(FILE)


def test_there_are_enough_lemmas_and_each_is_there_once(data: PremiseSet) -> None:
    names = [row.name for row in data.lemmas]
    assert len(names) == len(set(names)) >= 500
    assert names == sorted(names)


def test_lemmas_are_of_many_areas(data: PremiseSet) -> None:
    areas = {row.area for row in data.lemmas}
    assert {"List", "Nat", "Int", "Option", "Array", "BitVec", "String", "Fin", "Bool"} <= areas
    assert max(sum(r.area == a for r in data.lemmas) for a in areas) <= len(data.lemmas) / 5


def test_no_lemma_is_a_premise_of_itself_under_any_name(data: PremiseSet) -> None:
    for row in data.lemmas:
        assert not {*row.premises, *row.definitions} & set(row.hidden), row.name


def test_each_lemma_has_a_premise_that_is_no_plumbing(data: PremiseSet) -> None:
    plumbing = set(data.header.plumbing)
    for row in data.lemmas:
        counted = data.counted(row)
        assert counted, row.name
        assert not plumbing & set(counted)
        assert not any(name.startswith(INTERNAL) for name in row.premises), row.name


def test_no_proof_names_the_lemma_that_it_proves(data: PremiseSet) -> None:
    for row in data.lemmas:
        assert not any(hidden in row.proof.split() for hidden in row.hidden), row.name
        assert "sorry" not in row.proof
