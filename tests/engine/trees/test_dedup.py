from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Label, MethodNode, NodeKind
from engine.settings import DedupSettings
from engine.trees.dedup import Alias, Vectors, duplicates, preference, same_statement, similar
from verifier.errors import InputError


def node(name: str, canonical: str = "", **changes: Any) -> MethodNode:
    given_: dict[str, Any] = {
        "id": f"M:{name}",
        "kind": NodeKind.THEOREM,
        "name": name,
        "statement": f": {canonical}",
        "label": Label.ASSUMED,
        "lean_kind": "theorem",
        "canonical": canonical,
    }
    return MethodNode(**(given_ | changes))


def alike(count: int) -> Vectors:
    """Unit rows that are all the same."""
    vectors = np.zeros((count, 4), dtype=np.float32)
    vectors[:, 0] = 1.0
    return vectors


def never(one: MethodNode, other: MethodNode) -> bool:
    return False


def test_equal_canonical_forms_are_one() -> None:
    nodes = [node("add_comm", "k"), node("comm_of_add", "k"), node("other", "l"), node("none")]
    assert duplicates(nodes, alike(4)) == (
        Alias("M:comm_of_add", "M:add_comm", "the same statement"),
    )


def test_the_reason_says_what_differs() -> None:
    nodes = [
        node("a", "k", statement="(x : N) : x = y"),
        node("bb", "k", statement="(z : N) : y = z"),
        node("cc", "k", deprecated="a"),
    ]
    reasons = {alias.alias: alias.reason for alias in same_statement(nodes)}
    assert reasons == {
        "M:bb": "the same statement up to names, the order of its arguments and the sides of = "
        "and ↔",
        "M:cc": "a deprecated name of the same statement",
    }


@pytest.mark.parametrize(
    ("kept", "alias"),
    [
        (node("long_name"), node("b", deprecated="long_name")),
        (node("long_name"), node("b", private=True)),
        (node("long_name"), node("b", label=Label.CONJECTURE)),
        (node("short"), node("longer")),
        (node("a"), node("b")),
    ],
)
def test_which_one_is_kept(kept: MethodNode, alias: MethodNode) -> None:
    assert preference(kept) < preference(alias)


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": NodeKind.DEFINITION, "lean_kind": "definition"},
        {"lean_kind": "axiom"},
        {"universes": ("u",)},
        {"canonical": ""},
        {"canonical": "l"},
    ],
)
def test_what_does_not_merge(changes: dict[str, Any]) -> None:
    nodes = [node("a", "k"), node("b", "k").model_copy(update=changes)]
    assert duplicates(nodes, alike(2), prove=never) == ()
    both = [node.model_copy(update=changes) for node in nodes]
    if changes.get("canonical") == "" or "lean_kind" in changes:
        assert duplicates(both, alike(2)) == ()


def test_a_cosine_alone_merges_nothing() -> None:
    asked: list[set[str]] = []

    def prove(one: MethodNode, other: MethodNode) -> bool:
        asked.append({one.id, other.id})
        return False

    nodes = [node("a", "k"), node("b", "l"), node("c", "m")]
    assert duplicates(nodes, alike(3), DedupSettings(tau=0.5), prove) == ()
    assert asked == [{"M:a", "M:b"}, {"M:a", "M:c"}, {"M:b", "M:c"}]


def test_only_likely_pairs_are_put_to_lean() -> None:
    vectors = np.array([[1, 0], [1, 0], [0.9, 0.435889894], [0, 1]], dtype=np.float32)
    nodes = [
        node("a", symbols=("f",)),
        node("b", symbols=("g",)),
        node("c", symbols=("f",)),
        node("d", symbols=("f",)),
    ]
    pairs = similar(nodes, vectors, DedupSettings(tau=0.8))
    assert [(pair.one, pair.other) for pair in pairs] == [(0, 2)]
    assert similar(nodes, vectors, DedupSettings(tau=0.95)) == []


def test_the_budget_goes_to_the_most_alike() -> None:
    angles = np.array([0.0, 0.3, 0.01, 0.32])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    nodes = [node(name) for name in "abcd"]
    pairs = similar(nodes, vectors, DedupSettings(tau=0.9, proofs=2))
    assert [(pair.one, pair.other) for pair in pairs] == [(0, 2), (1, 3)]
    assert similar(nodes, vectors, DedupSettings(tau=0.9, proofs=0)) == []


def test_proved_equivalences_chain_to_one_node() -> None:
    nodes = [node(name) for name in ("aaa", "bb", "c", "dddd")]

    def prove(one: MethodNode, other: MethodNode) -> bool:
        return "M:dddd" not in (one.id, other.id)

    found = duplicates(nodes, alike(4), prove=prove)
    assert [(alias.alias, alias.kept) for alias in found] == [("M:aaa", "M:c"), ("M:bb", "M:c")]
    assert all("proved by Lean" in alias.reason for alias in found)


def test_aliases_by_form_follow_a_kept_node_that_is_proved_to_be_another() -> None:
    nodes = [node("bb", "k"), node("ccc", "k"), node("a", "l")]
    found = duplicates(nodes, alike(3), prove=lambda one, other: True)
    assert [(alias.alias, alias.kept) for alias in found] == [("M:bb", "M:a"), ("M:ccc", "M:a")]


def test_blocks_do_not_hide_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(1).normal(size=(23, 2)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    nodes = [node(f"n{place:02}") for place in range(23)]
    limits = DedupSettings(tau=0.9, proofs=10_000)
    whole = similar(nodes, vectors, limits)
    monkeypatch.setattr("engine.trees.dedup._BLOCK", 4)
    assert [pair[1:] for pair in similar(nodes, vectors, limits)] == [pair[1:] for pair in whole]
    cosines = vectors @ vectors.T
    assert len(whole) == int((np.triu(cosines, 1) >= 0.9).sum()) > 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("klmn"), st.booleans()), min_size=1, max_size=14),
    st.integers(0, 100),
)
def test_the_order_of_the_nodes_does_not_matter(
    given_nodes: list[tuple[str, bool]], seed: int
) -> None:
    nodes = [
        node(f"t{place}", form, deprecated="" if old else None)
        for place, (form, old) in enumerate(given_nodes)
    ]
    shuffled = list(nodes)
    random.Random(seed).shuffle(shuffled)
    found = duplicates(nodes, alike(len(nodes)), prove=never)
    assert duplicates(shuffled, alike(len(nodes)), prove=never) == found
    kept = {n.id for n in nodes} - {alias.alias for alias in found}
    assert {alias.kept for alias in found} <= kept
    assert len(kept) == len({form for form, _ in given_nodes})


def test_nodes_and_vectors_must_match() -> None:
    with pytest.raises(InputError, match="1 nodes came with 2 vectors"):
        duplicates([node("a")], alike(2))
