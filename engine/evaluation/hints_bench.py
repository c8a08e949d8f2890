"""Does retrieval help proving? The same statements with no hints, random hints, retrieved hints.

A statement is a theorem of Init or Std, stated again where ``simp`` and ``grind`` do not know it
or its aliases, and that one plain call of ``simp``, ``simp_all``, ``grind`` or ``omega`` does not
prove. Every arm has the same wall-clock budget for a statement and the same schedule, in which
attempts that use hints, from few hints to many, alternate with attempts that use none (case splits,
induction, unfolding). With no hints there are only the latter, so that arm gets through them
sooner; random hints are the control for the number of attempts. A proof that comes after the
budget does not count. The arms take turns on each statement, so that the load of the machine meets
them alike.

Hints are theorems, never the statement's own or an alias. Random ones are as many, drawn from the
same theorems. What a hint can be used for is found out once, outside of the budget: which way
``simp`` may rewrite with it (:func:`verifier.prover.hints.orientation`), and whether ``grind``
takes it. So one useless hint does not spoil an attempt that has others.

How the hints are packed (:data:`PACKINGS`) is chosen on a training part of the statements; the
figures are of the rest. The library's own later lemmas are at hand for every arm, as simp rules and
as hints: a person who proves a missing lemma of a library has them, too.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.evaluation.hint_search import MOST, Arena, Goal, Solution
from engine.evaluation.premises import area_of
from engine.evaluation.ranking import sign_test
from engine.model import MethodNode
from verifier.progress import Progress, SilentProgress

NONE = "no hints"
RANDOM = "random hints"
PACKINGS: dict[str, tuple[int, ...]] = {
    "1, 4": (1, 4),
    "1, 4, 16": (1, 4, 16),
    "4, 16": (4, 16),
}
"""How many of the first hints an attempt gets, one attempt after the other."""

TRAINING_SHARE = 0.25

Finder = Callable[[MethodNode, frozenset[str]], Sequence[str]]
"""Names of the theorems that are hints for a statement, best first, without hidden ones."""


@dataclass(frozen=True)
class ArmFigures:
    """One arm on the held-out statements.

    Attributes:
        solved: Statements proved and verified. hinted: Of those, with a hint in the proof term.
        seconds: Mean time for a statement. to_proof: Mean time of those that were proved.
        attempts: Mean number of elaborations.
    """

    solved: int
    hinted: int
    seconds: float
    to_proof: float
    attempts: float


@dataclass(frozen=True)
class Paired:
    """Two arms, statement by statement: solved by one of them only, and the exact sign test."""

    one: str
    other: str
    only_one: int
    only_other: int
    p: float


@dataclass(frozen=True)
class HintFigures:
    """What one run measured.

    Attributes:
        tried: Theorems that were looked at until enough were found that plain calls do not prove.
        training: Statements of the sweep. statements: Held-out statements.
        budget: Seconds an arm had for a statement.
        sweep: Statements of the training part solved with the swept arm's hints, by packing.
        packing: The packing that was chosen. swept: The arm it was chosen for.
        refused: Proofs that the verifier did not accept.
        examples: Statements that only the swept arm solved: name and proof.
    """

    tried: int
    training: int
    statements: int
    budget: float
    swept: str
    sweep: dict[str, int]
    packing: str
    arms: dict[str, ArmFigures]
    paired: tuple[Paired, ...]
    areas: dict[str, dict[str, int]]
    refused: int
    examples: tuple[tuple[str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def random_finder(theorems: Sequence[str], seed: int) -> Finder:
    """Hints drawn from all theorems, others for each statement, the same in each run."""

    def find(node: MethodNode, hidden: frozenset[str]) -> Sequence[str]:
        generator = random.Random(f"{seed} {node.id}")
        drawn = generator.sample(theorems, min(len(theorems), MOST + len(hidden)))
        return [name for name in drawn if name not in hidden][:MOST]

    return find


def measure(
    arena: Arena,
    finders: Mapping[str, Finder],
    swept: str,
    count: int,
    budget: float,
    seed: int,
    progress: Progress | None = None,
) -> HintFigures:
    """Measures the arms: the packing on a training part, the figures on the rest.

    Args:
        arena: Finds and tries statements.
        finders: Hints by arm; the arm without hints is added.
        swept: The arm for which the packing is chosen.
        count: Statements, training part included.
        budget: Seconds of an arm for a statement.
        seed: Of the draw.
        progress: Told of each statement.
    """
    progress = progress or SilentProgress()
    progress.stage("statements that plain calls do not prove", count)
    goals = arena.goals(count, seed, progress)
    random.Random(seed).shuffle(goals)
    at = round(TRAINING_SHARE * len(goals))
    training, held_out = goals[:at], goals[at:]
    sweep = _sweep(arena, finders[swept], training, budget, progress)
    packing = max(sweep, key=lambda name: (sweep[name], -max(PACKINGS[name])))
    progress.stage("arms", len(held_out))
    arms: dict[str, Finder] = {NONE: lambda _node, _hidden: (), **finders}
    solutions: dict[str, list[Solution]] = {name: [] for name in arms}
    for turn, goal in enumerate(held_out):
        for name in _rotated(list(arms), turn):
            names = arms[name](goal.node, goal.hidden)
            solutions[name].append(arena.solve(goal, names, PACKINGS[packing], budget))
        progress.advance(1)
    progress.done()
    return HintFigures(
        tried=arena.tried,
        training=len(training),
        statements=len(held_out),
        budget=budget,
        swept=swept,
        sweep=sweep,
        packing=packing,
        arms={name: arm_figures(found) for name, found in solutions.items()},
        paired=tuple(
            paired(swept, name, solutions[swept], solutions[name]) for name in arms if name != swept
        ),
        areas=_by_area(held_out, solutions),
        refused=arena.refused,
        examples=_examples(held_out, solutions, swept),
    )


def _sweep(
    arena: Arena, finder: Finder, goals: Sequence[Goal], budget: float, progress: Progress
) -> dict[str, int]:
    progress.stage("packings on the training part", len(goals))
    solved = dict.fromkeys(PACKINGS, 0)
    for goal in goals:
        names = finder(goal.node, goal.hidden)
        for name, packing in PACKINGS.items():
            solved[name] += arena.solve(goal, names, packing, budget).solved
        progress.advance(1)
    return solved


def _rotated(names: list[str], turn: int) -> list[str]:
    at = turn % len(names)
    return names[at:] + names[:at]


def arm_figures(solutions: Sequence[Solution]) -> ArmFigures:
    """Counts and means over the statements of an arm."""
    solved = [s for s in solutions if s.solved]
    return ArmFigures(
        solved=len(solved),
        hinted=sum(s.hinted for s in solved),
        seconds=statistics.fmean(s.seconds for s in solutions) if solutions else 0.0,
        to_proof=statistics.fmean(s.seconds for s in solved) if solved else 0.0,
        attempts=statistics.fmean(s.attempts for s in solutions) if solutions else 0.0,
    )


def paired(one: str, other: str, first: Sequence[Solution], second: Sequence[Solution]) -> Paired:
    """Two arms on the same statements in the same order."""
    only_one = sum(a.solved and not b.solved for a, b in zip(first, second, strict=True))
    only_other = sum(b.solved and not a.solved for a, b in zip(first, second, strict=True))
    return Paired(one, other, only_one, only_other, sign_test(only_one, only_other))


def _by_area(
    goals: Sequence[Goal], solutions: Mapping[str, Sequence[Solution]]
) -> dict[str, dict[str, int]]:
    areas: dict[str, dict[str, int]] = {}
    for at, goal in enumerate(goals):
        row = areas.setdefault(area_of(goal.node.name or ""), dict.fromkeys(["all", *solutions], 0))
        row["all"] += 1
        for name, found in solutions.items():
            row[name] += found[at].solved
    return dict(sorted(areas.items()))


def _examples(
    goals: Sequence[Goal], solutions: Mapping[str, Sequence[Solution]], swept: str
) -> tuple[tuple[str, str], ...]:
    others = [name for name in solutions if name != swept]
    return tuple(
        (goal.node.name or "", solutions[swept][at].proof)
        for at, goal in enumerate(goals)
        if solutions[swept][at].solved and not any(solutions[o][at].solved for o in others)
    )
