"""Tries to refute a law: values first, then a refutation that Lean proves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from engine.language.printing import term_text, type_text
from engine.language.semantics import Interpretation, at_test_type
from engine.language.term import Law
from verifier.lean import Environment, Statement
from verifier.verifier import Verifier

SMALL, LARGE = 8, 40
CASES_PER_DEPTH = 60
PROOF_SECONDS = 4.0


@dataclass(frozen=True)
class Counterexample:
    """Values at which the sides of a law differ.

    Attributes:
        values: Lean text of each variable's value.
        left: Value of the left side there. right: Of the right side.
        proof: The proof of the negation that Lean accepted; empty when there is none, and the
            kernel's two normal forms alone show the difference.
    """

    values: tuple[tuple[str, str], ...]
    left: str
    right: str
    proof: str = ""

    def __str__(self) -> str:
        at = ", ".join(f"{name} := {value}" for name, value in self.values)
        return f"{at}: {self.left} ≠ {self.right}"


class Falsifier:
    """Tests laws on small values, then on random larger ones.

    Args:
        interpretation: Evaluates terms.
        seed: Of the random choices.
    """

    def __init__(self, interpretation: Interpretation, seed: int = 0) -> None:
        self._interpretation = interpretation
        self._seed = seed

    def refute(self, law: Law, depth: int = 1) -> Counterexample | None:
        """A counterexample, or ``None`` when all cases agree.

        Args:
            law: Without hypotheses.
            depth: Evaluation depth d_i; ``CASES_PER_DEPTH`` cases each.
        """
        types = [at_test_type(t) for _, t in law.types]
        rows = self._rows(types, CASES_PER_DEPTH * depth)
        if not rows and types:
            return None
        columns = {
            name: (type_, [row[i] for row in rows])
            for i, ((name, _), type_) in enumerate(zip(law.types, types, strict=True))
        }
        left = self._interpretation.evaluate(law.lhs, columns)
        right = self._interpretation.evaluate(law.rhs, columns)
        for case, (a, b) in enumerate(zip(left, right, strict=True)):
            if a >= 0 and b >= 0 and a != b:
                row = rows[case] if rows else ()
                return self._counterexample(law, row, a, b)
        return None

    def _rows(self, types: Sequence[object], cases: int) -> list[tuple[int, ...]]:
        """Test cases: small values in all combinations as far as they fit, then random ones."""
        random_ = random.Random(self._seed)
        small = [self._interpretation.values(t, SMALL) for t in types]  # type: ignore[arg-type]
        large = [self._interpretation.values(t, LARGE) for t in types]  # type: ignore[arg-type]
        if not all(small):
            return []
        combinations = list(product(*(pool[:4] for pool in small)))[: cases // 2]
        drawn = [
            tuple(random_.choice(pool) for pool in (large if i % 2 else small))
            for i in range(cases - len(combinations))
        ]
        return list(dict.fromkeys([*combinations, *drawn]))

    def _counterexample(self, law: Law, row: Sequence[int], a: int, b: int) -> Counterexample:
        describe = self._interpretation.describe
        values = tuple((name, describe(v)) for (name, _), v in zip(law.types, row, strict=True))
        return Counterexample(values, describe(a), describe(b))


def prove_refutation(
    law: Law,
    counterexample: Counterexample,
    verifier: Verifier,
    environment: Environment,
    context: str,
    definitions: Sequence[str],
) -> str:
    """A proof that Lean accepts of the law's negation at the test type, or an empty string."""
    binders = " ".join(f"({n} : {type_text(at_test_type(t))})" for n, t in law.types)
    equation = f"{term_text(law.lhs)} = {term_text(law.rhs)}"
    negation = f": ¬ ∀ {binders}, {equation}" if binders else f": ¬ {equation}"
    statement = Statement(environment, "refutation", negation, context)
    at = " ".join(f"({value})" for _, value in counterexample.values)
    for tactic in (
        "exact absurd this (by decide)",
        f"simp [{', '.join(definitions)}] at this",
        "cases this",
    ):
        proof = f"by\n  intro h\n  have := h {at}\n  {tactic}" if at else f"by\n  {tactic}"
        if verifier.attempt(statement, proof, PROOF_SECONDS) is None:
            verdict = verifier.check(statement, proof, PROOF_SECONDS)
            if verdict.verified:
                return proof
    return ""
