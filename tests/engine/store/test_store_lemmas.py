from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.store import Store
from engine.store.lemmas import dependants
from verifier.errors import InputError


def theorem(name: str, *premises: str, module: str = "M", **fields: object) -> MethodNode:
    return MethodNode.model_validate(
        {
            "id": f"{module}:{name}",
            "kind": NodeKind.THEOREM,
            "name": name,
            "module": module,
            "statement": ": True",
            "label": Label.VERIFIED,
            "premises": premises,
            **fields,
        }
    )


def append(store: Store, node: MethodNode, *parents: str) -> None:
    edges = [
        Contribution(parent=parent, child=node.id, rating=4, explanation="used")
        for parent in parents
    ]
    store.append_lemma(node, edges, f"theorem {node.name} : True := trivial")


def test_append_writes_node_edges_text_and_audit(store: Store) -> None:
    append(store, theorem("a"))
    append(store, theorem("b", "a"), "M:a")
    append(store, theorem("c", module="L"))
    assert [(r.name, r.ordinal, r.serial) for r in store.lemmas("M")] == [("a", 1, 1), ("b", 2, 2)]
    assert [e.parent for e in store.contributions_into("M:b")] == ["M:a"]
    assert [e.subject for e in store.audit_entries(event="lemma.appended")] == ["M:a", "M:b", "L:c"]
    assert store.library_modules() == ["L", "M"]
    assert (store.library_version(), store.library_version("M")) == (3, 2)


def test_append_may_be_repeated(store: Store) -> None:
    append(store, theorem("a"))
    before = store.verify_chain()
    append(store, theorem("a"))
    assert store.verify_chain() == before
    with pytest.raises(InputError, match="another text"):
        store.append_lemma(theorem("a"), (), "theorem a : True := by simp")


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        (theorem("x", label=Label.CONJECTURE), "not verified"),
        (theorem("x", module=""), "must be given"),
        (theorem("a", id="other:a"), "is taken"),
        (theorem("x", "a_conjecture"), "is conjecture"),
    ],
)
def test_what_may_not_join(store: Store, node: MethodNode, problem: str) -> None:
    append(store, theorem("a"))
    store.upsert_node(theorem("a_conjecture", label=Label.CONJECTURE))
    with pytest.raises(InputError, match=problem):
        append(store, node)
    assert [r.name for r in store.lemmas()] == ["a"]


def test_a_bad_edge_undoes_everything(store: Store) -> None:
    with pytest.raises(InputError, match="no node 'M:made_up'"):
        append(store, theorem("a"), "M:made_up")
    assert store.nodes() == [] and store.lemmas() == [] and store.audit_entries() == []


def test_retraction_demotes_the_dependants_and_only_them(store: Store) -> None:
    append(store, theorem("a"))
    append(store, theorem("b", "a", "Eq.trans"))
    append(store, theorem("c", "b"))
    append(store, theorem("bystander", "Eq.trans"))
    demoted = store.retract("M:a", "the re-check failed")
    assert [n.id for n in demoted] == ["M:a", "M:b", "M:c"]
    assert [n.label for n in demoted] == [Label.RETRACTED, Label.CONJECTURE, Label.CONJECTURE]
    (retracted,) = store.audit_entries(event="lemma.retracted")
    assert "the re-check failed" in retracted.detail and retracted.subject == "M:a"
    assert [r.name for r in store.lemmas()] == ["bystander"]
    assert len(store.lemmas(retracted=True)) == 4
    assert [e.subject for e in store.audit_entries(event="lemma.demoted")] == ["M:b", "M:c"]
    with pytest.raises(InputError, match="not verified"):
        store.retract("M:b", "again")
    with pytest.raises(InputError, match="is conjecture"):
        append(store, theorem("d", "b"))


def test_a_retracted_lemma_can_be_proved_again(store: Store) -> None:
    append(store, theorem("a"))
    append(store, theorem("b"))
    version = store.library_version()
    store.retract("M:a", "edited")
    append(store, theorem("a", version=3))
    assert [(r.name, r.ordinal) for r in store.lemmas()] == [("b", 2), ("a", 3)]
    assert store.library_version() > version


def test_a_proof_that_only_mentions_a_lemma_falls_with_it(store: Store) -> None:
    """Lean does not read an argument of simp that is not there, used or not."""
    append(store, theorem("T.root"))
    append(store, theorem("T.user", proof="by simp [T.root]"))
    append(store, theorem("T.short", proof="by\n  simp [root, foo]"))
    append(store, theorem("T.other", proof="by simp [rooted, T.roots, my.root']"))
    assert [n.name for n in dependants(store.node("M:T.root"), store.nodes())] == [
        "T.short",
        "T.user",
    ]


def test_a_needless_lemma_is_withdrawn_with_all_that_tells_of_it(store: Store) -> None:
    append(store, theorem("a"))
    append(store, theorem("b", "a"), "M:a")
    with pytest.raises(InputError, match="uses"):
        store.withdraw("M:a", "a test")
    store.withdraw("M:b", "it follows from a")
    assert [r.name for r in store.lemmas(retracted=True)] == ["a"]
    assert store.find_node("M:b") is None and store.contributions() == []
    (entry,) = store.audit_entries(event="lemma.withdrawn")
    assert entry.subject == "M:b" and "it follows from a" in entry.detail
    assert store.verify_chain().faults == ()
    assert store.tampered_lemmas() == [] and store.unwitnessed_nodes() == []
    with pytest.raises(InputError):
        store.withdraw("M:b", "again")
    append(store, theorem("b", "a"), "M:a")
    assert [r.name for r in store.lemmas()] == ["a", "b"] and store.tampered_lemmas() == []


def test_what_is_no_verified_lemma_cannot_be_withdrawn(store: Store) -> None:
    store.upsert_node(theorem("read"))
    with pytest.raises(InputError, match="no verified lemma"):
        store.withdraw("M:read", "a test")


def test_a_premise_means_the_namesake_of_the_own_module() -> None:
    one, two = theorem("a", module="One"), theorem("a", module="Two")
    user_one, user_two = theorem("u", "a", module="One"), theorem("v", "a", module="Two")
    stranger = theorem("w", "a", module="Three")
    everything = [one, two, user_one, user_two, stranger]
    assert dependants(one, everything) == [user_one, stranger]
    assert dependants(two, everything) == [stranger, user_two]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sets(st.integers(0, 11), max_size=4), min_size=1, max_size=12), st.data())
def test_dependants_are_the_transitive_users(uses: list[set[int]], data: st.DataObject) -> None:
    nodes = [theorem(f"t{i}", *(f"t{j}" for j in used)) for i, used in enumerate(uses)]
    root = data.draw(st.integers(0, len(nodes) - 1))
    reached, grown = {root}, True
    while grown:
        more = {i for i, used in enumerate(uses) if used & reached} | reached
        reached, grown = more, more != reached
    expected = {nodes[i].id for i in reached - {root}}
    assert {node.id for node in dependants(nodes[root], nodes)} == expected


def test_edited_rows_are_found(store: Store, database: Path) -> None:
    append(store, theorem("a"))
    append(store, theorem("b"))
    store.upsert_node(theorem("guess", label=Label.CONJECTURE))
    assert store.tampered_lemmas() == [] and store.unwitnessed_nodes() == []
    with sqlite3.connect(database) as raw:
        raw.execute("UPDATE lemmas SET text = 'theorem a : False := sorry' WHERE name = 'a'")
        raw.execute(
            "UPDATE nodes SET body = json_set(body, '$.label', 'verified') WHERE name = 'guess'"
        )
    assert [lemma.name for lemma in store.tampered_lemmas()] == ["a"]
    assert [node.name for node in store.unwitnessed_nodes()] == ["guess"]


def test_rendered_modules(store: Store) -> None:
    store.record_module("M", "00ff")
    store.record_module("M", "ff00")
    assert [(m.module, m.hash) for m in store.modules()] == [("M", "ff00")]
