"""What each operator brings: each alone switched off, compared with all of them.

Every arm is a run of its own on the same theories with the same budget, scored against QuickSpec's
published laws (:mod:`engine.evaluation.explore_bench`). The arms take turns on each theory, so that
the load of the machine meets them alike. Runs are bounded by the clock, so that a small difference
is noise: the arm with all operators runs twice, and what it differs by from itself is printed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.evaluation.discovery_run import Bench, FinishedRun
from engine.evaluation.explore_bench import DEFINED, FOUND, IMPLIED, published, score
from engine.strategy.operators import OPERATORS, Operator

ALL, AGAIN = "all", "all again"
MILESTONES = (5, 10, 20)
"""The n for which the time to the n-th lemma is told."""


@dataclass(frozen=True)
class ArmRun:
    """One run of an arm.

    Attributes:
        arm: The operator that was left out, ``all`` or ``all again``.
        verified: Lemmas by the operator that drafted them.
        covered: Goldens that were found or follow. found: Goldens that were found.
        goldens: Number of goldens.
        milestones: Seconds to the n-th lemma, for each n of :data:`MILESTONES` that was reached.
    """

    arm: str
    theory: str
    verified: dict[str, int]
    found: int
    covered: int
    goldens: int
    milestones: dict[int, float]
    seconds: float

    @property
    def lemmas(self) -> int:
        """Number of verified lemmas."""
        return sum(self.verified.values())

    def __str__(self) -> str:
        return (
            f"{_title(self.theory, self.arm)}: {self.covered} of {self.goldens} laws found or "
            f"implied, {self.lemmas} lemmas, {self.seconds:.0f} s"
        )


@dataclass(frozen=True)
class ArmTotal:
    """An arm over all theories, and what it has more than the arm with all operators.

    Attributes:
        lemmas, found, covered: Sums. more: The differences, negative where the operator was missed.
        milestones: Mean seconds to the n-th lemma over the theories where both arms reached it,
            as a ratio to those of the arm with all operators.
    """

    arm: str
    lemmas: int
    found: int
    covered: int
    more: dict[str, int]
    milestones: dict[int, float]


@dataclass(frozen=True)
class OperatorFigures:
    """All arms."""

    budget: float
    runs: tuple[ArmRun, ...]
    totals: tuple[ArmTotal, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "budget": self.budget,
            "runs": [{**_with_text_keys(asdict(r)), "lemmas": r.lemmas} for r in self.runs],
            "totals": [_with_text_keys(asdict(t)) for t in self.totals],
        }


def arms(left_out: Sequence[Operator] = OPERATORS) -> dict[str, tuple[Operator, ...]]:
    """Operators by arm.

    Args:
        left_out: Operators that have an arm without them.
    """
    without = {o.name: tuple(p for p in OPERATORS if p is not o) for o in left_out}
    return {ALL: OPERATORS, **without, AGAIN: OPERATORS}


def measure(
    bench: Bench, folder: Path, names: Sequence[str], left_out: Sequence[Operator] = OPERATORS
) -> OperatorFigures:
    """Runs the arms.

    Args:
        bench: How to run.
        folder: Of the QuickSpec benchmark.
        names: Of the theories.
        left_out: Operators that have an arm without them.

    Raises:
        InputError: A golden is missing or cannot be stated.
        KeyboardInterrupt: The user ended a run.
    """
    runs = []
    for turn, name in enumerate(names):
        theory, laws = published(bench.workshop, folder, name)
        for arm, operators in _rotated(list(arms(left_out).items()), turn):
            title = _title(name, arm)
            with bench.run(theory, title, operators) as run:
                bench.progress.stage(f"scoring {title}", len(laws))
                fates = [law.fate for law in score(laws, run, bench.progress)]
                runs.append(arm_run(arm, name, run, fates))
            bench.notify(str(runs[-1]))
    bench.progress.done()
    return OperatorFigures(bench.budget, tuple(runs), tuple(totals(runs)))


def arm_run(arm: str, theory: str, run: FinishedRun, fates: Sequence[str]) -> ArmRun:
    """The figures of one run."""
    times = sorted(lemma.after for lemma in run.lemmas)
    operators = [lemma.operator for lemma in run.lemmas]
    return ArmRun(
        arm=arm,
        theory=theory,
        verified={o: operators.count(o) for o in dict.fromkeys(operators)},
        found=fates.count(FOUND),
        covered=sum(fate in (FOUND, IMPLIED, DEFINED) for fate in fates),
        goldens=len(fates),
        milestones={n: times[n - 1] for n in MILESTONES if n <= len(times)},
        seconds=run.seconds,
    )


def totals(runs: Sequence[ArmRun]) -> list[ArmTotal]:
    """The arms over all theories, compared with the one that has all operators."""
    by_arm = {arm: [r for r in runs if r.arm == arm] for arm in dict.fromkeys(r.arm for r in runs)}
    base = by_arm[ALL]
    return [_total(arm, by_arm[arm], base) for arm in sorted(by_arm, key=_order)]


def _total(arm: str, of_arm: Sequence[ArmRun], base: Sequence[ArmRun]) -> ArmTotal:
    ours, theirs = _sums(of_arm), _sums(base)
    return ArmTotal(
        arm=arm,
        lemmas=ours["lemmas"],
        found=ours["found"],
        covered=ours["covered"],
        more={what: ours[what] - theirs[what] for what in ours},
        milestones=_ratios(of_arm, base),
    )


def _sums(runs: Sequence[ArmRun]) -> dict[str, int]:
    return {
        "lemmas": sum(r.lemmas for r in runs),
        "found": sum(r.found for r in runs),
        "covered": sum(r.covered for r in runs),
    }


def _ratios(of_arm: Sequence[ArmRun], base: Sequence[ArmRun]) -> dict[int, float]:
    """Time to the n-th lemma by that of the base, over the theories where both reached it."""
    by_theory = {r.theory: r.milestones for r in base}
    ratios = {}
    for n in MILESTONES:
        both = [
            (r.milestones[n], by_theory[r.theory][n])
            for r in of_arm
            if n in r.milestones and n in by_theory[r.theory]
        ]
        if both and (whole := sum(theirs for _, theirs in both)) > 0:
            ratios[n] = sum(ours for ours, _ in both) / whole
    return ratios


def _order(arm: str) -> tuple[int, str]:
    return ({ALL: 0, AGAIN: 1}.get(arm, 2), arm)


def _title(theory: str, arm: str) -> str:
    """Such as ``Arith without induction``, or ``Arith with all operators again``."""
    with_all = {ALL: "with all operators", AGAIN: "with all operators again"}
    return f"{theory} {with_all.get(arm, f'without {arm}')}"


def _rotated(items: list[Any], turn: int) -> list[Any]:
    at = turn % len(items)
    return items[at:] + items[:at]


def _with_text_keys(document: dict[str, Any]) -> dict[str, Any]:
    """JSON has no numbers as keys."""
    milestones = {str(n): seconds for n, seconds in document["milestones"].items()}
    return {**document, "milestones": milestones}
