"""Given core's definitions alone, which of core's own lemmas does discovery find?

Recall is the share of the gold (:mod:`engine.evaluation.core_lemmas`) that was found or follows,
scored as in :mod:`engine.evaluation.explore_bench`. Many lemmas of core merely say how a function
computes, and follow from the definitions alone; recall is given of the others as well.

Precision is the share of the run's lemmas that are of use: core has the same lemma, or one from
which it follows and that follows from it, or a later proof of the run uses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.evaluation.core_copies import CoreCopy
from engine.evaluation.core_lemmas import Gold, GoldLemma, gold_of, read_core
from engine.evaluation.discovery_run import Bench, FinishedRun, FoundLemma
from engine.evaluation.explore_bench import (
    DEFINED,
    FOUND,
    IMPLIED,
    MISSING,
    ScoredLaw,
    StatedLaw,
    score,
)
from engine.evaluation.implication import Implication, hypothesis
from engine.evaluation.theories import theory_file
from verifier.progress import Progress
from verifier.prover.expression import Expression, constants
from verifier.prover.minimise import is_premise

SAME, EQUIVALENT, USED, OTHER = "the same", "equivalent", "used", "neither"
GIVEN = "given"
_LEVEL = re.compile(r"\b(Type|Sort) _")


@dataclass(frozen=True)
class JudgedLemma:
    """A lemma of a run, and why it counts as useful.

    Attributes:
        verdict: Core has ``the same`` or an ``equivalent`` one, it is ``used`` by a later proof, or
            ``neither``.
        by: The lemma of core, or of the run.
    """

    name: str
    statement: str
    verdict: str
    by: str = ""


@dataclass(frozen=True)
class CopyFigures:
    """One copy of definitions.

    Attributes:
        gold: Core's lemmas about them. foreign: Numbers of core's other lemmas, by the constant
            that puts them out of scope.
        lemmas: Of the run.
        counts: Of candidates. seconds: Of the run, without the scoring.
    """

    theory: str
    modules: tuple[str, ...]
    gold: tuple[ScoredLaw, ...]
    foreign: dict[str, int]
    lemmas: tuple[JudgedLemma, ...]
    counts: dict[str, int]
    seconds: float

    def count(self, *fates: str) -> int:
        """How many lemmas of core had one of some fates."""
        return sum(law.fate in fates for law in self.gold)

    @property
    def recall(self) -> float:
        """Share of the gold that was found or follows."""
        return _share(self.count(FOUND, IMPLIED, DEFINED), len(self.gold))

    @property
    def hard_recall(self) -> float:
        """The same without what follows from the definitions alone."""
        return _share(self.count(FOUND, IMPLIED), self.count(FOUND, IMPLIED, MISSING))

    @property
    def found_share(self) -> float:
        """Share of the gold that was found as it stands."""
        return _share(self.count(FOUND), len(self.gold))

    @property
    def precision(self) -> float:
        """Share of the run's lemmas that core has or that later proofs use."""
        return _share(sum(m.verdict != OTHER for m in self.lemmas), len(self.lemmas))

    def __str__(self) -> str:
        return (
            f"{self.theory}: {self.count(FOUND, IMPLIED, DEFINED)} of {len(self.gold)} lemmas of "
            f"core found or implied, {len(self.lemmas)} lemmas, precision {self.precision:.0%}, "
            f"{self.seconds:.0f} s"
        )


@dataclass(frozen=True)
class RediscoverFigures:
    """All copies of one run."""

    budget: float
    copies: tuple[CopyFigures, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON, with the shares."""
        copies = [
            {
                **asdict(copy),
                "recall": copy.recall,
                "hard_recall": copy.hard_recall,
                "found_share": copy.found_share,
                "precision": copy.precision,
            }
            for copy in self.copies
        ]
        return {"budget": self.budget, "copies": copies}


def measure(bench: Bench, copies: Sequence[CoreCopy]) -> RediscoverFigures:
    """Discovers in each copy and compares with core.

    Args:
        bench: How to run.
        copies: What to discover in.

    Raises:
        InputError: A lemma of core cannot be stated about its copy.
        KeyboardInterrupt: The user ended a run.
    """
    theorems = read_core({m for copy in copies for m in copy.modules}, bench.progress)
    figures = []
    for copy in copies:
        bench.progress.stage(f"core's lemmas about {copy.theory}", None)
        theory = bench.workshop.theory(theory_file("core", copy.theory))
        of_modules = [t for module in copy.modules for t in theorems[module]]
        gold = gold_of(copy, of_modules, theory.environment, bench.workshop.verifier)
        with bench.run(theory, copy.theory) as run:
            bench.progress.stage(f"scoring {copy.theory}", len(gold.lemmas) + len(run.lemmas))
            figures.append(copy_figures(copy, gold, run, bench.progress))
        bench.notify(str(figures[-1]))
    bench.progress.done()
    return RediscoverFigures(bench.budget, tuple(figures))


def copy_figures(copy: CoreCopy, gold: Gold, run: FinishedRun, progress: Progress) -> CopyFigures:
    """Scores a run against core's lemmas."""
    laws = [
        StatedLaw(lemma.names[0], ", ".join(lemma.names), lemma.statement, lemma.key)
        for lemma in gold.lemmas
    ]
    scored = score(laws, run, progress)
    judge = _Judge(gold.lemmas, scored, run)
    return CopyFigures(
        theory=copy.theory,
        modules=copy.modules,
        gold=tuple(scored),
        foreign=gold.foreign,
        lemmas=tuple(run.panel.each(judge.judged, run.lemmas, progress)),
        counts=run.counts,
        seconds=run.seconds,
    )


class _Judge:
    """Decides whether lemmas of a run are of use, the cheap reasons first.

    Args:
        gold: Core's lemmas. scored: What became of them.
        run: Has the lemmas.
    """

    def __init__(
        self, gold: Sequence[GoldLemma], scored: Sequence[ScoredLaw], run: FinishedRun
    ) -> None:
        self._run = run
        self._by_key = {lemma.key: lemma for lemma in gold}
        self._covered = [
            (lemma, self._functions(lemma.type))
            for lemma, law in zip(gold, scored, strict=True)
            if law.fate in (FOUND, IMPLIED)
        ]

    def judged(self, implication: Implication, lemma: FoundLemma) -> JudgedLemma:
        """Why a lemma counts."""
        verdict, by = self._verdict(implication, lemma)
        return JudgedLemma(lemma.name, lemma.statement, verdict, by)

    def _verdict(self, implication: Implication, lemma: FoundLemma) -> tuple[str, str]:
        if (same := self._by_key.get(lemma.key)) is not None:
            return SAME, same.names[0]
        for other in self._run.lemmas[self._run.lemmas.index(lemma) + 1 :]:
            if is_premise(lemma.name, other.premises):
                return USED, other.name
        for gold in self._near(implication, lemma):
            to_core = implication.proof(gold.statement, [lemma.name])
            if to_core is not None and _follows_from(implication, lemma, gold):
                return EQUIVALENT, gold.names[0]
        return OTHER, ""

    def _near(self, implication: Implication, lemma: FoundLemma) -> Iterator[GoldLemma]:
        """Lemmas of core that a lemma may be equivalent to: they are about the same functions.

        There is none for a lemma that says nothing new. What of core follows from nothing that the
        run has found does not follow from the lemma, and what follows from the definitions alone is
        not equivalent to a lemma that does not.
        """
        type_ = implication.elaborated(lemma.statement)
        functions = self._functions(type_) if type_ is not None else None
        near = [gold for gold, others in self._covered if others == functions]
        if near and implication.proof(lemma.statement, ()) is None:
            yield from near

    def _functions(self, type_: Expression) -> frozenset[str]:
        symbols = self._run.theory.symbols
        return frozenset(
            c for c in constants(type_) if c in symbols and not symbols[c].is_constructor
        )


def _follows_from(implication: Implication, lemma: FoundLemma, gold: GoldLemma) -> bool:
    """Whether a lemma follows from one of core's, at types of the lowest universe."""
    stated = f"({GIVEN} {gold.statement}) {lemma.statement}"
    rules = [hypothesis(GIVEN, gold.type)]
    return implication.proof_from(_LEVEL.sub("Type", stated), rules) is not None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
