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

    The defaults come from a sweep over vectors (TF-IDF and SVD, 128 dimensions) of the 60,000
    declarations of Lean's Init and Std and of random parts of them, 300 queries each: vectors of
    nodes, alone and with noise of half their length and of their whole length. Recall is that of
    the 10 and of the 32 nearest nodes of a flat search, for the worst of the three kinds of query;
    cost is the number of cosines as a share of N, on average and at worst. With the defaults:

    ======  ============  ============  =====  ==========
    N       recall at 10  recall at 32  cost   worst cost
    ======  ============  ============  =====  ==========
    60,000  0.9997        0.998         0.054  0.069
    5,000   0.994         0.980         0.124  0.154
    1,000   0.996         0.978         0.478  0.543
    ======  ============  ============  =====  ==========

    The vectors of the structural encoder over all 60,000, asked with the statements of 400
    theorems, as elaborated and as text: recall 0.9995 at 10, 0.997 at 32 and 0.990 at 128, cost
    0.053, at worst 0.076.

    Attributes:
        k_1: Clusters kept at the roots; ``None`` means the least number with which the last step
            keeps enough of the K_1 clusters above the leaves, see breadth and ranked. A fixed
            number suits one size only.
        eta: Factor by which the width shrinks a step. 0.9 prunes a third of the middle level of
            60,000 nodes and costs no recall; 0.5 and 0.75 open all of it to end as wide.
        breadth: The last step keeps ceil(breadth * sqrt(K_1)) clusters. The cost is then of the
            order of N^(3/4). 1 found 0.972 of the 32 nearest of 5,000 nodes, 1.25 finds 0.980,
            1.5 finds 0.983 at a sixth more cosines.
        ranked: Nodes that the last step ranks at least, on average; where there are fewer nodes
            all are ranked. Below some hundred nodes pruning saves nothing and loses much: without
            this bound 1,000 nodes have a recall at 32 of 0.88.
        cluster_vector: What stands for v(s(c)): the ``centroid`` of the cluster, or the vector of
            its ``summary``, read as text. Over 30 to 960 made-up laws the centroid found 0.87 to
            0.96, the summary 0.76 to 0.95, and it needs no encoding.
    """

    k_1: int | None = Field(default=None, ge=1)
    eta: float = Field(default=0.9, gt=0.0, lt=1.0)
    breadth: float = Field(default=1.25, gt=0.0)
    ranked: int = Field(default=300, ge=1)
    cluster_vector: Literal["centroid", "summary"] = "centroid"


class AbstractionSettings(SettingsGroup):
    """Shape of the abstraction tree T_C (paper: K_t = max(K_min, ceil(K_1 * rho^(t-1)))).

    Attributes:
        k_1: Clusters above the leaves; ``None`` means ceil(density * sqrt(N)) for N nodes. A
            fixed number suits one size only: 64 turned 60 nodes into singletons.
        density: Clusters above the leaves, in units of sqrt(N). Over the 60,000 declarations of
            Init and Std, with two hundredths of the clusters opened, 2 found 0.991 of the 32
            nearest nodes, 4 found 0.997 and 6 found 0.997 at twice the time to cluster. 4 makes
            clusters of about 60 declarations.
        k_n: Clusters at the roots, at most k_1. 4 is a choice that a person can read; 16 had the
            same recall.
        k_min: Lower bound on the clusters of a level. 2, since one root would tell nothing.
        rounds: Rounds n of clustering, the depth of T_C. 3 is the least depth with a level that
            is neither roots nor the clusters above the leaves.
        seed: Seed of the clustering. Any fixed number does; one seed gives one tree.
        growth: Nodes that may come or go, as a share of those clustered, before all are clustered
            anew. A third of Init and Std, drawn at random and inserted into a tree over the rest
            (growth 0.5), changed neither recall nor cost by more than two thousandths; half of it
            (growth 1) made the search a twentieth dearer, three quarters a sixth.
        drift: Mean of 1 - cos between the centroids above the leaves when they were clustered and
            now, past which all are clustered anew. Inserting Std.Do and Std.Time, which are like
            nothing before them, drifts by 0.013 and leaves the cost within a tenth of N;
            inserting all of Std into Init drifts by 0.12 and does not.
        keep_id: Least Jaccard coefficient of the leaves at which a new cluster takes over the
            name of an old one. 0.3: of two clusters of one size nearly half is shared.
    """

    k_1: int | None = Field(default=None, ge=1)
    density: float = Field(default=4.0, gt=0.0)
    k_n: int = Field(default=4, ge=1)
    k_min: int = Field(default=2, ge=1)
    rounds: int = Field(default=3, ge=1)
    seed: int = Field(default=DEFAULT_SEED, ge=0)
    growth: float = Field(default=0.5, gt=0.0)
    drift: float = Field(default=0.03, gt=0.0)
    keep_id: float = Field(default=0.3, gt=0.0, le=1.0)

    @model_validator(mode="after")
    def _narrows_upwards(self) -> Self:
        if self.k_1 is not None and self.k_n > self.k_1:
            raise ValueError("k_n must not exceed k_1: T_C narrows from the leaves to the roots")
        return self


class EncoderSettings(SettingsGroup):
    """The structural encoder, the one that needs no model.

    Attributes:
        kind: What a knowledge base is built with: the ``structural`` encoder, or the ``neural``
            one of :class:`NeuralSettings`.
        dimensions: Width d of the vectors after the truncated SVD. Over the 60,000 declarations of
            Init and Std, the typed text of 1,000 theorems found its own declaration with a mean
            reciprocal rank of 0.61 at 64, 0.72 at 128, 0.78 at 256 and 0.80 at 384 (0.85 without
            the SVD); the vectors of 256 take 60 MB, and fitting nine seconds of one core.
        min_documents: Nodes that a token must occur in to count, among 1,000 or more. 2: a token of
            a single node tells nothing about its likeness to others, and two of five are such.
        seed: Seed of the randomised SVD.
    """

    kind: Literal["structural", "neural"] = "structural"
    dimensions: int = Field(default=256, ge=2)
    min_documents: int = Field(default=2, ge=1)
    seed: int = Field(default=DEFAULT_SEED, ge=0)


class NeuralSettings(SettingsGroup):
    """The neural encoder, for whoever asks for it (extra ``neural``).

    Attributes:
        model: A folder, or the id of a model of the Hugging Face hub; empty means the packaged
            all-MiniLM-L6-v2, which needs no network.
        device: Where it runs; ``auto`` takes a GPU where there is one.
        batch_size: Texts a batch. 32 short statements fill a CPU; a GPU bears more.
        max_length: Tokens after which a text is cut; ``None`` means what the model was made for.
        threads: Threads of PyTorch; ``None`` leaves its default, a thread a core.
    """

    model: str = ""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    batch_size: int = Field(default=32, ge=1)
    max_length: int | None = Field(default=None, ge=2)
    threads: int | None = Field(default=None, ge=1)


class ModelSettings(SettingsGroup):
    """A language model behind an endpoint of the OpenAI protocol; none is needed.

    The key comes from ``OPENAI_API_KEY`` and is no setting, so that it is never written down.

    Attributes:
        name: The model's name at the endpoint; empty for no model.
        base_url: The endpoint, such as ``http://localhost:8000/v1``; empty for that of OpenAI.
        seconds: Wall-clock limit of one answer.
        retries: How often a failed request is repeated, with growing pauses.
        tokens: Longest answer.
    """

    name: str = ""
    base_url: str = ""
    seconds: float = Field(default=60.0, gt=0.0)
    retries: int = Field(default=2, ge=0)
    tokens: int = Field(default=400, ge=1)


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


class EvidenceSettings(SettingsGroup):
    """How far a local theory is searched for evidence (ours: the paper takes ratings as given).

    Attributes:
        survival_seconds: Wall-clock time for trying proofs of a theory without what they use, in
            all; 0 tries none. An attempt takes 20 to 200 ms, so 2 s are enough for a module of
            some ten proofs, and no run waits longer than that. What was found is kept.
    """

    survival_seconds: float = Field(default=2.0, ge=0.0)


class DedupSettings(SettingsGroup):
    """When two nodes are one (paper: merge at cos(v(sum(m)), v(sum(m'))) >= tau).

    Attributes:
        tau: Cosine at which two theorems that mention the same constants are put to Lean. The
            cosine merges nothing by itself.
        proofs: How many such pairs are put to Lean, the most alike first, where there is one.
        seconds: Wall-clock limit for each of the two proofs of a pair.
    """

    tau: float = Field(default=0.95, gt=0.0, le=1.0)
    proofs: int = Field(default=100, ge=0)
    seconds: float = Field(default=2.0, gt=0.0)


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
        least_novelty: Novelty below which a candidate is pruned whatever its sum. 0.2 lies between
            corollaries, which keep at most 0.1, and all others, which have 0.5 at least; 0 keeps
            the corollaries.
        corollary_seconds: Wall-clock limit of the question whether a candidate follows at once
            from known laws; 0 does not ask. 6 s is the limit of one attempt of a proof search:
            Lean's own heartbeats end the question earlier, and the limit costs the session.
    """

    weights: RubricWeights = RubricWeights()
    threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    least_novelty: float = Field(default=0.2, ge=0.0, le=1.0)
    corollary_seconds: float = Field(default=6.0, ge=0.0)


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
        knowledge: Where knowledge bases lie (``LEMMATA_KNOWLEDGE``), one folder for each Lean.
            Empty means the user's cache folder: all of it can be read again.
    """

    model_config = SettingsConfigDict(
        env_prefix="LEMMATA_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    funnel: FunnelSettings = FunnelSettings()
    abstraction: AbstractionSettings = AbstractionSettings()
    encoder: EncoderSettings = EncoderSettings()
    neural: NeuralSettings = NeuralSettings()
    model: ModelSettings = ModelSettings()
    backtracking: BacktrackingSettings = BacktrackingSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    dedup: DedupSettings = DedupSettings()
    rubric: RubricSettings = RubricSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    second_kernel: Literal["on", "off"] = "on"
    lean: str = ""
    knowledge: str = ""


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
