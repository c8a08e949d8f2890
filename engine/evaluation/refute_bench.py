"""How many false statements are refuted, how fast, and whether a true one ever is.

The problems of TIP's folder ``false`` are false; those of ``isaplanner`` and ``prod`` are true. A
refutation counts when Lean has proved the negation.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.evaluation.benchmarks import benchmark_folder
from engine.judgement.refutation import Falsifier, Refutation
from engine.proving.inputs.tip.problem import TipFile
from engine.proving.problem import Problem
from engine.proving.refuting import SECONDS, STEPS
from verifier.errors import InputError
from verifier.progress import Progress
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verifier import Verifier

FALSE = "false"
TRUE = ("isaplanner", "prod")
CONFIRMED, UNCONFIRMED, NONE, UNTRANSLATED = "confirmed", "unconfirmed", "none", "untranslated"


@dataclass(frozen=True)
class Outcome:
    """What became of a problem.

    Attributes:
        outcome: ``confirmed``: refuted, with a proof of the negation; ``unconfirmed``: values were
            found and no proof; ``none``; ``untranslated``: it has no translation.
        seconds: For search and proof, wall-clock. translation: Before that.
        counterexample: The values, or why there is no translation.
    """

    folder: str
    name: str
    outcome: str
    seconds: float
    translation: float
    counterexample: str

    def __str__(self) -> str:
        told = {
            CONFIRMED: f"refuted in {self.seconds:.2f} s",
            UNCONFIRMED: f"values without a proof in {self.seconds:.2f} s",
            NONE: f"not refuted in {self.seconds:.2f} s",
            UNTRANSLATED: "no translation",
        }[self.outcome]
        line = f"{self.folder}/{self.name}: {told}"
        return " ".join(f"{line}: {self.counterexample}".split()) if self.counterexample else line


@dataclass(frozen=True)
class RefuteFigures:
    """The outcomes with what they come to."""

    outcomes: tuple[Outcome, ...]

    def count(self, folders: Sequence[str], outcome: str) -> int:
        """How many problems of some folders came out like this."""
        return sum(o.folder in folders and o.outcome == outcome for o in self.outcomes)

    def total(self, folders: Sequence[str]) -> int:
        """How many problems there are in some folders."""
        return sum(o.folder in folders for o in self.outcomes)

    def seconds(self, folders: Sequence[str], outcomes: Sequence[str]) -> list[float]:
        """Times of the problems that came out like this."""
        return [o.seconds for o in self.outcomes if o.folder in folders and o.outcome in outcomes]

    def as_dict(self) -> dict[str, Any]:
        """Figures for JSON."""
        found = self.seconds((FALSE,), (CONFIRMED,))
        searched = self.seconds(TRUE, (NONE, UNCONFIRMED, CONFIRMED))
        return {
            "false": self.total((FALSE,)),
            "refuted": self.count((FALSE,), CONFIRMED),
            "unconfirmed": self.count((FALSE,), UNCONFIRMED),
            "untranslated": self.count((FALSE,), UNTRANSLATED),
            "seconds_mean": statistics.mean(found) if found else None,
            "seconds_max": max(found, default=None),
            "true": self.total(TRUE),
            "true_refuted": self.count(TRUE, CONFIRMED),
            "true_unconfirmed": self.count(TRUE, UNCONFIRMED),
            "true_seconds_mean": statistics.mean(searched) if searched else None,
            "outcomes": [asdict(o) for o in self.outcomes],
        }


def problems(folders: Sequence[str], sample: int = 0) -> list[tuple[str, Path]]:
    """The files of some TIP folders; ``sample``: so many of each, evenly; 0 for all.

    Raises:
        InputError: A folder is not there.
    """
    tip = benchmark_folder("tip")
    found = []
    for folder in folders:
        if not (tip / folder).is_dir():
            raise InputError(f"the benchmark tip/{folder} is not there: looked in {tip}")
        paths = sorted((tip / folder).glob("*.smt2"))
        step = max(1, len(paths) // sample) if sample else 1
        found += [(folder, path) for path in paths[::step][: sample or None]]
    return found


def measure(
    session: Session,
    verifier: Verifier,
    files: Sequence[tuple[str, Path]],
    progress: Progress,
    notify: Callable[[str], None],
    seconds: float = SECONDS,
) -> RefuteFigures:
    """Tries to refute each problem.

    Args:
        session: Warm.
        verifier: Confirms, with all kernels that it has.
        files: From :func:`problems`.
        progress: Advances by problems.
        notify: Told in one line what became of each problem.
        seconds: Wall-clock limit of a search; proofs come after it.
    """
    progress.stage("statements", len(files))
    found = []
    for folder, path in files:
        found.append(_tried(session, verifier, folder, path, seconds))
        notify(str(found[-1]))
        progress.advance(1)
    progress.done()
    return RefuteFigures(tuple(found))


def _tried(
    session: Session, verifier: Verifier, folder: str, path: Path, seconds: float
) -> Outcome:
    started = time.perf_counter()
    try:
        (problem,) = TipFile(path).read(session).problems
        falsifier = _falsifier(session, verifier, problem, seconds)
    except (InputError, SessionLost) as error:
        translation = time.perf_counter() - started
        return Outcome(folder, path.stem, UNTRANSLATED, 0.0, translation, error.message)
    translation = time.perf_counter() - started
    started = time.perf_counter()
    refutation = falsifier.refute(problem.statement(falsifier.environment))
    took = time.perf_counter() - started
    values = str(refutation or "")
    return Outcome(folder, path.stem, _outcome(refutation), took, translation, values)


def _falsifier(session: Session, verifier: Verifier, problem: Problem, seconds: float) -> Falsifier:
    document = problem.document
    before = document.before(problem.command[0])
    ground = session.outline(document.environment, before, document.start).environment
    return Falsifier(session, verifier, ground, problem.context, steps=STEPS, seconds=seconds)


def _outcome(refutation: Refutation | None) -> str:
    if refutation is None:
        return NONE
    return CONFIRMED if refutation.confirmed else UNCONFIRMED
