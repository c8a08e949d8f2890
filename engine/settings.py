"""Every number that a user may tune, with its default and the reason for it.

The paper (Explainable Innovation Engine, arXiv 2603.09192) names no default values; these are
ours. An environment variable overrides a default: ``LEMMATA_FUNNEL__ETA=0.5`` sets ``funnel.eta``.
Nothing is read when this module is imported; ``load_settings`` reads the environment.
"""

from __future__ import annotations

import math
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from verifier.errors import InputError

DEFAULT_SEED = 2603


class SettingsGroup(BaseModel):
    """A group of related settings: frozen, and an unknown name is an error, not ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FunnelSettings(SettingsGroup):
    """Widths of the funnel, k_t = max(1, ceil(k_1 * eta^(t-1))) (paper: funnel retrieval).

    The recall named here is that of the ten nearest nodes of a flat search, over made-up algebraic
    laws, 30 to 960 nodes.

    Attributes:
        k_1: Clusters kept at the roots. 8 exceeds the default number of roots, so that the first
            step, where summaries are vaguest, prunes nothing.
        eta: Factor by which the width shrinks a step. 0.75 gives 8, 6, 5: the last step still
            opens several neighbourhoods, which small corpora need for recall.
        cluster_vector: What stands for v(s(c)): the ``centroid`` of the cluster, or the vector of
            its ``summary``, read as text. The centroid found 0.87 to 0.96, the summary 0.76 to
            0.95, and it needs no encoding.
    """

    k_1: int = Field(default=8, ge=1)
    eta: float = Field(default=0.75, gt=0.0, lt=1.0)
    cluster_vector: Literal["centroid", "summary"] = "centroid"


class AbstractionSettings(SettingsGroup):
    """Shape of the abstraction tree T_C (paper: K_t = max(K_min, ceil(K_1 * rho^(t-1)))).

    Attributes:
        k_1: Clusters above the leaves; ``None`` means ceil(sqrt(N)) for N nodes, which balances
            the number of clusters with their size. A fixed number suits one size only: 64 turned
            60 nodes into singletons, and the funnel then could not return ten of them.
        k_n: Clusters at the roots, at most k_1. 4 is a choice that a person can read.
        k_min: Lower bound on the clusters of a level. 2, since one root would tell nothing.
        rounds: Rounds n of clustering, the depth of T_C. 3 is the least depth with a level that
            is neither roots nor the clusters above the leaves.
        seed: Seed of the clustering. Any fixed number does; one seed gives one tree.
    """

    k_1: int | None = Field(default=None, ge=1)
    k_n: int = Field(default=4, ge=1)
    k_min: int = Field(default=2, ge=1)
    rounds: int = Field(default=3, ge=1)
    seed: int = Field(default=DEFAULT_SEED, ge=0)

    @model_validator(mode="after")
    def _narrows_upwards(self) -> Self:
        if self.k_1 is not None and self.k_n > self.k_1:
            raise ValueError("k_n must not exceed k_1: T_C narrows from the leaves to the roots")
        return self


class EncoderSettings(SettingsGroup):
    """The structural encoder, the one that needs no model.

    Attributes:
        dimensions: Width d of the vectors after the truncated SVD. 128 keeps a library of some
            thousand lemmas apart and a flat search over it under a millisecond.
        seed: Seed of the randomised SVD.
    """

    dimensions: int = Field(default=128, ge=2)
    seed: int = Field(default=DEFAULT_SEED, ge=0)


class BacktrackingSettings(SettingsGroup):
    """How far provenance is followed (paper: I_d(m) = prod_{l=1..d} (w_l(m) + eps)).

    Attributes:
        theta: An ancestor is kept while I_d >= theta. With 0.25 two middling links (w = 0.5) are
            followed and a third is not; strong links (w = 1) are followed to the full depth.
        depth: Largest number m of links. 4 bounds the ancestors by four times the retrieved nodes;
            beyond that a chain explains history rather than method.
        eps: Added to each weight so that one unrated link (w = 0) does not erase a chain by
            itself. 0.05 is a fifth of the smallest step between two ratings.
    """

    theta: float = Field(default=0.25, gt=0.0, le=1.0)
    depth: int = Field(default=4, ge=0)
    eps: float = Field(default=0.05, ge=0.0, lt=0.25)


class DedupSettings(SettingsGroup):
    """When two nodes are one (paper: merge at cos(v(sum(m)), v(sum(m'))) >= tau).

    Attributes:
        tau: Cosine at which a pair is examined for a merge. 0.95: below it structural vectors
            also pair a theorem with the variant that lacks one of its hypotheses.
    """

    tau: float = Field(default=0.95, gt=0.0, le=1.0)


class RubricWeights(SettingsGroup):
    """Weights of the five scores; they sum to 1 so that S stays in [0, 1].

    Novelty and consistency lead, because a lemma that is known or that clashes with the theory
    is worthless however useful it looks. Verifiability follows: Lean decides it in the end.
    """

    novelty: float = Field(default=0.25, ge=0.0, le=1.0)
    consistency: float = Field(default=0.25, ge=0.0, le=1.0)
    verifiability: float = Field(default=0.20, ge=0.0, le=1.0)
    applicability: float = Field(default=0.15, ge=0.0, le=1.0)
    goal_alignment: float = Field(default=0.15, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _sum_to_one(self) -> Self:
        total = math.fsum(self.model_dump().values())
        if abs(total - 1.0) > 1e-6:
            raise ValueError(f"the rubric weights must sum to 1, not {total:.6g}")
        return self


class RubricSettings(SettingsGroup):
    """The evaluation rubric: S is the weighted sum, and a candidate is kept at S >= threshold.

    Attributes:
        weights: The five weights.
        threshold: The paper's o. 0.5 is the middle of the scale; a proof attempt is cheap, and a
            good lemma that is pruned is lost without a trace in the library.
    """

    weights: RubricWeights = RubricWeights()
    threshold: float = Field(default=0.5, ge=0.0, le=1.0)


class EvaluationSettings(SettingsGroup):
    """Depth of evaluation, d_i = d_min + floor(d_range * (w_i / max w)^gamma) (paper: evaluation).

    Attributes:
        d_min: Depth that every candidate gets. 1: nothing is dropped unlooked at.
        d_range: Extra depth of the heaviest candidate. 3 makes its search four times as deep.
        gamma: How sharply depth follows weight. 2 spends the extra depth on the best quarter.
    """

    d_min: int = Field(default=1, ge=1)
    d_range: int = Field(default=3, ge=0)
    gamma: float = Field(default=2.0, gt=0.0)


class Settings(BaseSettings):
    """All settings; see the groups for what each means.

    Attributes:
        second_kernel: Whether a result must be accepted by a second kernel to be verified. ``off``
            is for machines that the wheel with the second kernel does not run on.
        lean: Your own Lean (``LEMMATA_LEAN``): a ``lean`` program, a toolchain's folder or a Lake
            project. Empty means that the project around the current folder and then the PATH are
            searched; see ``docs/native.md``.
    """

    model_config = SettingsConfigDict(
        env_prefix="LEMMATA_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    funnel: FunnelSettings = FunnelSettings()
    abstraction: AbstractionSettings = AbstractionSettings()
    encoder: EncoderSettings = EncoderSettings()
    backtracking: BacktrackingSettings = BacktrackingSettings()
    dedup: DedupSettings = DedupSettings()
    rubric: RubricSettings = RubricSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    second_kernel: Literal["on", "off"] = "on"
    lean: str = ""


def load_settings(**overrides: Any) -> Settings:
    """Read the settings from the environment, with explicit values on top.

    Args:
        overrides: Groups by name, e.g. ``funnel=FunnelSettings(k_1=4)``; they win over the
            environment.

    Raises:
        InputError: A value is out of its range or cannot be read.
    """
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise InputError(
            f"a setting cannot be used: {problems}",
            "correct the LEMMATA_… environment variable or the option that sets it",
        ) from error
