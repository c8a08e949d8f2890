"""What the store gives back beside nodes and contributions; all frozen."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.model import Candidate, Frozen, Label, Stage


class Alias(Frozen):
    """A node id that was merged into another node, with the reason."""

    alias: str
    kept: str
    reason: str


class CandidateRecord(Frozen):
    """What is remembered of a candidate across runs.

    Attributes:
        theory: The theory that it was drafted for; the canonical key is unique within it.
        stage: Where its fate was last decided.
        outcome: Its standing, or ``None`` while it is undecided or was pruned.
        reason: Why, in one sentence; for a pruned candidate the reason of the pruning.
        counterexample: The values that refute it, or an empty string.
        attempts: Proof attempts over all runs.
        seconds: Time spent on it over all runs.
        run: The last run that met it.
        node: The node that it became, if any.
        library_version: The version of the library under which it was last decided.
    """

    candidate: Candidate
    theory: str
    stage: Stage
    outcome: Label | None = None
    reason: str = ""
    counterexample: str = ""
    attempts: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0.0)
    run: str | None = None
    node: str | None = None
    library_version: int = Field(default=0, ge=0)
    first_seen: datetime
    last_seen: datetime

    def worth_trying(self, library_version: int) -> bool:
        """Whether another attempt can end otherwise than the last one did.

        A proof or a counterexample is final. A conjecture is worth another attempt only after
        the library has grown. Anything else (pruned, undecided, retracted) is.

        Args:
            library_version: The present version of the library, see ``Store.library_version``.
        """
        if self.outcome in (Label.VERIFIED, Label.REFUTED, Label.ASSUMED):
            return False
        return self.outcome is not Label.CONJECTURE or library_version > self.library_version


class Trial(Frozen):
    """One entry of the log of a run: what it decided about one candidate.

    Attributes:
        seconds: Time that this run spent on the candidate.
    """

    theory: str
    canonical: str
    statement: str
    operator: str
    stage: Stage
    outcome: Label | None
    reason: str
    seconds: float
    run: str | None
    time: datetime


class WitnessValue(Frozen):
    """The value of one variable in a counterexample: its name, its type and itself, as Lean text.

    Values come at the test type: type variables stand for ``Nat``.
    """

    variable: str
    type: str
    value: str


class RefutationRecord(Frozen):
    """A refuted law with the values at which it fails.

    Attributes:
        canonical: Key of the law within its theory.
        law: The law as JSON text, see :mod:`engine.judgement.refuted`.
        kills: How many later laws fell to the same values.
    """

    theory: str
    canonical: str
    statement: str
    counterexample: str
    law: str
    assignment: tuple[WitnessValue, ...]
    kills: int


class FailureRecord(Frozen):
    """A proof search that found nothing.

    Attributes:
        offered: Names of the lemmas that it could use.
        stuck: What it ended with, in one line.
        seconds: Time of this search.
    """

    run: str | None
    library_version: int
    offered: tuple[str, ...]
    stuck: str
    seconds: float
    time: datetime


class ContradictionRecord(Frozen):
    """Conjectures of which Lean proved that not all can be true.

    Attributes:
        one: Statement of the conjecture.
        other: Statement of another one, or ``None`` where the library alone contradicts the first.
        premises: Names of the lemmas that the proof uses.
        statement: What Lean proved. proof: Its proof.
    """

    theory: str
    one: str
    other: str | None
    premises: tuple[str, ...]
    statement: str
    proof: str
    time: datetime


class OperatorYield(Frozen):
    """What an operator has brought, over all runs.

    Attributes:
        drafted: Statements that it drafted, duplicates aside. The other counts are parts of it, by
            the latest decision of each statement.
        seconds: Time spent on its drafts.
    """

    drafted: int = 0
    verified: int = 0
    refuted: int = 0
    conjecture: int = 0
    pruned: int = 0
    seconds: float = 0.0


class ProofSearch(Frozen):
    """One proof search of the past: of what, how long, and whether it found a proof."""

    operator: str
    size: int
    hypotheses: int
    proved: bool
    seconds: float


class RecheckRecord(Frozen):
    """When a lemma was last proved again.

    Attributes:
        outcome: ``verified``, ``rejected`` or ``undetermined``.
        seconds: How long that took.
    """

    node: str
    outcome: str
    toolchain: str
    seconds: float
    time: datetime


class RunRecord(Frozen):
    """A discovery run.

    Attributes:
        settings: The settings that it ran under, as JSON text.
        ended: ``None`` while it runs, or when it was interrupted.
        counts: How many candidates met which fate, by name.
    """

    id: str
    goal: str
    theory: str
    settings: str
    started: datetime
    ended: datetime | None
    counts: dict[str, int]


class LemmaRecord(Frozen):
    """A lemma of the library: the source that its Lean module is rendered from.

    Attributes:
        serial: Library version that this lemma made; grows over all modules, never reused.
        ordinal: Place in its module, counted from 1 with gaps where lemmas moved.
        text: The complete Lean text of the declaration.
        label: Label of its node; only a verified lemma belongs into the rendered module.
    """

    serial: int
    module: str
    ordinal: int
    node: str
    name: str
    text: str
    label: Label
    appended: datetime


class ModuleRecord(Frozen):
    """A rendered Lean module with the SHA-256 of the text that was last written."""

    module: str
    hash: str
    rendered: datetime
