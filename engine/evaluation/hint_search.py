"""Proof search with hints, for :mod:`engine.evaluation.hints_bench`: attempts and their arena."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from engine.evaluation.premise_making import attempts, candidates
from engine.evaluation.premises import IMPORTS, area_of, restated
from engine.model import MethodNode
from engine.trees.statement import statement_key
from verifier.audit import audit_proof
from verifier.lean import Environment, ProofFacts, Statement, StatementFacts
from verifier.progress import Progress
from verifier.prover.expression import Expression
from verifier.prover.hints import Direction, orientation
from verifier.prover.minimise import is_premise
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Reason
from verifier.verifier import Verifier

MOST = 16
"""Hints of a statement."""

APPLIED = 8
"""Of those, how many are tried as the last step of a proof."""

PLAIN = ("by simp", "by simp_all", "by grind", "by omega", "by intros; simp_all")
BOUND = "set_option maxHeartbeats 3000"
ATTEMPT_SECONDS = 10.0
"""A hang costs the session; Lean's own limit in :data:`BOUND` comes earlier."""

PER_AREA = 12
"""Statements of one area at most."""

LEAST = 40
"""Theorems that an area must have, so that statements are of what the library is about."""


@dataclass(frozen=True)
class Hint:
    """A theorem, and what it can be used for.

    Attributes:
        simp: As an argument of ``simp``, with an arrow where it is used backwards; empty where
            rewriting with it is not safe.
        grind: Whether ``grind`` finds something to match in it.
    """

    name: str
    simp: str
    grind: bool


@dataclass(frozen=True)
class Goal:
    """A statement to prove: the theorem, its restatement, and what elaborating it showed."""

    node: MethodNode
    statement: Statement
    facts: StatementFacts
    hidden: frozenset[str]


@dataclass(frozen=True)
class Solution:
    """What an arm made of a statement.

    Attributes:
        proof: Verified Lean text, or empty.
        seconds: Wall-clock time until the proof was found, or that was spent in vain.
        hinted: Whether the proof term uses a hint.
    """

    proof: str
    seconds: float
    attempts: int
    hinted: bool = False

    @property
    def solved(self) -> bool:
        """Whether there is a proof."""
        return bool(self.proof)


class HintLibrary:
    """What hints can be used for, found out once for each.

    Args:
        session: Asked for types, and whether ``grind`` takes a theorem.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._environment = Environment(IMPORTS)
        self._known: dict[str, Hint] = {}

    def hints(self, names: Sequence[str]) -> list[Hint]:
        """The hints of theorems, in their order; those of no use at all are left out."""
        missing = [name for name in names if name not in self._known]
        for name, found in zip(
            missing, self._session.declarations(self._environment, missing), strict=True
        ):
            type_ = found.type if found else None
            self._known[name] = Hint(name, self._simp(name, type_), self._grinds(name))
        return [hint for name in names if (hint := self._known[name]).simp or hint.grind]

    def _simp(self, name: str, type_: Expression | None) -> str:
        direction = orientation(type_) if type_ else Direction.SEARCH
        if direction is Direction.SEARCH:
            return ""
        argument = f"← {name}" if direction is Direction.BACKWARD else name
        return argument if self._accepts(f"simp [{argument}]") else ""

    def _grinds(self, name: str) -> bool:
        return self._accepts(f"grind [{name}]")

    def _accepts(self, tactic: str) -> bool:
        """Whether Lean accepts a tactic's arguments; the goal is trivial."""
        statement = Statement(self._environment, "usable", ": True", BOUND)
        try:
            return _is_proved(self._session.prove(statement, f"by {tactic}", 5.0, False, False))
        except SessionLost:
            return False


def hinted(hints: Sequence[Hint], packing: Sequence[int], goal: Goal) -> Iterator[str]:
    """Attempts that use hints: few hints first, and all first-level attempts before case splits.

    Args:
        hints: Best first.
        packing: How many of them an attempt gets, one attempt after the other.
        goal: Offers variables to split.
    """
    if not hints:
        return
    packs = [hints[:size] for size in packing if size == packing[0] or len(hints) > size // 4]
    for pack in packs:
        yield from _closers("", pack)
        if pack is packs[0]:
            yield from _applications(hints[:APPLIED])
    headers = [a.proof for a in attempts(goal.facts, {}) if a.name.endswith(", simp_all")]
    for pack in packs[-2:]:
        for header in headers:
            if " <;> simp_all" in header and header.count("<;>") == 1:
                yield from _closers(header.removeprefix("by ").removesuffix("simp_all"), pack)


def _applications(hints: Sequence[Hint]) -> Iterator[str]:
    """Hints as the last step: by unification alone, then with hypotheses."""
    for form in ("exact {} ..", "(apply {} <;> assumption)"):
        yield f"by intros; first | {' | '.join(form.format(h.name) for h in hints)}"


def _closers(header: str, pack: Sequence[Hint]) -> Iterator[str]:
    rules = ", ".join(h.simp for h in pack if h.simp)
    if rules:
        yield f"by {header}simp [{rules}]" if not header else f"by {header}simp_all [{rules}]"
    if rules and not header:
        yield f"by simp_all [{rules}]"
    if patterns := ", ".join(h.name for h in pack if h.grind):
        yield f"by {header}grind [{patterns}]"


class Arena:
    """Finds goals and lets arms try them, in one session.

    Args:
        session: A warm session.
        verifier: Has the last word on each proof.
        nodes: The library.
    """

    def __init__(self, session: Session, verifier: Verifier, nodes: Sequence[MethodNode]) -> None:
        self._session = session
        self._verifier = verifier
        self._nodes = nodes
        self._named = {node.name: node for node in nodes if node.name}
        self._aliases: dict[str, set[str]] = {}
        for node in nodes:
            if node.canonical and node.name:
                self._aliases.setdefault(node.canonical, set()).add(node.name)
        self._hints = HintLibrary(session)
        self.tried = 0
        self.refused = 0

    def goals(self, count: int, seed: int, progress: Progress) -> list[Goal]:
        """Theorems that no plain call proves, spread over areas; ``tried`` counts all looked at."""
        found: list[Goal] = []
        areas: dict[str, int] = {}
        for node in candidates(self._nodes, seed, LEAST):
            area = area_of(node.name or "")
            if areas.get(area, 0) >= PER_AREA:
                continue
            self.tried += 1
            if (goal := self._goal(node)) is not None:
                areas[area] = areas.get(area, 0) + 1
                found.append(goal)
                progress.advance(1)
            if len(found) >= count:
                break
        return found

    def _goal(self, node: MethodNode) -> Goal | None:
        assert node.name is not None
        hidden = frozenset({node.name, *self._aliases.get(node.canonical, ())})
        statement = restated(node.statement, node.universes, sorted(hidden))
        finding, facts = self._verifier.check_statement(statement)
        if finding is not None or facts is None or statement_key(facts.type) != node.canonical:
            return None
        goal = Goal(node, statement, facts, hidden)
        try:
            if any(self._proves(goal, proof) for proof in PLAIN):
                return None
        except SessionLost:
            return None
        return goal

    def solve(
        self, goal: Goal, names: Sequence[str], packing: Sequence[int], budget: float
    ) -> Solution:
        """Tries a statement within a budget of seconds.

        Args:
            goal: The statement.
            names: Hints, best first.
            packing: How many of them an attempt gets.
            budget: Wall-clock seconds of the search; preparing hints and the verdict come on top.
        """
        hints = self._hints.hints(names)
        started = time.monotonic()
        count = 0
        for proof in self._schedule(goal, hints, packing):
            if time.monotonic() - started >= budget:
                break
            count += 1
            if self._tried(goal, proof) and (seconds := time.monotonic() - started) < budget:
                verdict = self._verifier.check(goal.statement, proof)
                self.refused += not verdict.verified
                if verdict.verified:
                    return Solution(proof, seconds, count, _uses(verdict.premises, names))
        return Solution("", time.monotonic() - started, count)

    def _schedule(self, goal: Goal, hints: Sequence[Hint], packing: Sequence[int]) -> Iterator[str]:
        plain = [a.proof for a in attempts(goal.facts, self._named) if a.proof not in PLAIN]
        for pair in zip_longest(hinted(hints, packing, goal), plain):
            yield from (proof for proof in pair if proof is not None)

    def _tried(self, goal: Goal, proof: str) -> bool:
        try:
            return self._proves(goal, proof)
        except SessionLost:
            return False

    def _proves(self, goal: Goal, proof: str) -> bool:
        at = goal.statement
        bounded = replace(at, context=f"{at.context}\n{BOUND}" if at.context else BOUND)
        facts = self._session.prove(bounded, proof, ATTEMPT_SECONDS, False, False)
        finding = audit_proof(facts)
        return finding is None or finding.reason is Reason.KERNEL_REJECTED  # not asked yet


def _uses(constants: Sequence[str], hints: Sequence[str]) -> bool:
    """Whether a hint, or what Lean derived from it, is among the constants of a proof term."""
    return any(is_premise(name, constants) for name in hints)


def _is_proved(facts: ProofFacts) -> bool:
    return facts.present and not any(m.is_error for m in facts.messages)
