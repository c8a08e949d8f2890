"""What discovery finds of QuickSpec's published laws, and how much of what it finds says nothing.

A golden is *found* when the run verified the same statement, up to the names and the order of
arguments and hypotheses and the sides of equations; *implied* when it follows from the run's
verified lemmas and the equations of the definitions (:mod:`engine.evaluation.implication`), by the
definitions alone included; *missing* otherwise.

Redundant lemmas are counted by dropping them: from the last found to the first, a lemma goes when
it follows from those that are still there. So of two lemmas that follow from each other one stays.

The questions are spread over all provers (:mod:`engine.evaluation.panel`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.evaluation.discovery_run import Bench, FinishedRun, FoundLemma, Workshop
from engine.evaluation.goldens import Golden, read_goldens
from engine.evaluation.implication import Implication, Implied
from engine.evaluation.theories import theory_file
from engine.sources.lean_module import Theory
from engine.trees.statement import statement_key
from verifier.errors import InputError
from verifier.lean import Statement
from verifier.progress import Progress
from verifier.prover.minimise import is_premise
from verifier.verifier import Verifier

FOUND, IMPLIED, DEFINED, MISSING = "found", "implied", "by definition", "missing"


@dataclass(frozen=True)
class StatedLaw:
    """A published law over a theory.

    Attributes:
        name: How the report calls it. text: As it is published.
        statement: Lean signature. key: Canonical statement.
    """

    name: str
    text: str
    statement: str
    key: str


@dataclass(frozen=True)
class ScoredLaw:
    """What became of a published law.

    Attributes:
        fate: ``found``, ``implied`` by lemmas that were found, implied ``by definition``, or
            ``missing``.
        by: The lemma that says the same, or the proof from lemmas.
        after: Seconds until it was found; ``None`` unless it was.
    """

    name: str
    text: str
    statement: str
    fate: str
    by: str = ""
    after: float | None = None


@dataclass(frozen=True)
class TheoryFigures:
    """One theory.

    Attributes:
        goldens: All laws, in their order.
        discovered: The verified lemmas, in the order in which they were found.
        redundant: Names of those that follow from the others.
        counts: Of candidates. seconds: Of the run, without the scoring.
    """

    theory: str
    goldens: tuple[ScoredLaw, ...]
    discovered: tuple[FoundLemma, ...]
    redundant: tuple[str, ...]
    counts: dict[str, int]
    seconds: float

    def count(self, *fates: str) -> int:
        """How many laws had one of some fates."""
        return sum(law.fate in fates for law in self.goldens)

    @property
    def missing(self) -> list[ScoredLaw]:
        """The laws that were neither found nor follow."""
        return [law for law in self.goldens if law.fate == MISSING]

    def __str__(self) -> str:
        covered = len(self.goldens) - len(self.missing)
        return (
            f"{self.theory}: {covered} of {len(self.goldens)} laws found or implied, "
            f"{len(self.discovered)} lemmas, {self.seconds:.0f} s"
        )


@dataclass(frozen=True)
class ExploreFigures:
    """All theories of one run."""

    budget: float
    theories: tuple[TheoryFigures, ...]

    @property
    def laws(self) -> int:
        """Number of goldens."""
        return sum(len(t.goldens) for t in self.theories)

    @property
    def covered(self) -> int:
        """Goldens that were found or follow."""
        return sum(len(t.goldens) - len(t.missing) for t in self.theories)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        share = self.covered / self.laws if self.laws else 0.0
        return {**asdict(self), "laws": self.laws, "covered": self.covered, "share": share}


def measure(bench: Bench, folder: Path, names: Sequence[str]) -> ExploreFigures:
    """Discovers in each theory and scores the result.

    Args:
        bench: How to run.
        folder: Of the benchmark.
        names: Of the goldens.

    Raises:
        InputError: A golden is missing or cannot be stated.
        KeyboardInterrupt: The user ended a run.
    """
    figures = []
    for name in names:
        theory, laws = published(bench.workshop, folder, name)
        with bench.run(theory, name) as run:
            bench.progress.stage(f"scoring {name}", len(laws) + len(run.lemmas))
            figures.append(theory_figures(name, laws, run, bench.progress))
        bench.notify(str(figures[-1]))
    bench.progress.done()
    return ExploreFigures(bench.budget, tuple(figures))


def published(workshop: Workshop, folder: Path, name: str) -> tuple[Theory, list[StatedLaw]]:
    """One of QuickSpec's theories with its published laws.

    Args:
        workshop: Warm sessions.
        folder: Of the benchmark.
        name: Of the theory and its goldens.

    Raises:
        InputError: A golden is missing or cannot be stated.
    """
    theory = workshop.theory(theory_file("quickspec", name))
    return theory, stated_goldens(read_goldens(folder, name, theory), theory, workshop.verifier)


def theory_figures(
    name: str, laws: Sequence[StatedLaw], run: FinishedRun, progress: Progress
) -> TheoryFigures:
    """Scores a run against published laws."""
    return TheoryFigures(
        theory=name,
        goldens=tuple(score(laws, run, progress)),
        discovered=run.lemmas,
        redundant=tuple(redundant(run, progress)),
        counts=run.counts,
        seconds=run.seconds,
    )


def stated_goldens(
    goldens: Sequence[Golden], theory: Theory, verifier: Verifier
) -> list[StatedLaw]:
    """The goldens as Lean reads them.

    Raises:
        InputError: One does not elaborate: then the benchmark would measure something else.
    """
    stated = []
    for golden in goldens:
        statement = Statement(theory.environment, "golden", golden.statement, theory.context)
        finding, facts = verifier.check_statement(statement)
        if finding is not None or facts is None:
            said = finding.message if finding else ""
            raise InputError(
                f"law {golden.number} of {theory.name}, {golden.text}, does not elaborate as "
                f"{golden.statement}: {said}"
            )
        key = statement_key(facts.type)
        stated.append(StatedLaw(str(golden.number), golden.text, golden.statement, key))
    return stated


def score(laws: Sequence[StatedLaw], run: FinishedRun, progress: Progress) -> list[ScoredLaw]:
    """What became of published laws in a run."""
    found = {lemma.key: lemma for lemma in reversed(run.lemmas) if lemma.key}
    names = [lemma.name for lemma in run.lemmas]

    def scored(implication: Implication, law: StatedLaw) -> ScoredLaw:
        if (same := found.get(law.key)) is not None:
            fate, by, after = FOUND, same.name, same.after
        else:
            fate, by = implied_fate(law.statement, names, implication)
            after = None
        return ScoredLaw(law.name, law.text, law.statement, fate, by, after)

    return run.panel.each(scored, laws, progress)


def implied_fate(
    statement: str, lemmas: Sequence[str], implication: Implication
) -> tuple[str, str]:
    """Whether a statement follows from definitions, or else from lemmas; with the proof."""
    if (alone := implication.proof(statement, ())) is not None:
        return DEFINED, alone.proof
    if lemmas and (implied := implication.proof(statement, lemmas)) is not None:
        return IMPLIED, implied.proof
    return MISSING, ""


def redundant(run: FinishedRun, progress: Progress) -> list[str]:
    """Lemmas that can be left out, since they follow from those that stay; the last found first.

    What follows from some lemmas follows from more, so that all are first asked at once whether
    they follow from all the others. That settles those that do not, and those whose proofs use only
    lemmas that stay; the rest is asked again, one after the other.
    """
    names = [lemma.name for lemma in run.lemmas]
    dropped: list[str] = []

    def proof(implication: Implication, lemma: FoundLemma) -> Implied | None:
        others = [n for n in names if n != lemma.name and n not in dropped]
        return implication.proof(lemma.statement, others)

    from_all = run.panel.each(proof, run.lemmas, progress)
    for lemma, implied in reversed(list(zip(run.lemmas, from_all, strict=True))):
        if implied is not None and any(is_premise(name, implied.premises) for name in dropped):
            implied = run.panel.one(proof, lemma)
        if implied is not None:
            dropped.append(lemma.name)
    return dropped
