"""Candidates of every kind in one heap: what a language model would send, and worse.

For each it is known beforehand which outcome is right, whatever the machine's speed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.evaluation.corpus import core
from verifier.batch import Candidate
from verifier.lean import Environment, Statement
from verifier.verdict import Outcome

DEADLY_SECONDS = 2.0
DEADLY_EVERY = 100
"""One candidate in so many runs away or crashes; each costs a process."""


@dataclass(frozen=True)
class Case:
    """A candidate and the outcome that it must get.

    Attributes:
        kind: ``provable``, ``false``, ``ill_typed``, ``unparsed``, ``open``, ``runaway`` or
            ``crashing``.
    """

    kind: str
    candidate: Candidate
    outcome: Outcome


FALSE = (
    ("(a b : Nat) : a + b = a", "by omega"),
    ("(a b : Nat) : a - b + b = a", "by omega"),
    ("(p q : Prop) (h : p ∨ q) : p ∧ q", "by grind"),
    ("(xs ys : List Nat) : xs ++ ys = ys ++ xs", "by simp"),
    (": 2 + 2 = 5", "by decide"),
    (": (3 : Int) < -3", "by decide"),
    ("(n : Nat) : n < 100", "by induction n <;> simp_all"),
    ("(xs : List Nat) : xs.reverse = xs", "by induction xs <;> simp_all"),
    ("(b c : Bool) : (b && c) = (b || c)", "by cases b <;> cases c <;> rfl"),
)
ILL_TYPED = (
    ("(n : Nat) : n + true = n", "rfl"),
    ("(n : Nta) : n = n", "rfl"),
    ("(xs : List Nat) : xs.lenght = 0", "by simp"),
    (": (fun x => x) = 1", "rfl"),
    ("(f : Nat → Nat) : f f = f", "rfl"),
    (": missing_constant = 3", "by decide"),
)
UNPARSED = (
    ("(n : Nat : n = n", "rfl"),
    (": 1 = = 1", "rfl"),
    ("(n : Nat) : n = n", "by {"),
    ("for all n, n = n", "obvious"),
    (": 1 = 1", "rfl theorem more : True := trivial"),
)
OPEN = (
    ("(n : Nat) : n = n + 1", "sorry"),
    (": 1 = 1", "by admit"),
    ("(a b : Nat) : a * b = b * a", "by have h : a = b := sorry; simp [h]"),
)
RUNAWAY = (
    (": ∀ n : Fin 1000000000, n = n", "by decide +kernel"),
    (
        "(a b : Nat) : a = b",
        "by\n  set_option maxHeartbeats 0 in\n  repeat (have h : a = a := rfl)",
    ),
)
CRASHING = ((f": {'Nat.succ (' * 4000}0{')' * 4000} = 0", "rfl"),)
_Kind = tuple[str, Sequence[tuple[str, str]], Outcome, int]
DEADLY: tuple[_Kind, ...] = (
    ("runaway", RUNAWAY, Outcome.UNDETERMINED, 1),
    ("crashing", CRASHING, Outcome.UNDETERMINED, 1),
)


def mixture(count: int, seed: int, deadly: bool = True) -> Iterator[Case]:
    """Yields candidates in a random order; no two are equal.

    Args:
        count: How many.
        seed: Of the order.
        deadly: Whether some run away or crash.
    """
    rng = random.Random(seed)
    base = Environment(("Init",))
    provable = [(t.statement.signature, t.proof) for t in core()]
    kinds: tuple[_Kind, ...] = (
        ("provable", provable, Outcome.VERIFIED, 50),
        ("false", FALSE, Outcome.REJECTED, 20),
        ("ill_typed", ILL_TYPED, Outcome.REJECTED, 15),
        ("unparsed", UNPARSED, Outcome.REJECTED, 9),
        ("open", OPEN, Outcome.REJECTED, 6),
    )
    weights = [weight for *_, weight in kinds]
    for number in range(count):
        seconds = 30.0
        kind, texts, outcome, _ = rng.choices(kinds, weights)[0]
        if deadly and number % DEADLY_EVERY == DEADLY_EVERY // 2:
            seconds = DEADLY_SECONDS
            kind, texts, outcome, _ = rng.choice(DEADLY)
        signature, proof = rng.choice(texts)
        statement = Statement(base, f"case_{number}", signature)
        yield Case(kind, Candidate(statement, proof, seconds), outcome)
