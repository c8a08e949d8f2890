"""The closed loop: retrieve, draft, judge, prove, write back, until the budget is spent.

One thread retrieves, drafts and judges with a session of its own; the provers work in the
background. Only this thread writes.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from itertools import count

from engine.judgement.falsifier import Counterexample, Falsifier, prove_refutation
from engine.judgement.rubric import Evidence, Judgement, evaluation_depth, judge
from engine.knowledge.run import Knowledge, Retrieved
from engine.language.core import core_laws
from engine.language.printing import proposition_text, signature_text
from engine.language.rewriting import Rewriter, is_instance
from engine.language.semantics import Interpretation
from engine.language.signature import read_law
from engine.language.term import Law, Symbol
from engine.library.library import Library
from engine.library.naming import choose_name, law_sides
from engine.library.render import Doc
from engine.model import (
    Contribution,
    Label,
    MethodNode,
    NodeKind,
    Scores,
    Stage,
)
from engine.retrieval.features import statement_features
from engine.settings import Settings
from engine.sources.lean_module import (
    Theory,
    contributions_of,
    defining_equations,
    naming_of,
    nodes_of,
    theory_uses,
)
from engine.sources.usage import Naming, node_shares, proof_uses
from engine.sources.use_cache import UseCache
from engine.strategy.agent import Agent
from engine.strategy.operators import OPERATORS, Context, Draft, KnownLaw
from engine.trees.evidence import Evidence as Use
from engine.trees.evidence import EvidenceEdge, edge
from engine.trees.statement import statement_key
from engine.workers import ProverPool
from verifier.errors import InputError
from verifier.lean import Statement, StatementFacts
from verifier.prover.hints import Hints, Lemma
from verifier.prover.prover import ProofResult
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Outcome
from verifier.verifier import Verifier

CONTEXT_SIZE = 24
FIRST_SIDE, LARGEST_SIDE = 5, 9
"""Symbols and variables on a side of a drafted law: at first, and at most. The bound grows when a
round brings nothing new, so that what a failed proof lacks is found before anything larger."""
PROOF_SECONDS = 3.0
EAGER_TRIES = 2
"""How often a failed candidate is tried again as soon as a related lemma is proved; afterwards it
waits until the provers have nothing else to do."""
WAIT_SECONDS = 0.2


@dataclass(frozen=True)
class Fate:
    """What became of a candidate: an event of the run.

    Attributes:
        what: ``drafted``, ``duplicate``, ``refuted``, ``pruned``, ``verified``, ``conjecture``.
    """

    what: str
    statement: str
    operator: str
    detail: str = ""


@dataclass(frozen=True)
class Result:
    """A candidate that came to an end in this run.

    Attributes:
        statement: Lean signature. equation: The same without its binders.
    """

    statement: str
    equation: str
    label: Label
    operator: str
    parents: tuple[str, ...]
    name: str = ""
    node: str = ""
    tactic: str = ""
    proof: str = ""
    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class RunReport:
    """What a run did.

    Attributes:
        counts: Drafted, duplicate, refuted, pruned, verified, conjecture.
        retrieved: The first retrieval of the run, for the navigation path.
        interrupted: Whether the user ended it before the budget did.
    """

    run: str
    theory: str
    goal: str
    results: tuple[Result, ...]
    counts: dict[str, int]
    choices: tuple[str, ...]
    retrieved: Retrieved | None
    seconds: float
    interrupted: bool


@dataclass(order=True)
class _Pending:
    """A candidate that waits for a prover; smaller comes first."""

    tries: int
    cost: float
    number: int
    draft: Draft = field(compare=False)
    judgement: Judgement = field(compare=False)
    seconds: float = field(compare=False, default=0.0)
    proved_then: int = field(compare=False, default=0)


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
    ) -> None:
        self._theory = theory
        self._library = library
        self._store = library.store
        self._session = session
        self._verifier = Verifier(session, pool.second)
        self._pool = pool
        self._settings = settings
        self._goal = goal
        self._notify = notify
        self._clock = clock
        self._use_cache = use_cache
        self._agent = Agent(OPERATORS)
        self._counts: Counter[str] = Counter()
        self._results: dict[str, Result] = {}
        self._seen: set[str] = set()
        self._queue: list[_Pending] = []
        self._failed: list[_Pending] = []
        self._running: dict[Future[ProofResult], _Pending] = {}
        self._numbers = count()
        self._heaviest = 0.0
        self._max_size = FIRST_SIDE

    def run(self, seconds: float) -> RunReport:
        """Discovers until the budget is spent or nothing is left to try.

        Args:
            seconds: Wall-clock budget, from now.

        Raises:
            InputError: The library refuses the theory.
            StorageError: Results cannot be written.
        """
        started = self._clock()
        self._deadline = started + seconds
        self._prepare()
        run = self._store.start_run(
            self._goal, self._theory.name, self._settings.model_dump(mode="json")
        )
        self._run = run.id
        interrupted = False
        try:
            while not self._over and self._max_size <= LARGEST_SIDE:
                if not self._round():
                    self._max_size += 1
            self._drain()
        except KeyboardInterrupt:
            interrupted = True
        labels = [r.label for r in self._results.values()]
        self._counts["conjecture"] = labels.count(Label.CONJECTURE)
        counts = {k: self._counts[k] for k in COUNTED}
        self._store.finish_run(run.id, counts)
        self._store.save_clusters(Knowledge(self._store, self._settings).abstraction.clusters)
        return RunReport(
            run=run.id,
            theory=self._theory.name,
            goal=self._goal,
            results=tuple(self._results.values()),
            counts=counts,
            choices=tuple(self._agent.choices),
            retrieved=self._retrieved,
            seconds=self._clock() - started,
            interrupted=interrupted,
        )

    # -- knowledge ---------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Theory and library into the store; symbols, equations and proved laws into reach."""
        self._library.adopt(self._theory, self._verifier)
        for node in nodes_of(self._theory):
            self._store.upsert_node(node)
        self._naming = naming_of(self._theory)
        seconds = self._settings.evidence.survival_seconds
        uses = theory_uses(self._theory, self._session, seconds, self._use_cache)
        for contribution in contributions_of(self._theory, uses):
            self._store.add_contribution(contribution)
        self._shares = node_shares(self._store.nodes(), self._naming)
        self._environment = self._library.environment(self._theory, self._session)
        self._taken = self._library.taken(self._theory, self._session)
        self._owners = self._symbol_owners()
        self._equations = defining_equations(self._theory, self._session)
        self._known = [*self._definition_laws(), *self._theory_laws(), *self._library_laws()]
        self._interpretation = Interpretation(
            self._session,
            self._theory.environment,
            self._theory.context,
            self._theory.symbols,
            seed=self._settings.abstraction.seed,
        )
        self._falsifier = Falsifier(self._interpretation, self._settings.abstraction.seed)
        self._retrieved: Retrieved | None = None

    def _symbol_owners(self) -> dict[str, str]:
        """The node of each symbol; a constructor belongs to its type."""
        owners = {e.declaration.name: e.node_id for e in self._theory.entries}
        for constructor in self._theory.constructors:
            if constructor.inductive in owners:
                owners[constructor.name] = owners[constructor.inductive]
        return owners

    def _definition_laws(self) -> list[KnownLaw]:
        return [
            KnownLaw(self._owners[name], f"the definition of {_last(name)}", law, Label.ASSUMED)
            for name, laws in self._equations.items()
            for law in laws
        ]

    def _theory_laws(self) -> list[KnownLaw]:
        return [
            KnownLaw(self._owners[name], name, law, Label.VERIFIED)
            for name, law in self._theory.laws.items()
        ]

    def _library_laws(self) -> list[KnownLaw]:
        """Laws of the lemmas that the library has already, as Lean reads them."""
        lemmas = self._library.lemmas(self._theory.name)
        declarations = self._session.declarations(self._environment, [m.name for m in lemmas])
        found = []
        for lemma, declaration in zip(lemmas, declarations, strict=True):
            law = read_law(declaration.type, self._theory.symbols) if declaration else None
            if law is not None:
                found.append(KnownLaw(lemma.node, lemma.name, law, Label.VERIFIED))
        return found

    def _context(self) -> Context:
        """Retrieves the ancestors of the goal and makes them the operators' context."""
        self._knowledge = Knowledge(self._store, self._settings)
        query = self._goal or " ".join(s for s in self._theory.symbols)
        retrieved = self._knowledge.retrieve(query, max(CONTEXT_SIZE, len(self._theory.entries)))
        self._retrieved = self._retrieved or retrieved
        nearest = set(retrieved.nodes[: CONTEXT_SIZE if self._goal else None])
        laws = [k for k in self._known if k.node in nearest or not self._goal]
        return Context(
            symbols=self._symbols(nearest),
            laws=laws,
            owners=self._owners,
            interpretation=self._interpretation,
            rewriter=self._rewriter(),
            tried=self._tried,
            max_size=self._max_size,
            seed=self._settings.abstraction.seed,
            stop=lambda: self._over,
        )

    def _symbols(self, nearest: set[str]) -> list[Symbol]:
        """Symbols of the retrieved nodes; core functions and constructors always."""
        chosen = []
        for symbol in self._theory.symbols.values():
            owner = self._owners.get(symbol.name)
            if symbol.is_background or symbol.is_constructor or owner in nearest or not self._goal:
                chosen.append(symbol)
        return chosen

    def _rewriter(self) -> Rewriter:
        """Calculates with core's arithmetic, definitions and proved laws."""
        rewriter = Rewriter(core_laws())
        for known in self._known:
            if known.label is Label.ASSUMED:
                rewriter.add_definition(known.law)
            else:
                rewriter.add(known.law)
        return rewriter

    def _tried(self, key: str) -> bool:
        """Whether a law was met in this run, or in an earlier one with the same library."""
        return key in self._seen or not self._store.worth_trying(self._theory.name, key)

    # -- the loop ----------------------------------------------------------------------------

    @property
    def _over(self) -> bool:
        return self._clock() >= self._deadline

    def _round(self) -> bool:
        """One retrieval with all drafts on it. False when it brought nothing new."""
        before = (len(self._seen), len(self._known))
        self._judge_by = self._rewriter()
        for draft in self._agent.drafts(self._context()):
            self._consider(draft)
            self._pump()
            if self._over:
                break
        while (self._queue or self._running or self._try_again()) and not self._over:
            self._pump(wait_for_one=True)
        return (len(self._seen), len(self._known)) != before

    def _drain(self) -> None:
        """Takes in what the provers have finished when time is up."""
        for future in [f for f in self._running if f.done()]:
            self._finished(future, self._running.pop(future))

    def _consider(self, draft: Draft) -> None:
        """Duplicates, false and weak drafts end here; the others queue for a proof."""
        self._counts["drafted"] += 1
        key = draft.key
        if self._tried(key):
            self._count("duplicate", draft, "drafted before")
            return
        self._seen.add(key)
        judgement = self._judge(draft)
        if not judgement.kept:
            self._prune(draft, judgement.reason)
            return
        self._heaviest = max(self._heaviest, judgement.total)
        depth = evaluation_depth(judgement.total, self._heaviest, self._settings.evaluation)
        counterexample = self._falsifier.refute(draft.law, depth)
        if counterexample is not None:
            self._refute(draft, counterexample)
            return
        pending = _Pending(
            0, draft.law.size - judgement.total, next(self._numbers), draft, judgement
        )
        heapq.heappush(self._queue, pending)

    def _judge(self, draft: Draft) -> Judgement:
        knowledge = self._knowledge
        known_nodes = {n.id for n in knowledge.nodes} | {k.node for k in self._known}
        claimed = [p.node for p in draft.parents]
        evidence = Evidence(
            nearest=self._cosine_to_results(draft),
            goal_cosine=self._cosine_to_goal(draft),
            parents_known=sum(c in known_nodes for c in claimed) / len(claimed) if claimed else 1.0,
        )
        known = [(k.name, k.law) for k in self._known]
        known += [("an open conjecture", p.draft.law) for p in self._open()]
        return judge(draft.law, evidence, known, self._judge_by, self._settings.rubric)

    def _open(self) -> list[_Pending]:
        """Candidates that wait for a proof or have failed so far."""
        return [*self._queue, *self._running.values(), *self._failed]

    def _cosine_to_results(self, draft: Draft) -> float:
        results = [k for k in self._known if k.label is Label.VERIFIED]
        if not results:
            return 0.0
        texts = [signature_text(draft.law), *(signature_text(k.law) for k in results)]
        vectors = self._knowledge.encoder.encode(texts)
        return float(min(1.0, max(0.0, (vectors[1:] @ vectors[0]).max())))

    def _cosine_to_goal(self, draft: Draft) -> float | None:
        if not self._goal:
            return None
        vectors = self._knowledge.encoder.encode([signature_text(draft.law), self._goal])
        return float(min(1.0, max(0.0, vectors[0] @ vectors[1])))

    def _pump(self, wait_for_one: bool = False) -> None:
        """Gives work to idle provers and takes in what they have finished."""
        while self._queue and len(self._running) < self._pool.count:
            self._submit(heapq.heappop(self._queue))
        if not self._running:
            return
        timeout = WAIT_SECONDS if wait_for_one else 0
        done, _ = wait(self._running, timeout, return_when=FIRST_COMPLETED)
        for future in done:
            self._finished(future, self._running.pop(future))

    def _submit(self, pending: _Pending) -> None:
        """Starts a proof search, unless what was proved meanwhile makes it needless."""
        law = pending.draft.law
        if self._is_settled(pending):
            return
        pending.proved_then = len(self._known)
        hints = Hints(lemmas=tuple(Lemma(k.name) for k in self._proved()))
        patience = PROOF_SECONDS * min(1 + pending.tries, 3)
        seconds = min(patience, max(1.0, self._deadline - self._clock()))
        self._running[self._pool.prove(self._statement(law), hints, seconds)] = pending

    def _is_settled(self, pending: _Pending) -> bool:
        """Prunes a candidate that what was proved since it was drafted makes needless."""
        law = pending.draft.law
        settled = any(is_instance(law, k.law) for k in self._known) or self._judge_by.joins(law)
        if settled:
            self._prune(pending.draft, "it follows from lemmas that were proved meanwhile")
        return settled

    def _proved(self) -> list[KnownLaw]:
        return [k for k in self._known if k.label is Label.VERIFIED]

    def _statement(self, law: Law) -> Statement:
        return Statement(self._environment, "candidate", signature_text(law), self._theory.context)

    def _finished(self, future: Future[ProofResult], pending: _Pending) -> None:
        result = future.result()
        pending.seconds += result.seconds
        pending.tries += 1
        if result.verdict.vacuous:
            self._prune(pending.draft, "vacuous: its hypotheses contradict each other")
        elif result.verdict.verified:
            self._write_back(pending, result)
        elif result.verdict.outcome is Outcome.REJECTED and not result.trace:
            self._prune(pending.draft, f"{result.verdict.reason}: {result.verdict.message}")
        else:
            self._fail(pending, result)

    # -- fates -------------------------------------------------------------------------------

    def _count(self, what: str, draft: Draft, detail: str = "") -> None:
        self._counts[what] += 1
        self._notify(Fate(what, signature_text(draft.law), draft.operator, detail))

    def _remember(
        self,
        draft: Draft,
        stage: Stage,
        outcome: Label | None,
        reason: str = "",
        pending: _Pending | None = None,
        **more: str,
    ) -> None:
        self._store.remember_candidate(
            draft.candidate(),
            theory=self._theory.name,
            stage=stage,
            outcome=outcome,
            reason=reason,
            attempts=pending.tries if pending else 0,
            seconds=pending.seconds if pending else 0.0,
            run=self._run,
            library_version=self._store.library_version(),
            **more,
        )

    def _prune(self, draft: Draft, reason: str) -> None:
        self._results.pop(draft.key, None)
        self._remember(draft, Stage.RUBRIC, None, reason)
        self._count("pruned", draft, reason)

    def _refute(self, draft: Draft, counterexample: Counterexample) -> None:
        definitions = [
            self._theory.short(s.name)
            for s in draft.law.symbols()
            if not (s.is_background or s.is_constructor)
        ]
        proof = prove_refutation(
            draft.law,
            counterexample,
            self._verifier,
            self._theory.environment,
            self._theory.context,
            definitions,
        )
        reason = "Lean proved the negation" if proof else "the kernel computed different values"
        self._remember(
            draft, Stage.FALSIFIER, Label.REFUTED, reason, counterexample=str(counterexample)
        )
        self._record(draft, Label.REFUTED, reason=f"{counterexample} ({reason})")
        self._count("refuted", draft, str(counterexample))

    def _fail(self, pending: _Pending, result: ProofResult) -> None:
        """No proof: a conjecture, which is tried again when the library has grown."""
        reason = f"{result.verdict.reason}: {result.verdict.message}".strip(": ")
        self._remember(
            pending.draft, Stage.VERIFIER, Label.CONJECTURE, reason[:500], pending=pending
        )
        self._record(pending.draft, Label.CONJECTURE, pending=pending, reason=reason)
        self._failed.append(pending)

    def _write_back(self, pending: _Pending, proved: ProofResult) -> None:
        draft, law = pending.draft, pending.draft.law
        left, right, variables = law_sides(law)
        name = choose_name(left, right, taken=self._taken, variables=variables)
        node = self._node(draft, pending.judgement.scores, proved, name)
        edges = self._edges(node, draft, proved)
        parents = tuple(_last(e.parent.split(":")[-1]) for e in edges)
        try:
            written = self._library.write(
                node,
                edges,
                name=name,
                signature=node.statement,
                proof=proved.proof,
                lean=self._session,
                doc=Doc(summary=draft.summary, operator=draft.operator, parents=parents),
            )
        except (InputError, SessionLost) as error:
            self._fail(pending, _undone(proved, error))
            return
        self._environment = written.environment
        self._taken = self._library.taken(self._theory, self._session)
        self._known.append(KnownLaw(node.id, str(node.name), law, Label.VERIFIED))
        self._judge_by = self._rewriter()
        self._agent.reward(draft.operator)
        self._remember(
            draft, Stage.VERIFIER, Label.VERIFIED, proved.tactic, pending=pending, node=node.id
        )
        self._record(draft, Label.VERIFIED, pending=pending, proved=proved, node=node, name=name)
        self._count("verified", draft, name)
        self._reconsider(law)

    def _reconsider(self, law: Law) -> None:
        """Failed candidates that share a function with a new lemma get another chance at once."""
        self._failed = [p for p in self._failed if not self._is_settled(p)]
        functions = {s.name for s in law.symbols() if not s.is_constructor}
        self._requeue(
            lambda p: (
                p.tries <= EAGER_TRIES
                and not functions.isdisjoint(s.name for s in p.draft.law.symbols())
            )
        )

    def _try_again(self) -> bool:
        """Queues the failed candidates that were last tried with fewer lemmas than there are."""
        return self._requeue(lambda p: p.proved_then < len(self._known))

    def _requeue(self, wanted: Callable[[_Pending], bool]) -> bool:
        chosen = [p for p in self._failed if wanted(p)]
        self._failed = [p for p in self._failed if not wanted(p)]
        for pending in chosen:
            heapq.heappush(self._queue, pending)
        return bool(chosen)

    def _node(self, draft: Draft, scores: Scores, proved: ProofResult, name: str) -> MethodNode:
        candidate = draft.candidate()
        place = self._library.place(self._theory, name)
        facts = self._elaborated(draft.law)
        return MethodNode(
            id=place["id"],
            module=place["module"],
            name=place["name"],
            kind=NodeKind.THEOREM,
            statement=candidate.statement,
            summary=draft.summary,
            limits=(candidate.limits,),
            label=Label.VERIFIED,
            symbols=candidate.symbols,
            proof=proved.proof,
            axioms=proved.verdict.axioms,
            premises=proved.verdict.premises,
            toolchain=proved.verdict.toolchain,
            kernels=proved.verdict.kernels,
            assumed=proved.verdict.assumed,
            scores=scores,
            operator=draft.operator,
            lean_kind="theorem",
            universes=facts.level_params if facts else (),
            features=statement_features(facts.type if facts else None),
            canonical=statement_key(facts.type if facts else None),
        )

    def _elaborated(self, law: Law) -> StatementFacts | None:
        """A statement as Lean reads it, for search; a lemma is written without that, too."""
        try:
            return self._session.state(self._statement(law))
        except SessionLost:
            return None

    def _edges(
        self, node: MethodNode, draft: Draft, proved: ProofResult
    ) -> tuple[Contribution, ...]:
        """The operator's claims, and what statement and proof really use, by its evidence.

        A node that was claimed and is used keeps the larger of both ratings; the evidence says as
        well what a claim says of the statement.
        """
        edges = {
            p.node: Contribution(
                parent=p.node,
                child=node.id,
                rating=p.rating,
                explanation=p.explanation,
                operator=draft.operator,
            )
            for p in draft.parents
        }
        for used in self._used(node, draft.law, proved):
            claim = edges.get(used.parent)
            said = "" if claim is None or used.evidence.in_statement else f"{claim.explanation} "
            edges[used.parent] = Contribution(
                parent=used.parent,
                child=node.id,
                rating=max(used.rating, claim.rating if claim else 1),
                strength=used.strength,
                explanation=f"{said}{used.explanation}",
                operator=draft.operator,
            )
        return tuple(edges.values())

    def _used(self, node: MethodNode, law: Law, proved: ProofResult) -> list[EvidenceEdge]:
        """Edges from the definitions and laws that a new lemma and its proof use."""
        nodes = {**self._owners, **{k.name: k.node for k in self._proved()}}
        laws = {k.name: k.name for k in self._proved() if k.name not in self._naming.owners}
        naming = Naming({**self._naming.owners, **laws}, {*self._naming.theorems, *laws})
        try:
            uses = proof_uses(self._session, self._statement(law), proved.proof, naming)
        except SessionLost:
            uses = dict.fromkeys(proved.verdict.premises, Use(in_proof=1))
        return [
            edge(nodes[name], node.id, name, use, self._shares)
            for name, use in uses.items()
            if name in nodes and nodes[name] != node.id
        ]

    def _record(
        self,
        draft: Draft,
        label: Label,
        *,
        pending: _Pending | None = None,
        proved: ProofResult | None = None,
        node: MethodNode | None = None,
        name: str = "",
        reason: str = "",
    ) -> None:
        self._results[draft.key] = Result(
            statement=signature_text(draft.law),
            equation=proposition_text(draft.law),
            label=label,
            operator=draft.operator,
            parents=tuple(_last(p.node.split(":")[-1]) for p in draft.parents),
            name=name,
            node=node.id if node else "",
            tactic=proved.tactic if proved else "",
            proof=proved.proof if proved else "",
            seconds=pending.seconds if pending else 0.0,
            reason=reason,
        )


COUNTED = ("drafted", "duplicate", "refuted", "pruned", "verified", "conjecture")


def _undone(proved: ProofResult, error: Exception) -> ProofResult:
    verdict = proved.verdict.model_copy(
        update={"outcome": Outcome.UNDETERMINED, "message": f"not written back: {error}"}
    )
    return replace(proved, verdict=verdict)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def verified(results: Sequence[Result]) -> list[Result]:
    """The results that joined the library."""
    return [r for r in results if r.label is Label.VERIFIED]
