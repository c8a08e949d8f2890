"""The nouns of Lemmata: method nodes, contributions, candidates and their labels.

All of them are frozen values; a change makes a new value with ``model_copy(update=...)``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Label(StrEnum):
    """What is known of the truth of a node.

    ``verified``: Lean proved it and the audit passed. ``conjecture``: well-formed, neither proved
    nor refuted. ``refuted``: false, with a counterexample. ``retracted``: was verified, a re-check
    failed. ``assumed``: taken as given (a definition, or a result of a trusted library).
    """

    VERIFIED = "verified"
    CONJECTURE = "conjecture"
    REFUTED = "refuted"
    RETRACTED = "retracted"
    ASSUMED = "assumed"

    @property
    def usable_as_premise(self) -> bool:
        """Whether a proof may rest on a node with this label."""
        return self in (Label.VERIFIED, Label.ASSUMED)


class NodeKind(StrEnum):
    """What a method node is."""

    DEFINITION = "definition"
    THEOREM = "theorem"
    PROOF_METHOD = "proof_method"
    PAPER_METHOD = "paper_method"


class Frozen(BaseModel):
    """A value: hashable where its fields are, never changed in place, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Rating = Annotated[int, Field(ge=1, le=5)]
Unit = Annotated[float, Field(ge=0.0, le=1.0)]


class SourceLocation(Frozen):
    """Where a node was read: a file with lines (1-based, inclusive), or a document with a page."""

    document: str
    first_line: int | None = None
    last_line: int | None = None
    page: int | None = None


class Binder(Frozen):
    """An argument of a declaration, as its type has it.

    Attributes:
        name: As written; empty where it is inaccessible.
        style: How it is given: ``explicit``, ``implicit``, ``strict`` or ``instance``.
        role: What it is: a ``type``, an ``instance`` of a class, a ``function``, a ``hypothesis``
            or another ``value``.
    """

    name: str
    style: Literal["explicit", "implicit", "strict", "instance"]
    role: Literal["type", "instance", "function", "hypothesis", "value"]


class Score(Frozen):
    """A score of the rubric in [0, 1], with the evidence for it in one sentence."""

    value: Unit
    reason: str = ""


class Scores(Frozen):
    """The five scores of the rubric (paper: evaluation rubric S)."""

    novelty: Score
    consistency: Score
    verifiability: Score
    applicability: Score
    goal_alignment: Score

    @property
    def each(self) -> dict[str, Score]:
        """The scores by name, in the order of the rubric."""
        return {name: getattr(self, name) for name in Scores.model_fields}


class MethodNode(Frozen):
    """A piece of mathematics with its standing and its way back to the source.

    Attributes:
        id: Stable identifier; for a Lean declaration ``module:name``.
        name: The Lean declaration, or ``None`` for an informal node.
        statement: The statement as Lean text (a signature such as ``(n : N) : add n zero = n``),
            or the informal statement.
        symbols: Constants that the statement mentions, with repetition removed, sorted.
        proof: The Lean proof text where Lemmata knows it.
        premises: Names of the constants that the proof term uses.
        toolchain: The Lean that checked it, e.g. ``4.28.0-pre+38f3c0c (embedded)``.
        kernels: The kernels that accepted its proof.
        assumed: Constants of Lean's library that the second kernel had to take without a body.
        operator: The operator that drafted it; empty for what was read.
        lean_kind: What Lean calls a declaration: ``theorem``, ``definition``, ``inductive``,
            ``constructor``, ``opaque``, ``axiom``, ``quotient``; empty for an informal node.
        universes: Universe parameters.
        binders: Arguments and hypotheses, outermost first.
        attributes: Such as ``simp``, ``ext``, ``instance``, ``reducible``; sorted.
        private: Whether it can be named in its own module only.
        deprecated: What to use instead (or an empty text) where it is deprecated, else ``None``.
        features: Tokens of the elaborated statement, see :mod:`engine.retrieval.features`; empty
            where only a text is known.
        canonical: Digest of the statement's canonical form, see :mod:`engine.trees.statement`;
            empty where there is none.
    """

    id: str
    kind: NodeKind
    name: str | None
    statement: str
    summary: str = ""
    assumptions: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    label: Label
    symbols: tuple[str, ...] = ()
    proof: str | None = None
    axioms: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    toolchain: str = ""
    kernels: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    module: str = ""
    location: SourceLocation | None = None
    scores: Scores | None = None
    operator: str = ""
    version: int = 1
    lean_kind: str = ""
    universes: tuple[str, ...] = ()
    binders: tuple[Binder, ...] = ()
    attributes: tuple[str, ...] = ()
    private: bool = False
    deprecated: str | None = None
    features: tuple[str, ...] = ()
    canonical: str = ""


class Contribution(Frozen):
    """A directed, rated edge parent -> child with the sentence that explains it.

    The weight is w = (r - 1) / 4 for a rating r in 1..5 (paper: method contributions).

    Attributes:
        strength: Tells edges of one rating apart, see :func:`engine.trees.evidence.strength`.
    """

    parent: str
    child: str
    rating: Rating
    explanation: str
    operator: str = ""
    strength: Unit = 0.0

    @property
    def weight(self) -> float:
        """The weight w = (r - 1) / 4, in [0, 1]."""
        return (self.rating - 1) / 4


class ParentClaim(Frozen):
    """A candidate's claim to descend from a node, with the reason."""

    node: str
    rating: Rating
    explanation: str


class Candidate(Frozen):
    """A drafted lemma, with all that the paper asks a candidate to state.

    Attributes:
        statement: Lean signature, binders and type: ``(xs : L α) : append xs nil = xs``.
        canonical: Key of the statement up to renaming, argument order and symmetry of ``=``.
        parents: Attributed ancestors; each must exist in the store.
        novelty: How it differs from what is known, one sentence.
        limits: What it does not say.
        plan: Ordered steps by which the claim is to be validated.
        size: Symbols and variables of the statement, its hypotheses included.
        hypotheses: How many hypotheses it has.
    """

    statement: str
    canonical: str
    operator: str
    summary: str
    parents: tuple[ParentClaim, ...]
    novelty: str
    limits: str
    plan: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    size: int = Field(default=0, ge=0)
    hypotheses: int = Field(default=0, ge=0)


class Stage(StrEnum):
    """Where in the loop a candidate's fate was decided."""

    DRAFT = "draft"
    DEDUP = "dedup"
    FALSIFIER = "falsifier"
    RUBRIC = "rubric"
    VERIFIER = "verifier"
    CONTRADICTION = "contradiction"
