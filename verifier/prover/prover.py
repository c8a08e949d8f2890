"""Proves statements within a time budget, and hands over proofs that a reader can follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from verifier.audit import audit_proof
from verifier.lean import Environment, Message, ProofFacts, Statement
from verifier.prover.hints import Hints
from verifier.prover.introduction import introduced, names_to_try, probe
from verifier.prover.minimise import is_premise, renaming, with_arguments, without_unused
from verifier.prover.portfolio import Attempt, Portfolio
from verifier.prover.proof import MARK, Introduced, Proof, renamed, searching, settled, written
from verifier.prover.rules import Rules, equations, grind_set, rules_for, simp_set
from verifier.prover.shape import Constants, GoalShape, shape_of
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verdict import Outcome, Reason, Verdict
from verifier.verifier import LOSSES, Verifier

HEARTBEATS = 4_000
ATTEMPT_SECONDS = 6.0  # Lean's own limit comes earlier; this one costs the session
WIDE_SECONDS = 15.0
CHECK_SECONDS = 10.0


@dataclass(frozen=True)
class Try:
    """What became of one attempt. ``reason`` is ``proved`` or why not."""

    name: str
    reason: Reason
    seconds: float


@dataclass(frozen=True)
class ProofResult:
    """The outcome of a search.

    Attributes:
        verdict: That of the full check when a proof was found; else why there is none.
        proof: Lean text after ``:=``; empty when there is none.
        tactic: The attempt that found it.
        seconds: Wall-clock time of the whole search.
        trace: Every attempt in order.
    """

    verdict: Verdict
    proof: str
    tactic: str
    seconds: float
    trace: tuple[Try, ...]

    @property
    def attempts(self) -> int:
        """The number of elaborations that searched."""
        return len(self.trace)


@dataclass(frozen=True)
class Direct:
    """Whether a statement follows at once.

    Attributes:
        proof: Lean text after ``:=``, or ``None`` if it does not. It was elaborated, not checked.
        premises: Constants that the proof term uses.
        seconds: Wall-clock time.
    """

    proof: str | None
    premises: tuple[str, ...]
    seconds: float


@dataclass
class _Search:
    """One search under way: the statement in an environment for each kind of attempt."""

    statement: Statement
    shape: GoalShape
    rules: Rules
    deadline: float
    cancelled: Callable[[], bool]
    may_go_wide: bool = True
    is_first: bool = True
    introduced: tuple[str, ...] = ()
    trace: list[Try] = field(default_factory=list)
    progress: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._places = {
            (alone, deep): self._place(self.rules.alone if alone else self.rules, deep)
            for alone in (False, True)
            for deep in (False, True)
        }

    def _place(self, rules: Rules, deep: bool) -> Statement:
        environment = _extended(self.statement.environment, simp_set(rules))
        if deep:
            environment = _extended(environment, grind_set(rules))
        return _bounded(replace(self.statement, environment=environment))

    def statement_for(self, attempt: Attempt) -> Statement:
        return self._places[attempt.alone, attempt.deep]

    def attempts(self) -> Iterator[Attempt]:
        """With all rules at once, then by definitions alone, then with all rules again."""
        portfolio = Portfolio(self.shape, self.rules)
        light = portfolio.light()
        found = [next(light)]
        yield from map(self._behind_intro, found)
        if self.is_first and self.rules.lemmas:
            yield from self._alone(Portfolio(self.shape, self.rules.alone))
        yield from map(self._behind_intro, light)
        yield from map(self._behind_intro, portfolio.deep(self.progress))
        if self.may_go_wide:
            yield from map(self._behind_intro, portfolio.wide(self.progress))

    def _alone(self, portfolio: Portfolio) -> Iterator[Attempt]:
        for attempt in portfolio.light():
            yield self._behind_intro(replace(attempt, alone=True))

    def at_once(self) -> Attempt:
        return self._behind_intro(Portfolio(self.shape, self.rules).at_once())

    def _behind_intro(self, attempt: Attempt) -> Attempt:
        if not self.introduced:
            return attempt
        return replace(attempt, proof=Introduced(self.introduced, attempt.proof))

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.deadline or self.cancelled()


class Prover:
    """Runs the portfolio on one Lean.

    It remembers which attempts hung on which statement and does not repeat them.

    Args:
        verifier: Tries and checks proofs.
    """

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier
        self._constants = Constants(verifier.lean)
        self._hung: set[tuple[Statement, str]] = set()
        self._definitions: dict[str, dict[str, None]] = {}

    def prepared(self, environment: Environment, names: Sequence[str]) -> Environment:
        """The environment with the equations of a theory's functions at hand.

        Every search and every check in an environment that is built on it is faster: Lean
        otherwise derives the equations in each of them anew.

        Args:
            environment: The theory, before its first lemma.
            names: Full names of what it declares; all but definitions are passed over.
        """
        constants = self._constants
        constants.describe(environment, names)
        definitions = [n for n in names if constants.is_definition(environment, n)]
        recursive = [n for n in definitions if constants.has_own_induction(environment, n)]
        text = equations(definitions, recursive)
        return self._verifier.lean.extend(environment, text).environment

    def prove(
        self,
        statement: Statement,
        hints: Hints = Hints(),  # noqa: B008 - frozen
        seconds: float = 5.0,
        cancelled: Callable[[], bool] = lambda: False,
        wide: bool = True,
        first: bool = True,
    ) -> ProofResult:
        """Searches for a proof, makes it short, and checks it.

        Args:
            statement: The statement in its environment and scope.
            hints: Definitions and earlier lemmas.
            seconds: Wall-clock budget of the search; the check of what it finds comes on top.
            cancelled: Asked between attempts; ``True`` ends the search.
            wide: Whether the attempts that take long to fail are made as well.
            first: Whether to try definitions without lemmas, too: needless where that has failed.

        Raises:
            ToolchainError: There is no Lean to ask.
        """
        started = time.monotonic()
        finding, facts = self._verifier.check_statement(statement)
        if finding is not None or facts is None:
            verdict = self._verifier.check(statement, "by skip")
            return ProofResult(verdict, "", "", time.monotonic() - started, ())
        deadline = time.monotonic() + seconds
        try:
            shape = shape_of(facts, statement.environment, self._constants)
            rules = self._rules(statement.environment, shape, hints)
        except SessionLost as lost:
            verdict = self._undetermined(LOSSES[lost.loss], lost.message, seconds=0.0)
            return ProofResult(verdict, "", "", time.monotonic() - started, ())
        search = _Search(statement, shape, rules, deadline, cancelled, wide, first)
        search.introduced = self._introduced(statement, shape)
        verdict, proof, tactic = self._run(search)
        elapsed = time.monotonic() - started
        return ProofResult(verdict, proof, tactic, elapsed, tuple(search.trace))

    def directly(self, statement: Statement, hints: Hints, seconds: float) -> Direct:
        """Whether ``rfl``, ``simp``, ``omega`` or ``grind`` proves a statement as it stands.

        One elaboration, without induction and case analysis; it is no verdict.

        Args:
            statement: The statement in its environment and scope.
            hints: Definitions and earlier lemmas.
            seconds: Wall-clock limit; a hang costs the session.

        Raises:
            ToolchainError: There is no Lean to ask.
        """
        started = time.monotonic()
        finding, facts = self._verifier.check_statement(statement)
        if finding is not None or facts is None:
            return Direct(None, (), time.monotonic() - started)
        try:
            shape = shape_of(facts, statement.environment, self._constants)
            rules = self._rules(statement.environment, shape, hints)
            search = _Search(statement, shape, rules, started + seconds, lambda: False)
            search.introduced = self._introduced(statement, shape)
        except SessionLost:
            return Direct(None, (), time.monotonic() - started)
        attempt = search.at_once()
        found, premises = self._try(search, attempt, seconds)
        proof = None if found is None else written(found).text
        return Direct(proof, premises, time.monotonic() - started)

    def _run(self, search: _Search) -> tuple[Verdict, str, str]:
        """The verdict with proof and attempt of the first success."""
        for attempt in search.attempts():
            if search.over:
                break
            limit = WIDE_SECONDS if attempt.depth > 1 else ATTEMPT_SECONDS
            found, premises = self._try(search, attempt, limit)
            if found is None:
                continue
            verdict, text = self._finish(search, found, premises)
            if verdict.verified:
                return verdict, text, attempt.name
        return self._gave_up(search), "", ""

    def _rules(self, environment: Environment, shape: GoalShape, hints: Hints) -> Rules:
        """The rules of a search.

        Definitions that were ever needed in this theory are kept, so that many statements share
        one environment.
        """
        theory = environment.chain()[:2][-1].key
        seen = self._definitions.setdefault(theory, {})
        seen |= dict.fromkeys((*shape.definitions, *hints.definitions))
        present = self._constants.describe(environment, seen)
        return rules_for(environment, list(present), hints, self._constants)

    def _introduced(self, statement: Statement, shape: GoalShape) -> tuple[str, ...]:
        if not shape.quantified:
            return ()
        names = names_to_try(shape.quantified)
        _, facts = self._elaborate(statement, probe(names, shape.conclusion))
        return introduced(names, [m.text for m in facts.messages] if facts else [])

    def _try(
        self, search: _Search, attempt: Attempt, seconds: float
    ) -> tuple[Proof | None, tuple[str, ...]]:
        """What an attempt proved, and the constants in its proof term."""
        started = time.monotonic()
        text = searching(attempt.proof)
        reason, facts = self._elaborate(search.statement_for(attempt), text, seconds)
        search.trace.append(Try(attempt.name, reason, time.monotonic() - started))
        if facts is None:
            return None, ()
        traces = _traces(facts.messages)
        if reason is not Reason.PROVED:
            if not attempt.alone:
                search.progress[attempt.name] = len(traces)
            return None, ()
        return settled(attempt.proof, traces), facts.premises

    def _elaborate(
        self, statement: Statement, proof: str, seconds: float = ATTEMPT_SECONDS
    ) -> tuple[Reason, ProofFacts | None]:
        if (statement, proof) in self._hung:
            return Reason.TIMEOUT, None
        try:
            facts = self._verifier.lean.prove(statement, proof, seconds, False)
        except SessionLost as lost:
            if lost.loss is Loss.TIMEOUT:
                self._hung.add((statement, proof))
            return LOSSES[lost.loss], None
        finding = audit_proof(facts)
        if finding is None or finding.reason is Reason.KERNEL_REJECTED:
            return Reason.PROVED, facts
        return finding.reason, facts

    def _finish(
        self, search: _Search, proof: Proof, premises: Sequence[str]
    ) -> tuple[Verdict, str]:
        """The verdict on the most readable form of a proof that Lean accepts."""
        rules = {*search.rules.unfold, *search.rules.lemmas}
        unfolded = set(search.shape.definitions)

        def needed(tactic: str, name: str) -> bool:
            known = tactic != "grind" and name in unfolded
            return name not in rules or known or is_premise(name, premises)

        said = renaming(search.shape.namespace, search.shape.names)
        likely = with_arguments(proof, needed)
        forms = (renamed(likely, said), renamed(proof, said), proof)
        for form in dict.fromkeys(forms):
            verdict, text = self._polished(search.statement, form)
            if verdict.verified:
                break
        return verdict, text

    def _polished(self, statement: Statement, proof: Proof) -> tuple[Verdict, str]:
        """The verdict on a proof without what Lean says is unused, else on the proof as it is."""
        text = written(proof)
        reason, facts = self._elaborate(statement, text.text)
        if reason is Reason.PROVED and facts is not None:
            shorter = written(without_unused(proof, text, facts.messages, statement)).text
            verdict = self._verifier.check(statement, shorter, CHECK_SECONDS)
            if verdict.verified:
                return verdict, shorter
        return self._verifier.check(statement, text.text, CHECK_SECONDS), text.text

    def _gave_up(self, search: _Search) -> Verdict:
        reason = Reason.TIMEOUT if search.over else Reason.PROOF_FAILED
        message = f"no proof found in {len(search.trace)} attempts"
        return self._undetermined(reason, message, sum(t.seconds for t in search.trace))

    def _undetermined(self, reason: Reason, message: str, seconds: float) -> Verdict:
        return Verdict(
            outcome=Outcome.UNDETERMINED,
            reason=reason,
            message=message,
            toolchain=str(self._verifier.lean.toolchain),
            seconds=seconds,
        )


def _extended(environment: Environment, text: str) -> Environment:
    return environment.extended(text) if text else environment


def _bounded(statement: Statement) -> Statement:
    """The statement where Lean ends a long elaboration by itself, and names what simp left."""
    limits = f"set_option maxHeartbeats {HEARTBEATS}\nset_option linter.unusedSimpArgs true"
    return replace(statement, context=f"{statement.context}\n{limits}")


def _traces(messages: Iterable[Message]) -> list[str]:
    """What the leaves traced; Lean joins messages of one place, a line each."""
    lines = (line for message in messages for line in message.text.split("\n"))
    return [line for line in lines if line.startswith(MARK)]
