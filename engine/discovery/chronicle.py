"""Fates and results of a run, as they are told to the user and remembered in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engine.discovery.attempts import Attempted
from engine.discovery.records import COUNTED, Fate, Pending, Result
from engine.language.printing import proposition_text, signature_text
from engine.model import Label, MethodNode, Stage
from engine.store import Store
from engine.strategy.operators import Draft
from verifier.prover.prover import ProofResult

MAX_REASON = 500


class Chronicle:
    """Writes down what becomes of candidates.

    Args:
        store: Remembers them across runs.
        theory: Name of the theory. run: Id of the run.
        notify: Told of each fate.
        elapsed: Seconds since the start of the run.
    """

    def __init__(
        self,
        store: Store,
        theory: str,
        run: str,
        notify: Callable[[Fate], None],
        elapsed: Callable[[], float],
    ) -> None:
        self._store = store
        self._theory = theory
        self._run = run
        self._notify = notify
        self._elapsed = elapsed
        self._counts: Counter[str] = Counter()
        self._results: dict[str, Result] = {}

    @property
    def results(self) -> tuple[Result, ...]:
        """What came to an end, or waits for a proof."""
        return tuple(self._results.values())

    def counts(self) -> dict[str, int]:
        """How many candidates met which fate; conjectures are those that are left."""
        labels = [r.label for r in self._results.values()]
        counts = {**self._counts, "conjecture": labels.count(Label.CONJECTURE)}
        return {what: counts.get(what, 0) for what in COUNTED}

    def drafted(self) -> None:
        """Counts a draft."""
        self._counts["drafted"] += 1

    def duplicate(self, draft: Draft) -> None:
        """A draft that was met before."""
        self._tell("duplicate", draft, "drafted before")

    def pruned(self, draft: Draft, reason: str, search: ProofResult | None = None) -> None:
        """A draft that deserves no proof, or no place in the library."""
        self._results.pop(draft.key, None)
        self._remember(draft, Stage.RUBRIC, None, reason, search)
        self._tell("pruned", draft, reason)

    def refuted(self, draft: Draft, told: str, reason: str, stage: Stage = Stage.FALSIFIER) -> None:
        """A false law, with its counterexample."""
        self._remember(draft, stage, Label.REFUTED, reason, counterexample=told)
        self._record(draft, Label.REFUTED, reason=f"{told} ({reason})")
        self._tell("refuted", draft, told)

    def failed(self, pending: Pending, search: ProofResult) -> None:
        """A fruitless search: the law stays a conjecture."""
        draft = pending.draft
        reason = f"{search.verdict.reason}: {search.verdict.message}".strip(": ")[:MAX_REASON]
        self._remember(draft, Stage.VERIFIER, Label.CONJECTURE, reason, search)
        self._store.remember_failure(
            self._theory,
            draft.key,
            offered=pending.offered,
            stuck=reason.partition("\n")[0],
            seconds=search.seconds,
            run=self._run,
        )
        self._record(draft, Label.CONJECTURE, pending=pending, reason=reason)

    def verified(self, pending: Pending, attempted: Attempted, node: MethodNode) -> None:
        """A proved law that has joined the library."""
        draft, search = pending.draft, attempted.result
        self._remember(draft, Stage.VERIFIER, Label.VERIFIED, search.tactic, search, node=node.id)
        self._record(draft, Label.VERIFIED, pending=pending, proved=search, node=node)
        self._tell("verified", draft, _last(str(node.name)))

    def withdrawn(self, node: str, reason: str) -> None:
        """A lemma of this run that a later one makes needless; the store knows already."""
        for key, result in list(self._results.items()):
            if result.node == node:
                del self._results[key]
                self._counts["verified"] -= 1
                self._counts["pruned"] += 1
                self._notify(Fate("withdrawn", result.name, result.operator, reason))

    def retracted(self, name: str, reason: str) -> None:
        """A lemma of the library that no longer holds."""
        self._counts["retracted"] += 1
        self._notify(Fate("retracted", name, "", reason))

    def _tell(self, what: str, draft: Draft, detail: str) -> None:
        self._counts[what] += 1
        self._notify(Fate(what, signature_text(draft.law), draft.operator, detail))

    def _remember(
        self,
        draft: Draft,
        stage: Stage,
        outcome: Label | None,
        reason: str,
        search: ProofResult | None = None,
        **more: str,
    ) -> None:
        self._store.remember_candidate(
            draft.candidate(),
            theory=self._theory,
            stage=stage,
            outcome=outcome,
            reason=reason,
            attempts=1 if search else 0,
            seconds=search.seconds if search else 0.0,
            run=self._run,
            library_version=self._store.library_version(),
            **more,
        )

    def _record(
        self,
        draft: Draft,
        label: Label,
        *,
        pending: Pending | None = None,
        proved: ProofResult | None = None,
        node: MethodNode | None = None,
        reason: str = "",
    ) -> None:
        self._results[draft.key] = Result(
            statement=signature_text(draft.law),
            equation=proposition_text(draft.law),
            label=label,
            operator=draft.operator,
            parents=tuple(_last(p.node.split(":")[-1]) for p in draft.parents),
            name=_last(str(node.name)) if node else "",
            node=node.id if node else "",
            tactic=proved.tactic if proved else "",
            proof=proved.proof if proved else "",
            seconds=pending.seconds if pending else 0.0,
            reason=reason,
            at=self._elapsed(),
        )


def _last(name: str) -> str:
    return name.rpartition(".")[2]
