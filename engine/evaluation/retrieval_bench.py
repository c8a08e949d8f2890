"""Premise retrieval, measured: are the theorems that a proof uses among the first that are found?

The data are the lemmas of :mod:`engine.evaluation.premises`. A query is what is known of an
unproved goal: the elaborated statement, without name, module or docstring (``node``), or nothing
but its text (``text``). The lemma itself and its aliases are taken out of every answer, and so is
what is no theorem or an instance, since premises are neither. recall@k is the share of a lemma's
premises among the first k, averaged over lemmas; MRR is the mean of 1 / rank of the first premise
among the first :data:`DEPTH`, 0 where there is none.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from engine.evaluation.premises import PremiseLemma, PremiseSet, is_sought
from engine.evaluation.ranking import Interval, bootstrap, recall, reciprocal_rank
from engine.model import Label, MethodNode, NodeKind
from engine.retrieval.interface import Query, Retriever
from verifier.progress import Progress, SilentProgress

CUTS = (10, 32)
DEPTH = 32
FETCHED = 128
"""Hits asked for, so that 32 are left without definitions and without the lemma itself."""

FLAT = "flat"
FUNNEL = "funnel"

Asked = Literal["node", "text"]


@dataclass(frozen=True)
class Task:
    """One query.

    Attributes:
        lemma: The lemma's name. area: What it is about.
        hidden: Ids of nodes that do not count as found.
        relevant: Ids of the premises, at least one.
    """

    lemma: str
    area: str
    query: Query
    hidden: frozenset[str]
    relevant: frozenset[str]


@dataclass(frozen=True)
class Answer:
    """What a retriever found for one query.

    Attributes:
        ranked: Ids of theorems, best first, at most :data:`DEPTH`.
        seconds: Of the search. comparisons: Cosines that it computed. visits: Clusters opened.
    """

    ranked: tuple[str, ...]
    seconds: float
    comparisons: int
    visits: int


@dataclass(frozen=True)
class Figures:
    """One retriever on one set of queries.

    Attributes:
        recall: By k.
        mrr: Mean reciprocal rank.
        mean_ms: Time of a query. median_ms: Likewise.
        comparisons: Mean number of cosines. visits: Mean number of clusters opened.
    """

    queries: int
    recall: dict[int, Interval]
    mrr: Interval
    mean_ms: float
    median_ms: float
    comparisons: float
    visits: float


@dataclass(frozen=True)
class Difference:
    """The funnel less the flat search, over the same queries.

    Attributes:
        recall: Differences in percentage points, by k.
        comparisons: Share of the flat search's distance computations.
    """

    recall: dict[int, Interval]
    comparisons: float


@dataclass(frozen=True)
class Comparison:
    """All retrievers on one way of asking.

    Attributes:
        asked: What a query is. plumbing: Whether plumbing counts as a premise.
        retrievers: Figures by name. areas: The same by name and area.
        difference: Funnel and flat search, where both ran.
    """

    asked: Asked
    plumbing: bool
    retrievers: dict[str, Figures]
    areas: dict[str, dict[str, Figures]]
    difference: Difference | None


@dataclass(frozen=True)
class RetrievalFigures:
    """What one run measured.

    Attributes:
        nodes: Nodes that were searched. lemmas: Lemmas of the data set that were asked about.
        dropped: Lemmas without a premise among the nodes, or that are not among them.
        premises: Mean number of premises of a lemma, without plumbing.
        missing: Retrievers that could not run, with the reason.
    """

    nodes: int
    lemmas: int
    dropped: int
    premises: float
    comparisons: tuple[Comparison, ...]
    missing: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def tasks_of(
    premises: PremiseSet,
    lemmas: Iterable[PremiseLemma],
    nodes: Mapping[str, MethodNode],
    stands: Mapping[str, str],
    asked: Asked,
    plumbing: bool = False,
) -> list[Task]:
    """The queries of lemmas; one without a premise among the nodes is left out.

    A premise that is an alias is found where the node that stands for it is found, unless that is
    the lemma itself.

    Args:
        premises: The data set.
        lemmas: Those of its lemmas that are asked about.
        nodes: What is searched, by declaration name.
        stands: By the id of an alias, the node that is searched in its place.
        asked: What a query is.
        plumbing: Whether plumbing counts as a premise.
    """

    def searched(names: Iterable[str]) -> frozenset[str]:
        ids = (nodes[name].id for name in names if name in nodes)
        return frozenset(stands.get(id_, id_) for id_ in ids)

    tasks = []
    for lemma in lemmas:
        hidden = searched(lemma.hidden)
        relevant = searched(lemma.premises if plumbing else premises.counted(lemma)) - hidden
        if relevant and lemma.name in nodes:
            query = goal_of(nodes[lemma.name]) if asked == "node" else lemma.signature
            tasks.append(Task(lemma.name, lemma.area, query, hidden, relevant))
    return tasks


def goal_of(node: MethodNode) -> MethodNode:
    """What is known of a statement before it is proved and has a name."""
    return MethodNode(
        id="goal",
        kind=NodeKind.THEOREM,
        name=None,
        statement=node.statement,
        label=Label.CONJECTURE,
        symbols=node.symbols,
        universes=node.universes,
        binders=node.binders,
        features=node.features,
        canonical=node.canonical,
    )


def found_theorems(
    retriever: Retriever, query: Query, hidden: frozenset[str], theorems: frozenset[str]
) -> Answer:
    """The first theorems that a retriever finds beside what is hidden, and how it found them."""
    before = time.perf_counter()
    retrieval = retriever.search(query, FETCHED)
    seconds = time.perf_counter() - before
    found = tuple(h.node for h in retrieval.hits if h.node in theorems and h.node not in hidden)
    return Answer(found[:DEPTH], seconds, retrieval.comparisons, retrieval.visits)


def ask(
    retriever: Retriever, tasks: Sequence[Task], theorems: frozenset[str], progress: Progress
) -> list[Answer]:
    """A retriever's answers, after one query that does not count: first calls load libraries."""
    if tasks:
        retriever.search(tasks[0].query, FETCHED)
    answers = []
    for task in tasks:
        answers.append(found_theorems(retriever, task.query, task.hidden, theorems))
        progress.advance(1)
    return answers


def figures_of(tasks: Sequence[Task], answers: Sequence[Answer], seed: int) -> Figures:
    """Means over at least one query, with intervals."""
    pairs = list(zip(tasks, answers, strict=True))

    def share(k: int) -> list[float]:
        return [recall(a.ranked, t.relevant, k) for t, a in pairs]

    return Figures(
        queries=len(pairs),
        recall={k: bootstrap(share(k), seed) for k in CUTS},
        mrr=bootstrap([reciprocal_rank(a.ranked, t.relevant) for t, a in pairs], seed),
        mean_ms=1000 * statistics.fmean(a.seconds for a in answers),
        median_ms=1000 * statistics.median(a.seconds for a in answers),
        comparisons=statistics.fmean(a.comparisons for a in answers),
        visits=statistics.fmean(a.visits for a in answers),
    )


def difference_of(
    tasks: Sequence[Task], funnel: Sequence[Answer], flat: Sequence[Answer], seed: int
) -> Difference:
    """The funnel less the flat search, lemma by lemma."""

    def points(k: int) -> list[float]:
        return [
            100 * (recall(one.ranked, task.relevant, k) - recall(other.ranked, task.relevant, k))
            for task, one, other in zip(tasks, funnel, flat, strict=True)
        ]

    whole = sum(answer.comparisons for answer in flat)
    share = sum(answer.comparisons for answer in funnel) / whole if whole else 0.0
    return Difference({k: bootstrap(points(k), seed) for k in CUTS}, share)


def compare(
    retrievers: Mapping[str, Retriever],
    tasks: Sequence[Task],
    theorems: frozenset[str],
    asked: Asked,
    plumbing: bool,
    seed: int,
    progress: Progress,
) -> Comparison:
    """All retrievers on the same queries."""
    answers = {}
    for name, retriever in retrievers.items():
        progress.stage(f"{name}, asked by {asked}", len(tasks))
        answers[name] = ask(retriever, tasks, theorems, progress)
    difference = None
    if FUNNEL in answers and FLAT in answers:
        difference = difference_of(tasks, answers[FUNNEL], answers[FLAT], seed)
    return Comparison(
        asked=asked,
        plumbing=plumbing,
        retrievers={name: figures_of(tasks, given, seed) for name, given in answers.items()},
        areas={name: _by_area(tasks, given, seed) for name, given in answers.items()},
        difference=difference,
    )


def _by_area(tasks: Sequence[Task], answers: Sequence[Answer], seed: int) -> dict[str, Figures]:
    found: dict[str, tuple[list[Task], list[Answer]]] = {}
    for task, answer in zip(tasks, answers, strict=True):
        of_area = found.setdefault(task.area, ([], []))
        of_area[0].append(task)
        of_area[1].append(answer)
    return {area: figures_of(*found[area], seed) for area in sorted(found)}


def measure(
    premises: PremiseSet,
    nodes: Sequence[MethodNode],
    stands: Mapping[str, str],
    retrievers: Mapping[str, Retriever],
    missing: Mapping[str, str],
    seed: int,
    sample: int = 0,
    progress: Progress | None = None,
) -> RetrievalFigures:
    """Measures retrievers on a data set: by statement, by text, and with plumbing as premises.

    Args:
        premises: The data set.
        nodes: All declarations, by whatever name they are known.
        stands: By the id of an alias, the node that is searched in its place.
        retrievers: By name.
        missing: Retrievers that cannot run, with the reason, for the report.
        seed: Of the intervals.
        sample: How many lemmas, evenly over the data set; 0 for all.
        progress: Told of each query.
    """
    progress = progress or SilentProgress()
    named = {node.name: node for node in nodes if node.name}
    theorems = frozenset(node.id for node in nodes if is_sought(node))
    lemmas = sampled(premises.lemmas, sample)
    settings: tuple[tuple[Asked, bool], ...] = (("node", False), ("text", False), ("node", True))
    comparisons = []
    for asked, plumbing in settings:
        tasks = tasks_of(premises, lemmas, named, stands, asked, plumbing)
        if tasks:
            comparisons.append(
                compare(retrievers, tasks, theorems, asked, plumbing, seed, progress)
            )
    progress.done()
    asked_about = tasks_of(premises, lemmas, named, stands, "node")
    return RetrievalFigures(
        nodes=len(nodes) - len(stands),
        lemmas=len(asked_about),
        dropped=len(lemmas) - len(asked_about),
        premises=statistics.fmean(len(t.relevant) for t in asked_about) if asked_about else 0.0,
        comparisons=tuple(comparisons),
        missing=dict(missing),
    )


def sampled(lemmas: Sequence[PremiseLemma], count: int) -> tuple[PremiseLemma, ...]:
    """Evenly spaced lemmas; all where the count is 0 or no less than there are."""
    if count <= 0 or count >= len(lemmas):
        return tuple(lemmas)
    return tuple(lemmas[at * len(lemmas) // count] for at in range(count))
