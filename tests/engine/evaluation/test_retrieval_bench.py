"""Premise retrieval on a made-up library with answers that are known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from small_library import definition, theorem

from engine.evaluation.premises import PremiseHeader, PremiseLemma, PremiseSet
from engine.evaluation.retrieval_bench import (
    FLAT,
    FUNNEL,
    Answer,
    Task,
    difference_of,
    figures_of,
    found_theorems,
    goal_of,
    measure,
    sampled,
    tasks_of,
)
from engine.model import MethodNode
from engine.retrieval.interface import Hit, Query, Retrieval

NODES = [
    theorem("A.goal", "M", statement=": goal", summary="what it says"),
    theorem("A.goal'", "N", statement=": goal"),
    theorem("A.one"),
    theorem("B.two"),
    theorem("plumb"),
    definition("A.f"),
]
NAMED: dict[str, MethodNode] = {node.name: node for node in NODES if node.name}


class Listed:
    """Answers every query with one list, and notes what it was asked."""

    def __init__(self, *names: str, comparisons: int = 6) -> None:
        self._names = names
        self._comparisons = comparisons
        self.asked: list[Query] = []

    def search(self, query: Query, k: int) -> Retrieval:
        self.asked.append(query)
        ids = [NAMED[name].id for name in self._names][:k]
        hits = tuple(Hit(node=id_, score=1.0) for id_ in ids)
        return Retrieval(hits=hits, visits=2, comparisons=self._comparisons)


def data(*premises: str) -> PremiseSet:
    row = PremiseLemma(
        name="A.goal", module="M", signature=": goal", aliases=("A.goal'",), attempt="simp",
        proof="by simp", premises=tuple(sorted(premises)),
    )  # fmt: skip
    header = PremiseHeader(toolchain="t", seed=1, threshold=0.5, tried=1, plumbing=("plumb",))
    return PremiseSet(header=header, lemmas=(row,))


def test_a_task_asks_for_premises_without_plumbing_and_hides_the_lemma() -> None:
    premises = data("A.one", "plumb")
    (task,) = tasks_of(premises, premises.lemmas, NAMED, {}, "text")
    assert task.query == ": goal"
    assert task.relevant == {"M:A.one"}
    assert task.hidden == {"M:A.goal", "N:A.goal'"}
    (with_plumbing,) = tasks_of(premises, premises.lemmas, NAMED, {}, "text", plumbing=True)
    assert with_plumbing.relevant == {"M:A.one", "M:plumb"}


def test_a_premise_that_is_an_alias_is_found_by_the_node_in_its_place() -> None:
    premises = data("A.one", "B.two")
    (task,) = tasks_of(premises, premises.lemmas, NAMED, {"M:A.one": "M:B.two"}, "node")
    assert task.relevant == {"M:B.two"}
    nothing = tasks_of(premises, premises.lemmas, NAMED, dict.fromkeys(task.relevant, "M:A.goal"),
                       "node")  # fmt: skip
    assert [t.relevant for t in nothing] == [{"M:A.one"}]


def test_a_goal_says_nothing_but_the_statement() -> None:
    goal = goal_of(NODES[0])
    assert goal.statement == ": goal"
    assert (goal.name, goal.module, goal.summary) == (None, "", "")


def test_the_lemma_its_aliases_and_definitions_do_not_take_up_ranks() -> None:
    retriever = Listed("A.goal'", "A.f", "A.goal", "B.two", "A.one")
    theorems = frozenset(n.id for n in NODES if n.lean_kind == "theorem")
    hidden = frozenset({"M:A.goal", "N:A.goal'"})
    assert found_theorems(retriever, "q", hidden, theorems).ranked == ("M:B.two", "M:A.one")


def test_figures_of_a_known_answer() -> None:
    good = Listed("A.goal", "B.two", "A.one", comparisons=100)
    bad = Listed("B.two", comparisons=10)
    figures = measure(data("A.one"), NODES, {}, {FLAT: good, FUNNEL: bad}, {"x": "away"}, seed=1)
    by_node = figures.comparisons[0]
    assert (by_node.asked, by_node.plumbing) == ("node", False)
    assert by_node.retrievers[FLAT].recall[10].mean == 1.0
    assert by_node.retrievers[FLAT].mrr.mean == 0.5
    assert by_node.retrievers[FUNNEL].recall[32].mean == 0.0
    assert by_node.difference is not None
    assert by_node.difference.recall[10].mean == -100.0
    assert by_node.difference.comparisons == 0.1
    assert [c.asked for c in figures.comparisons] == ["node", "text", "node"]
    assert figures.missing == {"x": "away"}
    assert set(by_node.areas[FLAT]) == {"A"}
    asked = [q for q in good.asked if isinstance(q, MethodNode)]
    assert asked and all(q.name is None for q in asked)


def test_lemmas_without_a_premise_among_the_nodes_are_dropped_and_counted() -> None:
    figures = measure(data("plumb"), NODES, {}, {FLAT: Listed("A.one")}, {}, seed=1)
    assert (figures.lemmas, figures.dropped) == (0, 1)
    assert [c.plumbing for c in figures.comparisons] == [True]


ids = st.lists(st.sampled_from([f"M:t{n}" for n in range(40)]), unique=True, max_size=32)
answers = st.builds(
    Answer, ids.map(tuple), st.floats(0.0, 1.0), st.integers(1, 100), st.integers(0, 9)
)
tasks = st.sets(st.sampled_from([f"M:t{n}" for n in range(40)]), min_size=1).map(
    lambda relevant: Task("l", "A", "q", frozenset(), frozenset(relevant))
)


@given(st.lists(st.tuples(tasks, answers, answers), min_size=1, max_size=8), st.integers(0, 99))
def test_figures_are_consistent(rows: list[tuple[Task, Answer, Answer]], seed: int) -> None:
    asked = [task for task, _, _ in rows]
    one = figures_of(asked, [a for _, a, _ in rows], seed)
    two = figures_of(asked, [b for _, _, b in rows], seed)
    assert 0.0 <= one.recall[10].mean <= one.recall[32].mean <= 1.0
    assert (one.mrr.mean > 0.0) == (one.recall[32].mean > 0.0)
    difference = difference_of(asked, [a for _, a, _ in rows], [b for _, _, b in rows], seed)
    expected = 100 * (one.recall[10].mean - two.recall[10].mean)
    assert abs(difference.recall[10].mean - expected) < 1e-6


@given(st.integers(0, 60), st.integers(1, 40))
def test_a_sample_is_even_and_without_repetition(count: int, total: int) -> None:
    row = data("A.one").lemmas[0]
    rows = tuple(row.model_copy(update={"name": f"l{n}"}) for n in range(total))
    names = [r.name for r in sampled(rows, count)]
    assert len(names) == len(set(names)) == (total if count == 0 else min(count, total))
    assert names == sorted(names, key=lambda n: int(n[1:]))
