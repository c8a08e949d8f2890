"""Holes inside a proof: each is tried in its place, with the other holes left open.

Two ways are tried. A list of closing tactics stands in for the hole; and the goal that Lean shows
there is stated as a theorem of its own, whose proof is put into the hole. What Lean shows may not
be what Lean reads back; so only the proof in its place counts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from engine.proving.filling import Fill, broken, filled, indented, tactics
from engine.proving.problem import Problem
from verifier.audit import audit_proof
from verifier.lean import Environment, ProofFacts, Statement
from verifier.outline import Hole
from verifier.prover.hints import Hints
from verifier.prover.minimise import is_premise, renaming, with_arguments
from verifier.prover.proof import (
    MARK,
    Closer,
    Leaf,
    Proof,
    Step,
    leaves,
    renamed,
    searching,
    settled,
    written,
)
from verifier.prover.prover import ATTEMPT_SECONDS, HEARTBEATS, Prover
from verifier.prover.shape import Constants, shape_of
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Reason
from verifier.verifier import Verifier

UNSPEAKABLE = "✝"
UNIVERSE = re.compile(r"\bu_\d+\b")
NAMES = re.compile(r"(?P<names>[^:()\[\]{}]+?) : (?P<rest>.*)", re.DOTALL)
PROBE = "trace_state; sorry"
MANY_ARGUMENTS = 8


@dataclass(frozen=True)
class Goal:
    """A goal as Lean shows it: hypotheses in order, and what is to be shown."""

    hypotheses: tuple[tuple[tuple[str, ...], str], ...]
    target: str

    @property
    def signature(self) -> str:
        """Binders and type of a theorem that says the same."""
        return " ".join([*self._binders(), f": {self.target}"])

    @property
    def universes(self) -> str:
        """The universe parameters to declare, as they follow a name."""
        found = dict.fromkeys(UNIVERSE.findall(self.signature))
        return f".{{{', '.join(found)}}}" if found else ""

    def _binders(self) -> Iterator[str]:
        for names, type_ in self.hypotheses:
            said = [n for n in names if UNSPEAKABLE not in n]
            if said:
                yield f"({' '.join(said)} : {type_})"
            elif UNSPEAKABLE not in type_:
                yield f"[{type_}]"  # a hypothesis without a name: an instance, most likely


def read_goal(shown: str) -> Goal | None:
    """The first goal in what ``trace_state`` says, ``None`` when it cannot be stated."""
    entries: list[str] = []
    for line in shown.split("\n"):
        if not line.strip():
            break
        if line.startswith(" ") and entries:
            entries[-1] += f" {line.strip()}"
        elif not line.startswith("case "):
            entries.append(line)
    if not entries or not entries[-1].startswith("⊢ "):
        return None
    target = entries[-1].removeprefix("⊢ ")
    hypotheses = []
    for entry in entries[:-1]:
        match = NAMES.fullmatch(entry)
        if match is None or ":=" in match["rest"]:
            return None
        hypotheses.append((tuple(match["names"].split()), match["rest"].strip()))
    return None if UNSPEAKABLE in target else Goal(tuple(hypotheses), target)


@dataclass
class Work:
    """A proof with holes under work.

    Attributes:
        environment: Where the theorem is searched. rules: Definitions to unfold.
        fills: What was found so far, in bytes of the document.
    """

    problem: Problem
    environment: Environment
    verifier: Verifier
    prover: Prover
    hints: Hints
    deadline: float
    stopping: Callable[[], bool]
    definitions: tuple[str, ...] = ()
    fills: dict[Hole, Fill] = field(default_factory=dict)
    attempts: int = 0
    tactics: list[str] = field(default_factory=list)

    @property
    def statement(self) -> Statement:
        """The theorem, where Lean ends a long elaboration by itself."""
        statement = self.problem.statement(self.environment)
        limit = f"set_option maxHeartbeats {20 * HEARTBEATS}"
        return replace(statement, context=f"{statement.context}\n{limit}")

    def proof(self, *more: Fill) -> str:
        """The proof with what is filled, and with more."""
        return proof_with(self.problem, [*self.fills.values(), *more])

    def elaborate(self, proof: str) -> ProofFacts | None:
        """What Lean says of a proof that may have holes; ``None`` when it does not go through."""
        self.attempts += 1
        try:
            facts = self.verifier.lean.prove(self.statement, proof, ATTEMPT_SECONDS, False)
        except SessionLost:
            return None
        finding = audit_proof(facts)
        fine = (Reason.SORRY, Reason.KERNEL_REJECTED)
        return facts if finding is None or finding.reason in fine else None

    @property
    def over(self) -> bool:
        """Whether time is up."""
        return time.monotonic() >= self.deadline or self.stopping()


def proof_with(problem: Problem, fills: Sequence[Fill]) -> str:
    """The text behind ``:=`` with fills, which are in bytes of the document.

    It begins on a line of its own in the column where it stands in the file: Lean reads columns.
    """
    start, end = problem.term
    inside = [Fill(f.start - start, f.end - start, f.text) for f in fills]
    text = filled(problem.document.text.encode()[start:end], inside).decode()
    column = problem.document.column(start)
    return f"\n{' ' * column}{text}" if "\n" in text and column else text


def fill_holes(work: Work) -> None:
    """Fills the holes one after the other, each with its share of the time that is left."""
    work.definitions = _definitions(work)
    whole = work.deadline
    holes = work.problem.holes
    for number, hole in enumerate(holes):
        now = time.monotonic()
        work.deadline = now + (whole - now) / (len(holes) - number)
        fill = _closed_in_place(work, hole) or _proved_apart(work, hole)
        if fill is not None:
            work.fills[hole] = fill
    work.deadline = whole


def fill_for(problem: Problem, hole: Hole, proof: str) -> Iterator[Fill]:
    """Ways to put a proof ``by …`` into a hole."""
    document = problem.document
    if hole.form == "term":
        column = document.column(hole.anchor)
        shown = broken(proof, document.column(hole.span[0]))
        yield Fill(*hole.span, indented(shown, column))
        yield Fill(*hole.span, f"({indented(proof, column)})")
        return
    steps = tactics(proof)
    column = document.column(hole.span[0])
    if steps is not None:
        yield Fill(*hole.span, indented(steps, column))
        yield Fill(*hole.span, f"({indented(steps, column + 1)})")


def _definitions(work: Work) -> tuple[str, ...]:
    finding, facts = work.verifier.check_statement(work.problem.statement(work.environment))
    if finding is not None or facts is None:
        return ()
    return shape_of(facts, work.environment, Constants(work.verifier.lean)).definitions


def _closed_in_place(work: Work, hole: Hole) -> Fill | None:
    for leaf in _leaves(work.definitions):
        if work.over:
            return None
        found = _try_leaf(work, hole, leaf)
        if found is not None:
            return found
    return None


def _leaves(definitions: Sequence[str]) -> Iterator[Leaf]:
    """Closers of any goal: first those that fail fast, then those that search."""
    simp = [Step(t, tuple(definitions), tuple(definitions)) for t in ("simp", "simp_all")]
    plain = [(Step("rfl"),), (Step("assumption"),), (Step("simp"),), (Step("omega"),)]
    unfolding = [(simp[0],), (Step("simp_all"),), (simp[1],), (simp[1], Step("omega"))]
    yield Leaf(tuple(Closer(steps) for steps in (*plain, *unfolding)))
    grind = [(Step("grind"),), (Step("grind", tuple(definitions), tuple(definitions)),)]
    yield Leaf(tuple(Closer(steps) for steps in (*grind, (Step("decide"),))))


def _try_leaf(work: Work, hole: Hole, leaf: Leaf) -> Fill | None:
    facts = _in_place(work, hole, searching(leaf))
    if facts is None:
        return None
    traces = [line for m in facts.messages for line in m.text.split("\n") if line.startswith(MARK)]
    proof = settled(leaf, traces)
    if proof is None:
        return None
    for form in _forms(work, proof, facts):
        fill = _placed(work, hole, form)
        if fill is not None:
            shorter, fill = _shortest(work, hole, form, fill)
            work.tactics.append(written(shorter).text.removeprefix("by "))
            return fill
    return None


def _forms(work: Work, proof: Proof, facts: ProofFacts) -> Iterator[Proof]:
    """The proof with what its term mentions, and short names; and forms that are less so."""
    needed = _needed(proof, facts)
    namespace = facts.name.rpartition(".")[0]
    said = renaming(f"{namespace}." if namespace else "", ())
    yield from dict.fromkeys((renamed(needed, said), needed, renamed(proof, said), proof))


def _placed(work: Work, hole: Hole, proof: Proof) -> Fill | None:
    """The fill with a proof, if the theorem goes through with it."""
    for fill in fill_for(work.problem, hole, written(proof).text):
        if work.elaborate(work.proof(fill)) is not None:
            return fill
    return None


def _shortest(work: Work, hole: Hole, proof: Proof, fill: Fill) -> tuple[Proof, Fill]:
    """The proof without the arguments that it can do without."""
    names = [
        a for leaf in leaves(proof) for c in leaf.closers for s in c.steps for a in s.arguments
    ]
    for name in dict.fromkeys(names) if len(names) <= MANY_ARGUMENTS else ():
        without = with_arguments(proof, lambda _tactic, other, name=name: other != name)  # type: ignore[misc]
        found = _placed(work, hole, without)
        if found is not None:
            proof, fill = without, found
    return proof, fill


def _needed(proof: Proof, facts: ProofFacts) -> Proof:
    """The proof with those arguments that the finished term mentions."""
    return with_arguments(proof, lambda _tactic, name: is_premise(name, facts.premises))


def _in_place(work: Work, hole: Hole, proof: str) -> ProofFacts | None:
    for fill in fill_for(work.problem, hole, proof):
        facts = work.elaborate(work.proof(fill))
        if facts is not None:
            return facts
    return None


def _proved_apart(work: Work, hole: Hole) -> Fill | None:
    """The hole's goal as a theorem of its own; its proof in the hole."""
    goal = None if work.over else _goal(work, hole)
    if goal is None:
        return None
    statement = replace(
        work.problem.statement(work.environment),
        name=f"goal_of_a_hole{goal.universes}",
        signature=goal.signature,
    )
    finding, _ = work.verifier.check_statement(statement)
    if finding is not None:
        return None
    seconds = work.deadline - time.monotonic()
    found = work.prover.prove(statement, work.hints, seconds, work.stopping)
    work.attempts += found.attempts
    if not found.verdict.verified:
        return None
    for fill in fill_for(work.problem, hole, found.proof):
        if work.elaborate(work.proof(fill)) is not None:
            work.tactics.append(found.tactic)
            return fill
    return None


def _goal(work: Work, hole: Hole) -> Goal | None:
    """The goal that a hole stands for, as Lean shows it."""
    probe = f"by {PROBE}"
    for fill in fill_for(work.problem, hole, probe):
        facts = work.elaborate(work.proof(fill))
        if facts is None:
            continue
        shown = [m.text for m in facts.messages if "⊢ " in m.text and not m.is_error]
        if shown:
            return read_goal(shown[0])
    return None
