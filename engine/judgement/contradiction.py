"""Contradictions among conjectures, and between a conjecture and what is verified.

Two laws that rewrite one term differently must agree there (a critical pair). Where tests find
values at which they do not, one of the laws is false at a known instance. If the instance can be
computed, it refutes a law at once; if not, Lean is asked to prove from the instances that both
laws cannot hold. What contradicts verified laws is refuted; of two conjectures at most one is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.judgement.overlap import overlaps, values_at
from engine.language.printing import proposition_text, term_text, type_text
from engine.language.rewriting import Rewriter
from engine.language.semantics import at_test_type
from engine.language.term import Law, Term
from engine.model import Label, Stage
from engine.store import Store
from verifier.lean import Environment, Statement
from verifier.verifier import Verifier

Values = Sequence[tuple[str, str]]
"""Lean text of each variable's value, at the test type."""
Refute = Callable[[Law], Values | None]
"""Looks for values at which a law fails."""

SECONDS = 3.0
OVERLAPS = 6
"""Critical pairs of two laws that are tested, the smallest first."""
_DECIDED = "(by first | decide | simp_all)"
_CLOSERS = "first | contradiction | (simp_all{rules}; done) | grind{rules} | omega | decide"


@dataclass(frozen=True)
class Named:
    """A law with its name: the full Lean name of a verified one, the key of a conjecture.

    Attributes:
        is_definition: Whether it is an equation of a definition; proofs unfold that by themselves.
    """

    name: str
    law: Law
    is_definition: bool = False


@dataclass(frozen=True)
class Contradiction:
    """Laws that cannot all be true.

    Attributes:
        one: Key of a conjecture.
        other: Key of another one; ``None`` where the verified laws alone contradict the first.
        values: Where the first fails by computation, or the instance that Lean's proof rests on.
        computed: Whether computation refutes the first conjecture by itself.
        premises: Names of the verified laws that were used.
        statement: Signature of what Lean proved; empty where computation suffices.
        proof: Its proof.
    """

    one: str
    other: str | None
    values: tuple[tuple[str, str], ...]
    computed: bool = False
    premises: tuple[str, ...] = ()
    statement: str = ""
    proof: str = ""

    @property
    def refutes(self) -> bool:
        """Whether it refutes the first conjecture, and not one of two."""
        return self.other is None

    @property
    def reason(self) -> str:
        """What is wrong, in one sentence."""
        if self.computed:
            return "it fails at values at which another law speaks of the same term"
        if self.refutes:
            return f"Lean proved its negation with {', '.join(self.premises)}"
        return "Lean proved that it and another conjecture cannot both be true"


class ContradictionSearch:
    """Looks for contradictions in bounded time.

    Args:
        verifier: Checks what is to be proved.
        environment: Theory and library. context: Commands that open its scope.
        rewriter: Calculates with the verified laws.
        refute: Tests a law on values, such as a falsifier.
        definitions: Lean text of the functions that a proof may unfold, by the symbol's name.
        seconds: Wall-clock limit of each proof.
    """

    def __init__(
        self,
        verifier: Verifier,
        environment: Environment,
        context: str,
        rewriter: Rewriter,
        refute: Refute,
        definitions: Mapping[str, str],
        seconds: float = SECONDS,
    ) -> None:
        self._verifier = verifier
        self._environment = environment
        self._context = context
        self._rewriter = rewriter
        self._refute = refute
        self._definitions = dict(definitions)
        self._seconds = seconds

    def hunt(
        self,
        conjectures: Sequence[Named],
        verified: Sequence[Named],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[Contradiction]:
        """Contradictions of conjectures with verified laws, then with one another.

        A conjecture that was refuted is not looked at again; of two that contradict each other
        both are.

        Args:
            conjectures: With their keys.
            verified: With their names, definitions among them.
            stop: Asked before each pair of laws; ``True`` ends the search.
        """
        refuted: set[str] = set()
        for conjecture in conjectures:
            for law in verified:
                if stop():
                    return
                found = self.with_verified(conjecture, law)
                if found is not None:
                    refuted.add(conjecture.name)
                    yield found
                    break
        for one, other in combinations(conjectures, 2):
            if stop():
                return
            if one.name in refuted or other.name in refuted:
                continue
            found = self.between(one, other)
            if found is not None:
                refuted |= {found.one} if found.refutes else set()
                yield found

    def with_verified(self, conjecture: Named, verified: Named) -> Contradiction | None:
        """Whether a verified law contradicts a conjecture."""
        for first, second in self._disagreements(conjecture.law, verified.law):
            if self._fails(conjecture.law, first):
                return Contradiction(conjecture.name, None, _shown(first), computed=True)
            statement = f": ¬ {_quantified(conjecture.law)}"
            given = [] if verified.is_definition else [_named_instance(verified, second)]
            mine = _instance("h", conjecture.law, first)
            proof = self._proof("intro h", [mine, *given], (conjecture.law, verified.law))
            if self._proved(statement, proof):
                premises = (verified.name,)
                return Contradiction(
                    conjecture.name, None, _shown(first), False, premises, statement, proof
                )
        return None

    def between(self, one: Named, other: Named) -> Contradiction | None:
        """Whether two conjectures contradict each other."""
        for first, second in self._disagreements(one.law, other.law):
            for conjecture, at in ((one, first), (other, second)):
                if self._fails(conjecture.law, at):
                    return Contradiction(conjecture.name, None, _shown(at), computed=True)
            statement = f": ¬ ({_quantified(one.law)} ∧ {_quantified(other.law)})"
            instances = [_instance("h", one.law, first), _instance("k", other.law, second)]
            proof = self._proof("intro ⟨h, k⟩", instances, (one.law, other.law))
            if self._proved(statement, proof):
                return Contradiction(
                    one.name, other.name, _shown(first), False, (), statement, proof
                )
        return None

    def _disagreements(
        self, one: Law, other: Law
    ) -> Iterator[tuple[dict[str, Term], dict[str, Term]]]:
        """Values of the variables of both laws at which they say different things of a term."""
        for overlap in sorted(overlaps(one, other), key=lambda o: o.disagreement.size)[:OVERLAPS]:
            if self._rewriter.joins(overlap.disagreement):
                continue
            values = self._refute(overlap.disagreement)
            if values is None:
                continue
            first = values_at(overlap.first, overlap.disagreement, dict(values))
            second = values_at(overlap.second, overlap.disagreement, dict(values))
            if first is not None and second is not None:
                yield first, second

    def _fails(self, law: Law, at: Mapping[str, Term]) -> bool:
        """Whether a law fails at values by computation."""
        conclusion, *hypotheses = [part.substitute(at) for part in law.parts()]
        instance = Law(conclusion.lhs, conclusion.rhs, (), tuple(hypotheses))
        return self._refute(instance) is not None

    def _proof(self, introduction: str, instances: Sequence[str], laws: Sequence[Law]) -> str:
        names = {s.name for law in laws for s in law.symbols()}
        rules = [text for name, text in self._definitions.items() if name in names]
        shown = f" [{', '.join(rules)}]" if rules else ""
        facts = [f"have e{i} := {call}" for i, call in enumerate(instances)]
        lines = (introduction, *facts, _CLOSERS.format(rules=shown))
        return "by\n" + "\n".join(f"  {line}" for line in lines)

    def _proved(self, signature: str, proof: str) -> bool:
        statement = Statement(self._environment, "contradiction", signature, self._context)
        if self._verifier.attempt(statement, proof, self._seconds) is not None:
            return False
        return self._verifier.check(statement, proof, self._seconds).verified


def record_contradiction(store: Store, theory: str, found: Contradiction) -> None:
    """Writes a contradiction down: the refuted conjecture, or both that cannot be true together.

    Args:
        store: Where the conjectures are remembered.
        theory: Their theory.
        found: The contradiction.

    Raises:
        InputError: A conjecture is not remembered.
    """
    with store.transaction():
        if found.statement:
            store.remember_contradiction(
                theory,
                found.one,
                found.other,
                premises=found.premises,
                statement=found.statement,
                proof=found.proof,
            )
        known = store.candidate_by_key(theory, found.one)
        if known is not None and found.refutes:
            store.remember_candidate(
                known.candidate,
                theory=theory,
                stage=Stage.CONTRADICTION,
                outcome=Label.REFUTED,
                reason=found.reason,
                counterexample=", ".join(f"{name} := {value}" for name, value in found.values),
            )


def _shown(at: Mapping[str, Term]) -> tuple[tuple[str, str], ...]:
    return tuple((name, term_text(term)) for name, term in at.items())


def _quantified(law: Law) -> str:
    """A law at the test type as a closed proposition."""
    binders = " ".join(f"({name} : {type_text(at_test_type(t))})" for name, t in law.types)
    said = proposition_text(law)
    return f"(∀ {binders}, {said})" if binders else f"({said})"


def _instance(call: str, law: Law, at: Mapping[str, Term]) -> str:
    """A law applied to values; its hypotheses are to be decided."""
    arguments = [term_text(at[name], atomic=True) for name, _ in law.types]
    return " ".join((call, *arguments, *[_DECIDED] * len(law.hypotheses)))


def _named_instance(verified: Named, at: Mapping[str, Term]) -> str:
    """A theorem applied to values by the names of its variables."""
    law = verified.law
    arguments = [f"({name} := {term_text(at[name])})" for name, _ in law.types]
    return " ".join((verified.name, *arguments, *[_DECIDED] * len(law.hypotheses)))
