"""The loop of a run.

One thread retrieves, drafts and judges with a session of its own; the provers work in the
background. Only this thread writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import count

from engine.discovery.attempts import Attempted, Queue
from engine.discovery.chronicle import Chronicle
from engine.discovery.focus import Focus
from engine.discovery.ground import Ground
from engine.discovery.jury import Fall, Jury
from engine.discovery.records import Fate, Pending, RunReport
from engine.discovery.tidy import Tidy
from engine.discovery.upkeep import Upkeep
from engine.judgement.redundancy import details
from engine.judgement.rubric import Judgement
from engine.knowledge.run import Knowledge, Retrieved
from engine.language.semantics import Interpretation
from engine.language.term import Law
from engine.library.library import Library
from engine.model import Label, Stage
from engine.settings import Settings
from engine.sources.lean_module import Theory
from engine.sources.use_cache import UseCache
from engine.store.records import ProofSearch
from engine.strategy.agent import Agent, Payoff
from engine.strategy.operators import OPERATORS, Context, Draft, Operator
from engine.workers import ProverPool
from verifier.errors import InputError
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Outcome
from verifier.verifier import Verifier

FIRST_SIDE, LARGEST_SIDE = 5, 9
"""Symbols and variables on a side of a drafted law: at first, and at most. The bound grows when a
round brings nothing new, so that what a failed proof lacks is found before anything larger."""
PROOF_SECONDS = 3.0
PATIENCE = (4, 6)
"""How many times as long as another one the first wide search and the later ones may take."""
BACKLOG = 16
"""Untried candidates that may wait: with more, operators would draft what is decided already."""
WIDE_LEMMAS = 10
"""That a wide search is given, the simplest: with more it ends at its limits before it finds. Every
second one has only those that speak of no particular values."""
HYPOTHESIS = 0.25
"""What each hypothesis adds to the size by which fresh candidates are ordered, as a share."""
WAIT_SECONDS = 0.2
TIDY_SHARE = 0.1
"""Of the budget, kept for taking out lemmas that later ones made needless."""
RECHECK_SECONDS = 120.0
"""Between two looks at lemmas that were proved before."""


class Discovery:
    """One run on one theory.

    Args:
        theory: The module to discover in, read with ``session``.
        library: Where results go; open for writing.
        session: For this thread: evaluation, elaboration, write-back.
        pool: The provers.
        settings: All tunable numbers.
        goal: What to look for, in words or as a statement; empty for the whole theory.
        notify: Told of each candidate's fate.
        clock: Seconds, monotonic.
        use_cache: Where the evidence of an unchanged module is looked up.
        operators: What the agent chooses among.
    """

    def __init__(
        self,
        theory: Theory,
        library: Library,
        session: Session,
        pool: ProverPool,
        settings: Settings,
        goal: str = "",
        notify: Callable[[Fate], None] = lambda fate: None,
        clock: Callable[[], float] = time.monotonic,
        use_cache: UseCache | None = None,
        operators: Sequence[Operator] = OPERATORS,
    ) -> None:
        self._theory = theory
        self._library = library
        self._store = library.store
        self._session = session
        self._verifier = Verifier(session, pool.second)
        self._settings = settings
        self._goal = goal
        self._notify = notify
        self._clock = clock
        self._use_cache = use_cache
        self._operators = operators
        self._seen: set[str] = set()
        self._pool = pool
        self._queue = Queue(pool, self._has_news)
        self._numbers = count()
        self._max_size = FIRST_SIDE
        self._near_misses: dict[str, Law] = {}
        self._stuck: list[Law] = []
        self._retrieved: Retrieved | None = None

    def run(self, seconds: float) -> RunReport:
        """Discovers until the budget is spent or nothing is left to try.

        Args:
            seconds: Wall-clock budget, from now.

        Raises:
            InputError: The library refuses the theory.
            StorageError: Results cannot be written.
        """
        self._started = self._clock()
        self._end = self._started + seconds
        self._deadline = self._end - TIDY_SHARE * seconds
        self._prepare()
        interrupted = False
        try:
            while not self._over:
                self._explore()
                if not self._try_the_rest():
                    break
            self._drain()
            self._tidy()
        except KeyboardInterrupt:
            interrupted = True
        counts = self._chronicle.counts()
        self._store.finish_run(self._run, counts)
        self._store.save_clusters(Knowledge(self._store, self._settings).abstraction.clusters)
        return RunReport(
            run=self._run,
            theory=self._theory.name,
            goal=self._goal,
            results=self._chronicle.results,
            counts=counts,
            choices=tuple(self._agent.choices),
            yields=tuple(self._agent.summary()),
            retrieved=self._retrieved,
            seconds=self._clock() - self._started,
            interrupted=interrupted,
        )

    # -- knowledge ---------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Theory and library into the store; symbols, equations and proved laws into reach."""
        theory, store, settings = self._theory, self._store, self._settings
        seed = settings.abstraction.seed
        self._ground = Ground(
            theory, self._library, self._session, self._verifier, settings, self._use_cache
        )
        self._interpretation = Interpretation(
            self._session, theory.environment, theory.context, theory.symbols, seed=seed
        )
        self._jury = Jury(
            self._ground,
            store,
            self._session,
            self._verifier,
            self._interpretation,
            settings,
            self._goal,
        )
        priors = store.operator_yields(theory.name) or store.operator_yields()
        self._agent = Agent(self._operators, seed=seed, priors=priors)
        self._focus = Focus(theory.symbols.values(), self._ground.owners, self._goal)
        self._upkeep = Upkeep(self._ground, self._library, self._verifier, self._clock)
        self._next_recheck = self._started + RECHECK_SECONDS
        self._run = store.start_run(self._goal, theory.name, settings.model_dump(mode="json")).id
        self._chronicle = Chronicle(
            store, theory.name, self._run, self._notify, lambda: self._clock() - self._started
        )

    def _context(self) -> Context:
        """Retrieves the ancestors of the goal and makes them the operators' context."""
        knowledge = Knowledge(self._store, self._settings)
        self._jury.meet(knowledge)
        retrieved = knowledge.retrieve(self._focus.query, self._focus.breadth)
        self._retrieved = self._retrieved or retrieved
        return Context(
            symbols=self._focus.symbols(retrieved.nodes),
            laws=self._focus.laws(self._ground.known, retrieved.nodes),
            owners=self._ground.owners,
            interpretation=self._interpretation,
            rewriter=self._ground.rewriter(),
            tried=self._tried,
            max_size=self._max_size,
            seed=self._settings.abstraction.seed,
            stop=self._pause,
            refuted=self._jury.refuted.laws,
            conjectures=[p.draft.law for p in self._queue.open()],
            near_misses=self._near_misses,
            settled=lambda law: bool(self._jury.settled(law)),
            stuck=self._stuck,
            certain=self._ground.rewriter,
        )

    def _tried(self, key: str) -> bool:
        """Whether a law was met in this run, or in an earlier one with the same library."""
        return key in self._seen or not self._store.worth_trying(self._theory.name, key)

    # -- the loop ----------------------------------------------------------------------------

    @property
    def _over(self) -> bool:
        return self._clock() >= self._deadline

    def _explore(self) -> None:
        """Rounds with all functions in focus, then with larger terms, as long as there are any."""
        while not self._over and self._max_size <= LARGEST_SIDE:
            if not self._round() and self._focus.next():
                self._max_size += 1

    def _try_the_rest(self) -> bool:
        """Searches once more for what has no proof; whether that brought a lemma."""
        self._max_size = LARGEST_SIDE
        before = len(self._ground.known)
        while not self._over:
            self._pump(WAIT_SECONDS)
            if not self._queue:
                break
        return len(self._ground.known) > before

    def _round(self) -> bool:
        """One retrieval with all drafts on it, each tried once. False when nothing was new."""
        before = (len(self._seen), len(self._ground.known))
        context = self._context()
        for draft in self._agent.drafts(context):
            self._consider(draft)
            self._pump()
            while self._queue.fresh > BACKLOG and not self._over:
                self._pump(WAIT_SECONDS)
            if self._over:
                break
        while self._queue.fresh and not self._over:
            self._pump(WAIT_SECONDS)
            for draft in self._agent.help(context):
                self._consider(draft)
        self._look_after()
        return (len(self._seen), len(self._ground.known)) != before

    def _pause(self) -> bool:
        """Between two steps of an operator: keeps the provers busy; whether time is up."""
        self._pump()
        return self._over

    def _pump(self, seconds: float = 0.0) -> None:
        """Gives work to idle provers and takes in what they have finished."""
        while self._queue.idle and (pending := self._queue.take()) is not None:
            self._submit(pending)
        for pending, attempted in self._queue.finished(seconds):
            self._finished(pending, attempted)

    def _drain(self) -> None:
        """Takes in what the provers have finished when time is up."""
        for pending, attempted in self._queue.finished(0.0):
            self._finished(pending, attempted)

    def _tidy(self) -> None:
        """Takes out the lemmas of this run that follow from others and that no proof uses."""
        nodes = {r.node for r in self._chronicle.results if r.label is Label.VERIFIED}
        tidy = Tidy(self._ground, self._pool, lambda: self._end - self._clock())
        for node, reason in tidy.withdraw(nodes):
            self._chronicle.withdrawn(node, reason)

    def _look_after(self) -> None:
        """Hunts contradictions, and now and then proves old lemmas again."""
        conjectures = [(p.draft.key, p.draft.law) for p in self._queue.failed]
        for found in self._upkeep.contradictions(
            conjectures, self._jury.rewriter, self._jury.values_against, self._pause
        ):
            if found.refutes:
                self._contradicted(found.one, found.values, found.reason)
        if self._clock() >= self._next_recheck and not self._over:
            self._next_recheck = self._clock() + RECHECK_SECONDS
            for name, reason in self._upkeep.recheck(self._pause):
                self._chronicle.retracted(name, reason)
            self._jury.learn()

    # -- drafts ------------------------------------------------------------------------------

    def _consider(self, draft: Draft) -> None:
        """Duplicates, false and weak drafts end here; the others queue for a proof."""
        self._chronicle.drafted()
        if self._tried(draft.key):
            self._chronicle.duplicate(draft)
            return
        self._seen.add(draft.key)
        judgement = self._jury.judge(draft, [p.draft.law for p in self._queue.open()])
        if not judgement.kept:
            self._prune(draft, judgement.reason)
            return
        fall = self._jury.test(draft, judgement)
        if fall is not None:
            self._fell(draft, fall)
            return
        law = draft.law
        size = (law.size + details(law)) * (1 + HYPOTHESIS * len(law.hypotheses))
        cost = size / max(judgement.total, 0.05)
        self._queue.put(Pending(next(self._numbers), cost, draft, judgement))

    def _fell(self, draft: Draft, fall: Fall) -> None:
        """A law that failed a test is refuted when Lean has confirmed it, and else left alone."""
        if not fall.confirmed:
            self._prune(draft, f"values speak against it: {fall.told} ({fall.reason})")
            return
        self._chronicle.refuted(draft, fall.told, fall.reason)
        self._jury.refuted.add(draft.key, draft.law, fall.values)
        self._agent.reward(draft, Payoff.REFUTED)

    def _contradicted(self, key: str, values: Sequence[tuple[str, str]], reason: str) -> None:
        """A conjecture that cannot be true beside what is verified."""
        told = ", ".join(f"{name} := {value}" for name, value in values)
        for pending in [p for p in self._queue.failed if p.draft.key == key]:
            self._queue.failed.remove(pending)
            self._chronicle.refuted(pending.draft, told, reason, Stage.CONTRADICTION)
            self._agent.reward(pending.draft, Payoff.REFUTED)

    def _prune(self, draft: Draft, reason: str) -> None:
        self._chronicle.pruned(draft, reason)
        self._agent.reward(draft, Payoff.PRUNED)

    # -- proofs ------------------------------------------------------------------------------

    def _submit(self, pending: Pending) -> None:
        """Starts a proof search, unless what was proved meanwhile makes it needless."""
        law = pending.draft.law
        if reason := self._jury.settled(law):
            self._prune(pending.draft, reason)
            return
        pending.offered = frozenset(k.name for k in self._ground.useful())
        serving = self._ground.serving(law)
        limit = self._jury.costs.limit(law.size, len(law.hypotheses), PROOF_SECONDS)
        if pending.wide:
            pending.offered_wide = pending.offered
            general = [k for k in serving if not details(k.law)]
            serving = (serving if pending.wide_tries % 2 else general or serving)[:WIDE_LEMMAS]
            limit *= PATIENCE[min(pending.wide_tries, len(PATIENCE) - 1)]
        pending.hints = tuple(k.name for k in serving)
        seconds = min(limit, max(1.0, self._deadline - self._clock()))
        corollary_seconds = self._settings.rubric.corollary_seconds
        self._queue.start(pending, self._ground.statement(law), seconds, corollary_seconds)

    def _finished(self, pending: Pending, attempted: Attempted) -> None:
        result, draft = attempted.result, pending.draft
        if pending.tries == 0:  # what is searched again is not like what is fresh
            self._jury.costs.add(
                ProofSearch(
                    operator=draft.operator,
                    size=draft.law.size,
                    hypotheses=len(draft.law.hypotheses),
                    proved=result.verdict.verified,
                    seconds=result.seconds,
                )
            )
        pending.seconds += result.seconds
        pending.tries += 1
        pending.wide_tries += pending.wide
        if result.verdict.vacuous:
            self._discard(pending, attempted, "vacuous: its hypotheses contradict each other")
        elif result.verdict.verified:
            self._proved(pending, attempted)
        elif result.verdict.outcome is Outcome.REJECTED and not result.trace:
            why = f"{result.verdict.reason}: {result.verdict.message}"
            self._discard(pending, attempted, why)
        else:
            self._fail(pending, attempted)

    def _proved(self, pending: Pending, attempted: Attempted) -> None:
        """A proved law joins the library unless it is no news by now."""
        judgement = self._jury.after_search(pending.judgement, pending.draft, attempted)
        reason = self._jury.settled(pending.draft.law) or judgement.reason
        if reason:
            self._discard(pending, attempted, reason)
        else:
            self._write_back(pending, attempted, judgement)

    def _write_back(self, pending: Pending, attempted: Attempted, judgement: Judgement) -> None:
        draft = pending.draft
        try:
            node = self._ground.write(draft, judgement.scores, attempted.result)
        except (InputError, SessionLost) as error:
            self._fail(pending, _undone(attempted, error))
            return
        self._jury.learn()
        self._chronicle.verified(pending, attempted, node)
        self._agent.reward(draft, Payoff.VERIFIED, attempted.result.seconds)
        self._reconsider()

    def _discard(self, pending: Pending, attempted: Attempted, reason: str) -> None:
        self._chronicle.pruned(pending.draft, reason, attempted.result)
        self._agent.reward(pending.draft, Payoff.PRUNED, attempted.result.seconds)

    def _fail(self, pending: Pending, attempted: Attempted) -> None:
        """No proof: a conjecture, which is tried again when the library has grown."""
        self._chronicle.failed(pending, attempted.result)
        self._agent.reward(pending.draft, Payoff.FAILED, attempted.result.seconds)
        self._queue.failed.append(pending)
        if pending.tries == 1 and not pending.draft.helps:
            self._stuck.append(pending.draft.law)

    def _reconsider(self) -> None:
        """Drops the failed candidates that a new lemma makes needless."""
        for pending in list(self._queue.failed):
            if reason := self._jury.settled(pending.draft.law):
                self._queue.failed.remove(pending)
                self._prune(pending.draft, reason)

    def _has_news(self, pending: Pending, offered: Collection[str]) -> bool:
        """Whether there is a useful lemma for a candidate that is not among the given ones."""
        law, reach = pending.draft.law, self._ground.reach
        return any(
            k.name not in offered and reach.serves(k.law, law) for k in self._ground.useful()
        )


def _undone(attempted: Attempted, error: Exception) -> Attempted:
    result = attempted.result
    verdict = result.verdict.model_copy(
        update={"outcome": Outcome.UNDETERMINED, "message": f"not written back: {error}"}
    )
    return replace(attempted, result=replace(result, verdict=verdict))
