"""Proves statements within a time budget, and hands over proofs that a reader can follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from verifier.audit import audit_proof
from verifier.lean import Message, ProofFacts, Statement
from verifier.prover.hints import Direction, Hints, Lemma, mentions, orientation
from verifier.prover.portfolio import Attempt, Portfolio, Rules
from verifier.prover.proof import (
    MARK,
    Argument,
    Proof,
    Search,
    Step,
    mapped,
    renamed,
    render,
    render_search,
    settled,
)
from verifier.prover.shape import Constants, GoalShape, shape_of
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verdict import Outcome, Reason, Verdict
from verifier.verifier import LOSSES, Verifier

HEARTBEATS = 4_000
ATTEMPT_SECONDS = 4.0  # Lean's own limit comes earlier; this one costs the session
CHECK_SECONDS = 10.0
UNUSED_ARGUMENT = "This simp argument is unused"


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


@dataclass
class _Search:
    """One search under way."""

    statement: Statement
    deadline: float
    cancelled: Callable[[], bool]
    trace: list[Try] = field(default_factory=list)

    @property
    def left(self) -> float:
        return self.deadline - time.monotonic()

    @property
    def over(self) -> bool:
        return self.left <= 0 or self.cancelled()


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

    def prove(
        self,
        statement: Statement,
        hints: Hints = Hints(),  # noqa: B008 - frozen
        seconds: float = 5.0,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ProofResult:
        """Searches for a proof, makes it short, and checks it.

        Args:
            statement: The statement in its environment and scope.
            hints: Definitions and earlier lemmas.
            seconds: Wall-clock budget of the search; the check of what it finds comes on top.
            cancelled: Asked between attempts; ``True`` ends the search.

        Raises:
            ToolchainError: There is no Lean to ask.
        """
        started = time.monotonic()
        finding, facts = self._verifier.check_statement(statement)
        if finding is not None or facts is None:
            verdict = self._verifier.check(statement, "by skip")
            return ProofResult(verdict, "", "", time.monotonic() - started, ())
        search = _Search(_bounded(statement), time.monotonic() + seconds, cancelled)
        shape = shape_of(facts, statement.environment, self._constants)
        plan = Portfolio(shape, self._rules(statement, shape, hints))
        progress: dict[str, float] = {}
        for attempt in _chained(plan.light(), lambda: plan.deep(progress)):
            if search.over:
                break
            found, progress[attempt.name] = self._try(search, attempt)
            if found is not None:
                verdict, proof = self._finish(statement, shape, found)
                if verdict.verified:
                    seconds_used = time.monotonic() - started
                    return ProofResult(
                        verdict, proof, attempt.name, seconds_used, tuple(search.trace)
                    )
        elapsed = time.monotonic() - started
        return ProofResult(self._gave_up(search, elapsed), "", "", elapsed, tuple(search.trace))

    def _rules(self, statement: Statement, shape: GoalShape, hints: Hints) -> Rules:
        unfold = tuple(dict.fromkeys((*shape.definitions, *hints.definitions)))
        names = [lemma.name for lemma in hints.lemmas]
        known = self._constants.describe(statement.environment, names)
        theory = set().union(*(mentions(d.type) for d in known.values())) - shape.constants
        foreign = self._defined(statement, theory)
        rewrite: list[str] = []
        permute: list[str] = []
        search: list[str] = []
        for lemma in hints.lemmas:
            declaration = known.get(lemma.name)
            if declaration is None or foreign.intersection(mentions(declaration.type)):
                continue
            search.append(lemma.name)
            direction = _direction(lemma, declaration.type)
            if direction is Direction.FORWARD:
                rewrite.append(lemma.name)
            elif direction is Direction.BACKWARD:
                rewrite.append(f"← {lemma.name}")
            elif direction is Direction.PERMUTE:
                permute.append(lemma.name)
        return Rules(unfold, tuple(rewrite), tuple(permute), tuple(search))

    def _defined(self, statement: Statement, names: Iterable[str]) -> frozenset[str]:
        """Those of the names that are definitions of the theory."""
        wanted = sorted(names)
        known = self._constants.describe(statement.environment, wanted)
        base = self._constants.describe(statement.environment.chain()[0], wanted)
        return frozenset(n for n, d in known.items() if d.kind == "definition" and n not in base)

    def _try(self, search: _Search, attempt: Attempt) -> tuple[Proof | None, float]:
        """What an attempt proved, and the share of its cases that it closed."""
        text = render_search(attempt.proof)
        if (search.statement, text.text) in self._hung:
            return None, 0.0
        started = time.monotonic()
        reason, facts = self._elaborate(search.statement, text.text)
        search.trace.append(Try(attempt.name, reason, time.monotonic() - started))
        if facts is None:
            return None, 0.0
        traces = _traces(facts.messages)
        if reason is not Reason.PROVED:
            return None, len(traces) / (len(traces) + 1)
        return _without_unused(attempt.proof, text, facts, search.statement, traces), 1.0

    def _elaborate(self, statement: Statement, proof: str) -> tuple[Reason, ProofFacts | None]:
        try:
            facts = self._verifier.lean.prove(statement, proof, ATTEMPT_SECONDS, False)
        except SessionLost as lost:
            if lost.loss is Loss.TIMEOUT:
                self._hung.add((statement, proof))
            return LOSSES[lost.loss], None
        finding = audit_proof(facts)
        if finding is None or finding.reason is Reason.KERNEL_REJECTED:
            return Reason.PROVED, facts
        return finding.reason, facts

    def _finish(self, statement: Statement, shape: GoalShape, proof: Proof) -> tuple[Verdict, str]:
        """The verdict on the most readable form of a proof that Lean accepts."""
        forms = dict.fromkeys((render(_scoped(proof, shape)), render(proof)))
        for text in forms:
            verdict = self._verifier.check(statement, text, CHECK_SECONDS)
            if verdict.verified:
                break
        return verdict, text

    def _gave_up(self, search: _Search, elapsed: float) -> Verdict:
        out_of_time = search.over
        return Verdict(
            outcome=Outcome.UNDETERMINED,
            reason=Reason.TIMEOUT if out_of_time else Reason.PROOF_FAILED,
            message=f"no proof found in {len(search.trace)} attempts",
            toolchain=str(self._verifier.lean.toolchain),
            seconds=elapsed,
        )


def _chained(
    first: Iterable[Attempt], second: Callable[[], Iterable[Attempt]]
) -> Iterator[Attempt]:
    """The first attempts, and then those that depend on what became of them."""
    yield from first
    yield from second()


def _bounded(statement: Statement) -> Statement:
    """The statement in a scope where Lean ends a long elaboration by itself."""
    return replace(statement, context=f"{statement.context}\nset_option maxHeartbeats {HEARTBEATS}")


def _direction(lemma: Lemma, type_: object) -> Direction:
    if lemma.direction is Direction.AUTOMATIC:
        return orientation(type_)
    return lemma.direction


def _without_unused(
    proof: Proof, text: Search, facts: ProofFacts, statement: Statement, traces: list[str]
) -> Proof | None:
    """The proof that the traces tell of, without bounds and arguments that it does not need."""
    offset = statement.signature.strip().count("\n")
    unused = {
        text.arguments[place]
        for m in facts.messages
        if m.text.startswith(UNUSED_ARGUMENT)
        and (place := (m.line - offset, m.column)) in text.arguments
    }

    def change(leaf: int, closer: int, step: int, old: Step) -> Step:
        def needed(argument: str) -> bool:
            if Argument(leaf, closer, step, argument) in unused:
                return False
            return old.tactic != "grind" or _is_premise(argument, facts.premises)

        return Step(old.tactic, tuple(filter(needed, old.arguments)))

    return settled(mapped(proof, change), traces)


def _is_premise(argument: str, premises: Iterable[str]) -> bool:
    name = argument.removeprefix("← ")
    return any(p == name or p.startswith(f"{name}.") for p in premises)


def _scoped(proof: Proof, shape: GoalShape) -> Proof:
    """The proof with names as they are said inside the namespace."""

    def said(name: str) -> str:
        arrow = "← " if name.startswith("← ") else ""
        short = name.removeprefix(arrow).removeprefix(shape.namespace)
        return arrow + (short if short not in shape.names else name.removeprefix(arrow))

    return renamed(proof, said)


def _traces(messages: Iterable[Message]) -> list[str]:
    """What the leaves traced; Lean joins messages of one place, a line each."""
    lines = (line for m in messages for line in m.text.split("\n"))
    return [line for line in lines if line.startswith(MARK)]
