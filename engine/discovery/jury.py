"""Whether a draft deserves a proof search: what is known already, false or weak ends here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.discovery.attempts import Attempted
from engine.discovery.ground import Ground
from engine.judgement.costs import ProofCosts
from engine.judgement.derivation import Derivations
from engine.judgement.plan import PlanOutcome
from engine.judgement.refutation.falsifier import Falsifier
from engine.judgement.refuted import RefutedLaws
from engine.judgement.rubric import Evidence, Judgement, evaluation_depth, judge, judge_again
from engine.knowledge.run import Knowledge
from engine.language.printing import signature_text
from engine.language.rewriting import Rewriter, is_instance
from engine.language.semantics import Interpretation
from engine.language.term import Law
from engine.settings import Settings
from engine.store import Store
from engine.strategy.operators import Draft
from verifier.session import Session
from verifier.verifier import Verifier

TEST_STEPS, TEST_SECONDS = 16_000, 1.0
"""For each unit of depth: drafts come from operators that have tested them on many cases before."""


@dataclass(frozen=True)
class Fall:
    """Values at which a law fails.

    Attributes:
        values: Lean text of each variable's value.
        told: The counterexample in one line. reason: How it was found, and what Lean says.
        confirmed: Whether Lean proved the negation, or a law of which that is known follows.
    """

    values: tuple[tuple[str, str], ...]
    told: str
    reason: str
    confirmed: bool


class Jury:
    """Judges drafts by the rubric and tests them.

    Args:
        ground: What is known.
        store: Remembers refuted laws and the costs of proofs across runs.
        session: Tests on values. verifier: On the same session; confirms refutations.
        interpretation: Evaluates at values that refuted something before.
        settings: Weights, thresholds and depths.
        goal: What is looked for, or empty.

    Attributes:
        costs: What proof searches took. refuted: The laws that are known to be false.
    """

    def __init__(
        self,
        ground: Ground,
        store: Store,
        session: Session,
        verifier: Verifier,
        interpretation: Interpretation,
        settings: Settings,
        goal: str,
    ) -> None:
        self._ground = ground
        self._store = store
        self._interpretation = interpretation
        self._settings = settings
        self._goal = goal
        theory = ground.theory
        self._falsifier = Falsifier(
            session,
            verifier,
            theory.environment,
            theory.context,
            seed=settings.abstraction.seed,
            steps=TEST_STEPS,
            seconds=TEST_SECONDS,
        )
        self.refuted = RefutedLaws(store, theory.name, theory.symbols)
        self.costs = ProofCosts(store.proof_searches(theory.name))
        self._heaviest = 0.0

    def meet(self, knowledge: Knowledge) -> None:
        """Takes up what was retrieved; after each change of what is known."""
        self._knowledge = knowledge
        self.learn()

    def learn(self) -> None:
        """Takes up the laws that have been proved meanwhile: operators draft from them at once."""
        self._derivations = Derivations(self._store.nodes(), self._store.contributions())
        self._rewriter: Rewriter = self._ground.rewriter()

    @property
    def rewriter(self) -> Rewriter:
        """What follows from the known laws by calculation."""
        return self._rewriter

    def judge(self, draft: Draft, conjectures: Sequence[Law]) -> Judgement:
        """The rubric's scores before anything was tried.

        Args:
            draft: The draft.
            conjectures: What waits for a proof; an instance of it is no news.
        """
        nearest, name = self._nearest(draft)
        evidence = Evidence(
            nearest=nearest,
            nearest_name=name,
            chain=self._derivations.chain([p.node for p in draft.parents]),
            plan=self._plan(draft),
            goal=self._goal,
            goal_cosine=self._cosine_to_goal(draft),
        )
        known = [(k.name, k.law) for k in self._ground.known]
        known += [("an open conjecture", law) for law in conjectures]
        return judge(draft.law, evidence, known, self._rewriter, self._settings.rubric)

    def settled(self, law: Law) -> str:
        """Why a law needs no proof any more; empty when it does."""
        for known in self._ground.known:
            if is_instance(law, known.law):
                return f"an instance of {known.name}, which was proved meanwhile"
        if self._rewriter.joins(law):
            return "it follows by calculation from lemmas that were proved meanwhile"
        return ""

    def test(self, draft: Draft, judgement: Judgement) -> Fall | None:
        """Values at which a law fails: those that refuted others first, then generated ones."""
        killed = self.refuted.kill(draft.law, self._interpretation)
        if killed is not None:
            sides = f"{killed.left} ≠ {killed.right}" if killed.left else "fails"
            told = f"{_assignment(killed.values)}: {sides}"
            return Fall(killed.values, told, killed.reason, confirmed=killed.by == "instance")
        self._heaviest = max(self._heaviest, judgement.total)
        depth = evaluation_depth(judgement.total, self._heaviest, self._settings.evaluation)
        return self._falsified(draft.law, depth)

    def _falsified(self, law: Law, depth: int) -> Fall | None:
        found = self._falsifier.refute(self._ground.plain_statement(law), depth)
        if found is None:
            return None
        reason = "Lean proved the negation" if found.confirmed else "Lean has not confirmed it"
        return Fall(found.values, str(found), reason, found.confirmed)

    def values_against(self, law: Law) -> list[tuple[str, str]] | None:
        """Values at which a law fails, where Lean has confirmed that."""
        fall = self._falsified(law, 1)
        return list(fall.values) if fall is not None and fall.confirmed else None

    def after_search(self, judgement: Judgement, draft: Draft, attempted: Attempted) -> Judgement:
        """The judgement when a proof was found: its plan is done, and it may follow at once.

        What follows from lemmas about more particular values is news all the same: transitivity is
        no corollary of how an order treats successors.
        """
        result, following = attempted.result, attempted.following
        if following is not None and self._ground.are_more_special(following.lemmas, draft.law):
            following = None
        plan = PlanOutcome(
            cases=draft.cases,
            searched=True,
            proved=True,
            tactic=result.tactic,
            seconds=result.seconds,
        )
        nearest, name = self._nearest(draft)
        return judge_again(
            judgement,
            draft.law,
            self._settings.rubric,
            plan=plan,
            following=following,
            nearest=nearest,
            nearest_name=name,
        )

    def _plan(self, draft: Draft) -> PlanOutcome:
        estimate = self.costs.estimate(draft.law.size, len(draft.law.hypotheses))
        return PlanOutcome(cases=draft.cases, estimate=estimate)

    def _nearest(self, draft: Draft) -> tuple[float, str]:
        results = self._ground.proved()
        if not results:
            return 0.0, ""
        texts = [signature_text(draft.law), *(signature_text(k.law) for k in results)]
        vectors = self._knowledge.encoder.encode(texts)
        cosines = vectors[1:] @ vectors[0]
        best = int(cosines.argmax())
        return float(min(1.0, max(0.0, cosines[best]))), results[best].name

    def _cosine_to_goal(self, draft: Draft) -> float | None:
        if not self._goal:
            return None
        vectors = self._knowledge.encoder.encode([signature_text(draft.law), self._goal])
        return float(min(1.0, max(0.0, vectors[0] @ vectors[1])))


def _assignment(values: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} := {value}" for name, value in values) or "no variables"
