"""The rubric: five scores from evidence, their weighted sum S, and the threshold o."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.language.rewriting import Rewriter, greater, is_instance
from engine.language.term import Law
from engine.model import Scores
from engine.settings import EvaluationSettings, RubricSettings

SIZE_SCALE = 24
"""Symbols and variables at which a statement counts as hard to verify."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a candidate before a proof is tried.

    Attributes:
        nearest: Largest cosine to a known result, in [0, 1].
        goal_cosine: Cosine to the goal, in [0, 1]; ``None`` without a goal.
        parents_known: Share of the attributed parents that exist in the store.
    """

    nearest: float
    goal_cosine: float | None
    parents_known: float


@dataclass(frozen=True)
class Judgement:
    """The five scores, S, and why a candidate is pruned (empty when it is kept)."""

    scores: Scores
    total: float
    reason: str

    @property
    def kept(self) -> bool:
        """Whether S >= o and nothing forbids it."""
        return not self.reason


def judge(
    law: Law,
    evidence: Evidence,
    known: Sequence[tuple[str, Law]],
    rewriter: Rewriter,
    settings: RubricSettings,
) -> Judgement:
    """Scores a candidate (paper: evaluation rubric; S is the weighted sum, keep at S >= o).

    Args:
        law: The statement.
        evidence: What was measured of it.
        known: Laws with their names, in which novelty is sought in vain.
        rewriter: Calculates with the known laws.
        settings: Weights and threshold.
    """
    veto = _veto(law, evidence, known, rewriter)
    scores = Scores(
        novelty=0.0 if veto else 1.0 - 0.5 * evidence.nearest,
        consistency=evidence.parents_known,
        verifiability=max(0.0, 1.0 - law.size / SIZE_SCALE),
        applicability=_applicability(law),
        goal_alignment=0.5 if evidence.goal_cosine is None else evidence.goal_cosine,
    )
    total = weighted_sum(scores, settings)
    if not veto and total < settings.threshold:
        veto = f"S = {total:.2f} is below the threshold {settings.threshold:.2f}"
    return Judgement(scores, total, veto)


def weighted_sum(scores: Scores, settings: RubricSettings) -> float:
    """S = sum of weight times score, in [0, 1]."""
    weights = settings.weights.model_dump()
    return float(sum(weights[name] * value for name, value in scores.model_dump().items()))


def evaluation_depth(weight: float, heaviest: float, settings: EvaluationSettings) -> int:
    """d_i = d_min + floor(d_range * (w_i / max w)^gamma) (paper: evaluation depth).

    Raises:
        ValueError: A weight is negative, or the heaviest is not the heaviest.
    """
    if not 0 <= weight <= heaviest:
        raise ValueError("weights must satisfy 0 <= w_i <= max w")
    share = weight / heaviest if heaviest else 0.0
    return settings.d_min + int(settings.d_range * share**settings.gamma)


def _veto(
    law: Law, evidence: Evidence, known: Sequence[tuple[str, Law]], rewriter: Rewriter
) -> str:
    if evidence.parents_known < 1.0:
        return "a fabricated parent: an attributed ancestor does not exist"
    if all(s.is_background for s in law.symbols()):
        return "it speaks of core functions only, not of the theory"
    for name, other in known:
        if is_instance(law, other):
            return f"an instance of {name}"
    if rewriter.joins(law):
        return "it follows from known laws by calculation"
    return ""


def _applicability(law: Law) -> float:
    """How often a law can fire: as a rewrite rule, for all arguments, without constants inside."""
    usable = 1.0 if greater(law.lhs, law.rhs) or greater(law.rhs, law.lhs) else 0.6
    inner = [s for s in law.lhs.symbols() if s.is_constructor]
    return usable * max(0.4, 1.0 - 0.15 * len(inner))
