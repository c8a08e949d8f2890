"""What follows from lemmas without induction: the measure of what a run has really found.

A statement is *implied* by lemmas when ``simp``, ``simp_all`` or ``grind`` proves it from them and
from the equations of definitions, or when it is an instance of one of them; each of these also
after the arguments of functions are taken on both sides of an equation between functions. There is
no induction, no case distinction beyond what these tactics do by themselves, and no other lemma
about the theory. The verifier has the last word on each proof.

Which way the simplifier can use a lemma, and whether ``grind`` takes it, is found out once for
each, so that one lemma of no use does not spoil an attempt that has others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from verifier.audit import audit_proof
from verifier.lean import Environment, Statement
from verifier.prover.expression import Expression, constants, spine, telescope
from verifier.prover.hints import Direction, orientation
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.vacuity import has_hypotheses
from verifier.verdict import Reason
from verifier.verifier import Verifier

BOUND = "set_option maxHeartbeats 6000"
SIMP_BOUND = "(maxSteps := 2000)"
GRIND_BOUND = "(splits := 4) (ematch := 4) (gen := 4) (instances := 300)"
ATTEMPT_SECONDS = 10.0
"""A hang costs the session; Lean's own limit in :data:`BOUND` comes earlier."""

CHECK_SECONDS = 20.0
QUESTION_SECONDS = 20.0
"""So long after a question was put, no attempt at it begins any more: it does not follow then.
With the last attempt and the check of its proof, a question takes at most 50 s."""

NAME = "implied"
APPLIED = 12
"""Lemmas that one attempt tries as the last step of a proof."""

APPLICATIONS = (
    "(with_reducible apply {} <;> assumption)",
    "(symm; with_reducible apply {} <;> assumption)",
)


@dataclass(frozen=True)
class Rule:
    """A lemma or a definition, and what it can be used for.

    Attributes:
        name: As a proof says it.
        forward: Argument of ``simp`` that rewrites as its shape suggests; empty where none is safe.
        backward: The same the other way round.
        permutes: Whether the sides are instances of each other.
        grind: Whether ``grind`` finds something to match in it.
        unfolds: Whether it is a definition.
        mentions: The constants of its statement.
    """

    name: str
    forward: str = ""
    backward: str = ""
    permutes: bool = False
    grind: bool = False
    unfolds: bool = False
    mentions: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Implied:
    """A proof that the verifier accepted, and the constants that its term uses."""

    proof: str
    premises: tuple[str, ...]


class Implication:
    """Asks what follows from what in one environment.

    Args:
        session: Elaborates attempts.
        verifier: Has the last word.
        environment: Has the lemmas.
        context: Commands that open the scope of the statements.
        definitions: Full names of functions; their equations may always be used.
        clock: Seconds.
    """

    def __init__(
        self,
        session: Session,
        verifier: Verifier,
        environment: Environment,
        context: str,
        definitions: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._verifier = verifier
        self._environment = environment
        self._context = context
        self._clock = clock
        self._known: dict[str, Rule] = {}
        self._definitions = [
            Rule(
                name,
                forward=name if self._accepts(f"simp [{name}]") else "",
                grind=self._accepts(f"grind [{name}]"),
                unfolds=True,
            )
            for name in definitions
        ]

    def proof(self, signature: str, lemmas: Sequence[str]) -> Implied | None:
        """A proof of a statement from lemmas and definitions.

        ``None`` when none was found within :data:`QUESTION_SECONDS`; what the lemmas can be used
        for is found out before that time begins.

        Args:
            signature: Of the statement.
            lemmas: Full names; the statement itself must not be among them.
        """
        return self.proof_from(signature, self.rules(lemmas))

    def proof_from(self, signature: str, rules: Sequence[Rule]) -> Implied | None:
        """The same from rules, hypotheses of the statement included.

        Args:
            signature: Of the statement.
            rules: See :meth:`rules` and :func:`hypothesis`.
        """
        statement = Statement(self._environment, NAME, signature, self._context)
        finding, facts = self._verifier.check_statement(statement)
        if finding is not None or facts is None:
            return None
        bounded = replace(statement, context=f"{self._context}\n{BOUND}")
        deadline = self._clock() + QUESTION_SECONDS
        for proof in self._attempts(rules, facts.type):
            if self._clock() > deadline:
                return None
            if self._proves(bounded, proof):
                verdict = self._verifier.check(bounded, proof, CHECK_SECONDS)
                if verdict.verified:
                    return Implied(proof, verdict.premises)
        return None

    def _attempts(self, rules: Sequence[Rule], type_: Expression) -> Iterator[str]:
        """Attempts with the lemmas about functions of the statement only, then with all of them."""
        mentioned = set(constants(type_))
        functions = {rule.name for rule in self._definitions}
        near = [r for r in rules if not (r.mentions & functions) - mentioned]
        chosen = (attempts([*self._definitions, *group], type_) for group in (near, rules))
        yield from dict.fromkeys(chain.from_iterable(chosen))

    def elaborated(self, signature: str) -> Expression:
        """The type of a statement as Lean reads it; ``None`` where it does not."""
        statement = Statement(self._environment, NAME, signature, self._context)
        _, facts = self._verifier.check_statement(statement)
        return facts.type if facts else None

    def rules(self, lemmas: Sequence[str]) -> list[Rule]:
        """What lemmas of the environment can be used for."""
        missing = [name for name in lemmas if name not in self._known]
        found = self._session.declarations(self._environment, missing)
        for name, declaration in zip(missing, found, strict=True):
            type_ = declaration.type if declaration else None
            self._known[name] = rule_of(name, type_, self._accepts) if type_ else Rule(name)
        return [self._known[name] for name in lemmas]

    def _accepts(self, tactic: str) -> bool:
        """Whether Lean accepts a tactic's arguments; the goal is trivial."""
        statement = Statement(self._environment, NAME, ": True", f"{self._context}\n{BOUND}")
        return self._proves(statement, f"by {tactic}")

    def _proves(self, statement: Statement, proof: str) -> bool:
        try:
            facts = self._session.prove(statement, proof, ATTEMPT_SECONDS, False, False)
        except SessionLost:
            return False
        finding = audit_proof(facts)
        return finding is None or finding.reason is Reason.KERNEL_REJECTED  # not asked yet


def rule_of(name: str, type_: Expression, accepts: Callable[[str], bool]) -> Rule:
    """What a lemma can be used for, by the shape of its type and by what Lean accepts.

    Args:
        name: As a proof says it.
        type_: Its type.
        accepts: Whether Lean accepts a tactic with its arguments.
    """
    shape = hypothesis(name, type_)
    forward, backward = (
        way if way and accepts(f"simp [{way}]") else "" for way in (shape.forward, shape.backward)
    )
    return replace(shape, forward=forward, backward=backward, grind=accepts(f"grind [{name}]"))


def hypothesis(name: str, type_: Expression) -> Rule:
    """What a hypothesis can be used for; ``grind`` has it at hand anyway."""
    return Rule(
        name,
        forward=_argument(name, type_, ""),
        backward=_argument(name, type_, "← "),
        permutes=orientation(type_) is Direction.PERMUTE,
        mentions=frozenset(constants(type_)),
    )


def _argument(name: str, type_: Expression, arrow: str) -> str:
    """The argument of ``simp`` that uses a lemma in its best direction, or in the other one."""
    shape = orientation(flipped(type_) if arrow else type_)
    if shape in (Direction.FORWARD, Direction.PERMUTE):
        return f"{arrow}{name}"
    if shape is Direction.BACKWARD:
        return name if arrow else f"← {name}"
    return ""


def flipped(type_: Expression) -> Expression:
    """A statement with the sides of its equation exchanged; others as they are."""
    if type_[0] == "p":
        return [*type_[:3], flipped(type_[3]), *type_[4:]]
    head, arguments = spine(type_)
    if head[:2] == ["c", "Eq"] and len(arguments) == 3:
        kind, left, right = arguments
        return ["a", ["a", ["a", head, kind], right], left]
    return type_


def attempts(rules: Sequence[Rule], type_: Expression) -> Iterator[str]:
    """Proofs to try, the cheap ones first.

    Args:
        rules: Definitions and lemmas.
        type_: Of the statement.
    """
    lemmas = [r for r in rules if not r.unfolds]
    headers = ["intros; ", "intros; funext _; "] if equates_functions(type_) else ["intros; "]
    simp = "simp_all" if has_hypotheses(type_) else "simp"
    for header in headers:
        yield f"by {header}rfl"
        for arguments in _simp_sets(rules, lemmas):
            yield f"by {header}{simp} {SIMP_BOUND} [{arguments}]"
        for group in (rules, lemmas) if lemmas else (rules,):
            names = ", ".join(r.name for r in group if r.grind)
            yield f"by {header}grind {GRIND_BOUND} [{names}]"
        for at in range(0, len(lemmas), APPLIED):
            applied = [r.name for r in lemmas[at : at + APPLIED]]
            tries = " | ".join(form.format(n) for n in applied for form in APPLICATIONS)
            yield f"by {header}first | {tries}"


def _simp_sets(rules: Sequence[Rule], lemmas: Sequence[Rule]) -> Iterator[str]:
    """Arguments of ``simp``: with and without definitions and permutations, and backwards."""
    ways: Sequence[Mapping[str, bool]] = (
        {"unfold": True},
        {"unfold": False},
        {"unfold": True, "permute": False},
        {"unfold": True, "back": True},
        {"unfold": False, "back": True},
    )
    seen: set[str] = set()
    for way in ways:
        chosen = [r for r in (rules if way["unfold"] else lemmas)]
        if not way.get("permute", True):
            chosen = [r for r in chosen if not r.permutes]
        back = way.get("back", False)
        named = [(r.backward or r.forward) if back else r.forward for r in chosen]
        arguments = ", ".join(a for a in named if a)
        if arguments not in seen:
            seen.add(arguments)
            yield arguments


def equates_functions(type_: Expression) -> bool:
    """Whether the conclusion is an equation between functions."""
    head, arguments = spine(telescope(type_)[1])
    return head[:2] == ["c", "Eq"] and len(arguments) == 3 and arguments[0][0] == "p"
