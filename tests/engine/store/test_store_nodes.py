from __future__ import annotations

import pytest

from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.store import Store
from engine.trees.cluster import Cluster
from verifier.errors import InputError, StorageError


def theorem(node_id: str, label: Label = Label.VERIFIED, **fields: object) -> MethodNode:
    module, _, name = node_id.rpartition(":")
    return MethodNode.model_validate(
        {
            "id": node_id,
            "kind": NodeKind.THEOREM,
            "name": name,
            "module": module,
            "statement": f"{name} : True",
            "label": label,
            **fields,
        }
    )


def edge(parent: str, child: str, rating: int = 3, strength: float = 0.0) -> Contribution:
    return Contribution(
        parent=parent,
        child=child,
        rating=rating,
        strength=strength,
        explanation=f"rated {rating}",
    )


def test_a_node_comes_back_as_it_went_in(store: Store) -> None:
    node = theorem("M:add_zero", premises=("N.rec",), summary="“zero” ∀ \u0000 \u202e", version=3)
    assert store.upsert_node(node) == node
    assert store.node("M:add_zero") == node


def test_upsert_replaces(store: Store) -> None:
    store.upsert_node(theorem("M:a"))
    store.upsert_node(theorem("M:a", summary="better"))
    assert [node.summary for node in store.nodes()] == ["better"]


def test_filters_combine(store: Store) -> None:
    store.upsert_node(theorem("M:a"))
    store.upsert_node(theorem("M:b", Label.CONJECTURE))
    store.upsert_node(theorem("L:a", kind=NodeKind.DEFINITION))
    assert [n.id for n in store.nodes(label=Label.VERIFIED)] == ["L:a", "M:a"]
    assert [n.id for n in store.nodes(label=Label.VERIFIED, module="M")] == ["M:a"]
    assert [n.id for n in store.nodes(kind=NodeKind.DEFINITION)] == ["L:a"]
    assert [n.id for n in store.nodes(name="a")] == ["L:a", "M:a"]


def test_an_unknown_node_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match="no node 'M:nothing'"):
        store.node("M:nothing")
    assert store.find_node("M:nothing") is None


def test_a_lone_surrogate_is_refused(store: Store) -> None:
    with pytest.raises(InputError):
        store.find_node("M:\ud800")
    assert store.nodes() == []


def test_a_fabricated_parent_is_refused(store: Store) -> None:
    store.upsert_node(theorem("M:a"))
    with pytest.raises(InputError, match="no node 'M:made_up'"):
        store.add_contribution(edge("M:made_up", "M:a"))
    with pytest.raises(InputError, match="its own parent"):
        store.add_contribution(edge("M:a", "M:a"))
    assert store.contributions() == []


def test_contributions_by_end(store: Store) -> None:
    for name in ("M:a", "M:b", "M:c"):
        store.upsert_node(theorem(name))
    store.add_contribution(edge("M:a", "M:b"))
    store.add_contribution(edge("M:b", "M:c"))
    store.add_contribution(edge("M:b", "M:c", rating=5))
    assert [e.child for e in store.contributions_of("M:b")] == ["M:c"]
    assert [e.rating for e in store.contributions_into("M:c")] == [5]


def test_an_edge_comes_back_as_it_went_in(store: Store) -> None:
    for name in "ab":
        store.upsert_node(theorem(f"M:{name}"))
    strong = edge("M:a", "M:b", 4, 0.375)
    assert store.add_contribution(strong) == strong
    assert store.contributions() == [strong]


def test_of_equally_rated_edges_a_merge_keeps_the_stronger(store: Store) -> None:
    for name in ("copy", "kept", "child"):
        store.upsert_node(theorem(f"M:{name}"))
    store.add_contribution(edge("M:copy", "M:child", 3, 0.5))
    store.add_contribution(edge("M:kept", "M:child", 3, 0.25))
    store.merge_node("M:copy", "M:kept", "equal up to renaming")
    assert [e.strength for e in store.contributions()] == [0.5]


def test_a_merge_moves_edges_and_keeps_the_larger_weight(store: Store) -> None:
    for name in ("M:kept", "M:copy", "M:child", "M:source"):
        store.upsert_node(theorem(name))
    store.add_contribution(edge("M:copy", "M:child", rating=5))
    store.add_contribution(edge("M:kept", "M:child", rating=2))
    store.add_contribution(edge("M:source", "M:copy", rating=4))
    store.add_contribution(edge("M:kept", "M:copy", rating=5))

    store.merge_node("M:copy", "M:kept", "equal up to renaming")

    assert store.node("M:copy").id == "M:kept"
    assert [(e.parent, e.child, e.rating) for e in store.contributions()] == [
        ("M:kept", "M:child", 5),
        ("M:source", "M:kept", 4),
    ]
    assert [a.alias for a in store.aliases("M:kept")] == ["M:copy"]


def test_merges_chain_and_stay_flat(store: Store) -> None:
    for name in ("M:a", "M:b", "M:c"):
        store.upsert_node(theorem(name))
    store.merge_node("M:a", "M:b", "first")
    store.merge_node("M:b", "M:c", "second")
    assert store.resolve("M:a") == store.resolve("M:b") == "M:c"
    with pytest.raises(InputError, match="one node already"):
        store.merge_node("M:c", "M:a", "a circle")


def test_a_merged_node_is_not_written_again(store: Store) -> None:
    store.upsert_node(theorem("M:a"))
    store.upsert_node(theorem("M:b"))
    store.merge_node("M:b", "M:a", "same")
    assert store.upsert_node(theorem("M:b")).id == "M:a"
    assert [n.id for n in store.nodes()] == ["M:a"]


def test_a_change_of_label_is_audited(store: Store) -> None:
    store.upsert_node(theorem("M:a", Label.CONJECTURE))
    store.upsert_node(theorem("M:a", Label.VERIFIED))
    store.upsert_node(theorem("M:a", Label.VERIFIED, summary="same label"))
    assert [e.detail for e in store.audit_entries(subject="M:a")] == [
        '{"after":"verified","before":"conjecture"}'
    ]


def test_an_inner_transaction_can_fail_alone(store: Store) -> None:
    with store.transaction():
        store.upsert_node(theorem("M:a"))
        with pytest.raises(RuntimeError), store.transaction():
            store.upsert_node(theorem("M:b"))
            raise RuntimeError
    assert [n.id for n in store.nodes()] == ["M:a"]


def test_clusters_round_trip(store: Store) -> None:
    store.upsert_node(theorem("M:a"))
    root = Cluster(id="r", level=2, parent=None, summary="all", centroid=(0.5, -1.5), size=1)
    leaf = root.model_copy(update={"id": "l", "level": 1, "parent": "r", "members": ("M:a",)})
    store.save_clusters([leaf, root])
    store.save_clusters([leaf, root])
    assert store.clusters() == [leaf, root]


def test_clusters_of_unknown_nodes_are_refused_whole(store: Store) -> None:
    lost = Cluster(
        id="l", level=1, parent=None, summary="", centroid=(1.0,), size=1, members=("x",)
    )
    with pytest.raises(StorageError):
        store.save_clusters([lost])
    assert store.clusters() == []
