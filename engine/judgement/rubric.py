"""The rubric: five scores from evidence, their weighted sum S, and the threshold o."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.judgement.applicability import applicability
from engine.judgement.derivation import Chain, consistency
from engine.judgement.novelty import Following, novelty
from engine.judgement.plan import PlanOutcome, verifiability
from engine.language.rewriting import Rewriter, is_instance
from engine.language.term import Law, Symbol
from engine.model import Score, Scores
from engine.settings import EvaluationSettings, RubricSettings

NO_GOAL = Score(value=0.5, reason="No goal was given: nothing speaks for it or against it.")


@dataclass(frozen=True)
class Evidence:
    """What is known of a candidate. It may be judged again whenever more is known.

    Attributes:
        nearest: Largest cosine to a known result, in [0, 1]. nearest_name: That result.
        following: Whether Lean derives it at once from known laws; ``None`` if not asked yet.
        chain: Its attributed ancestors.
        plan: How far its validation has come.
        goal: What is looked for; empty for a whole theory.
        goal_cosine: Cosine to the goal, in [0, 1]; ``None`` without a goal.
    """

    nearest: float = 0.0
    nearest_name: str = ""
    following: Following | None = None
    chain: Chain = field(default_factory=Chain)
    plan: PlanOutcome = field(default_factory=PlanOutcome)
    goal: str = ""
    goal_cosine: float | None = None


@dataclass(frozen=True)
class Judgement:
    """The five scores, S, and why a candidate is pruned (empty when it is kept).

    Attributes:
        evidence: What it rests on.
    """

    scores: Scores
    total: float
    reason: str
    evidence: Evidence

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
        evidence: What was found out about it.
        known: Laws with their names, in which novelty is sought in vain.
        rewriter: Calculates with the known laws.
        settings: Weights and thresholds.
    """
    old = _is_old(law, known, rewriter)
    scores = _scores(law, evidence, old)
    veto = _veto(law, evidence) or old
    return _judgement(scores, evidence, settings, veto)


def judge_again(
    judgement: Judgement, law: Law, settings: RubricSettings, **news: object
) -> Judgement:
    """A judgement with more evidence; what was found by calculation is not sought again.

    Args:
        judgement: The earlier one; a candidate that was not kept stays pruned.
        law: The statement.
        settings: Weights and thresholds.
        news: Fields of :class:`Evidence`: ``plan=…``, ``following=…``.
    """
    evidence = replace(judgement.evidence, **news)  # type: ignore[arg-type]
    if not judgement.kept:
        return replace(judgement, evidence=evidence)
    return _judgement(_scores(law, evidence, ""), evidence, settings, "")


def weighted_sum(scores: Scores, settings: RubricSettings) -> float:
    """S = sum of weight times score, in [0, 1]."""
    weights = settings.weights.model_dump()
    return float(sum(weights[name] * score.value for name, score in scores.each.items()))


def evaluation_depth(weight: float, heaviest: float, settings: EvaluationSettings) -> int:
    """d_i = d_min + floor(d_range * (w_i / max w)^gamma) (paper: evaluation depth).

    Raises:
        ValueError: A weight is negative, or the heaviest is not the heaviest.
    """
    if not 0 <= weight <= heaviest:
        raise ValueError("weights must satisfy 0 <= w_i <= max w")
    share = weight / heaviest if heaviest else 0.0
    return settings.d_min + int(settings.d_range * share**settings.gamma)


def _scores(law: Law, evidence: Evidence, old: str) -> Scores:
    news = novelty(evidence.nearest, evidence.nearest_name, evidence.following)
    return Scores(
        novelty=Score(value=0.0, reason=f"It is {old}.") if old else news,
        consistency=consistency(evidence.chain),
        verifiability=verifiability(law.size, evidence.plan),
        applicability=applicability(law),
        goal_alignment=_goal_alignment(evidence),
    )


def _goal_alignment(evidence: Evidence) -> Score:
    if evidence.goal_cosine is None:
        return NO_GOAL
    said = f"Its cosine to the goal “{evidence.goal}” is {evidence.goal_cosine:.2f}."
    return Score(value=evidence.goal_cosine, reason=said)


def _judgement(
    scores: Scores, evidence: Evidence, settings: RubricSettings, veto: str
) -> Judgement:
    total = weighted_sum(scores, settings)
    if not veto and scores.novelty.value < settings.least_novelty:
        figures = f"{scores.novelty.value:.2f} is below {settings.least_novelty:.2f}"
        found = evidence.following.reason if evidence.following else ""
        veto = f"it {found}" if found else f"its novelty {figures}"
    if not veto and total < settings.threshold:
        veto = f"S = {total:.2f} is below the threshold {settings.threshold:.2f}"
    return Judgement(scores, total, veto, evidence)


def _veto(law: Law, evidence: Evidence) -> str:
    if evidence.chain.missing:
        missing = ", ".join(evidence.chain.missing)
        return f"a fabricated parent: {missing} does not exist"
    if all(s.is_background for s in law.symbols()):
        return "it speaks of core functions only, not of the theory"
    head = law.lhs.head
    if isinstance(head, Symbol) and head.is_constructor and head == law.rhs.head and law.lhs.args:
        return f"both sides begin with {head.text}: what is equal stands inside"
    return ""


def _is_old(law: Law, known: Sequence[tuple[str, Law]], rewriter: Rewriter) -> str:
    """Which known law makes a candidate needless, found by calculation; empty if none does."""
    for name, other in known:
        if is_instance(law, other):
            return f"an instance of {name}"
    if rewriter.joins(law):
        return "a consequence of known laws by calculation"
    return ""
