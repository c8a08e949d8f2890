"""How often a law can be used, and how often it was: the evidence for its applicability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.language.rewriting import greater
from engine.language.term import Equation, Law, Symbol, Type
from engine.model import MethodNode, Score
from engine.store.lemmas import direct_users

UNORDERED = 0.6
"""A law that no order directs, such as commutativity: rewriting with it needs care."""
CONSTANT, FEWEST = 0.15, 0.4
"""What each constructor inside the left side takes away, and what is left at least."""
DECIDED, UNDECIDED, UNBOUND = 0.8, 0.6, 0.5
"""What is left for each hypothesis: one that can be computed, one that cannot, and one about a
variable that the conclusion does not fix, so that nobody can look for it."""
SERVED = 2.0
"""Later proofs that close half of the gap between a law's applicability and 1."""
SHOWN = 3


def applicability(law: Law) -> Score:
    """The score of a law by its form: as a rewrite rule, with its constants and hypotheses."""
    directed = greater(law.lhs, law.rhs) or greater(law.rhs, law.lhs)
    constants = sum(s.is_constructor for s in law.lhs.symbols())
    factors = [_hypothesis_factor(h, law) for h in law.hypotheses]
    value = (
        (1.0 if directed else UNORDERED)
        * max(FEWEST, 1.0 - CONSTANT * constants)
        * math.prod(factors)
    )
    said = ["It is a rewrite rule" if directed else "No order directs it as a rewrite rule"]
    said.append("for all arguments" if not constants else f"for {_count(constants, 'constructor')}")
    condition = "without hypotheses"
    if factors:
        condition = f"under {_count(len(factors), 'hypothesis', 'hypotheses')}"
        if UNBOUND in factors:
            condition += " about a variable that the conclusion does not fix"
        elif UNDECIDED in factors:
            condition += " that cannot be computed"
    return Score(value=value, reason=f"{' '.join(said)}, {condition}.")


def _hypothesis_factor(hypothesis: Equation, law: Law) -> float:
    fixed = {*law.lhs.variables(), *law.rhs.variables()}
    if not set(hypothesis.variables()) <= fixed:
        return UNBOUND
    return DECIDED if _is_decided(hypothesis, law) else UNDECIDED


def _is_decided(hypothesis: Equation, law: Law) -> bool:
    """Whether a hypothesis holds or not by computation: no equation in an unknown type."""
    head = hypothesis.lhs.head
    if isinstance(head, Symbol):
        type_ = head.result
    else:
        type_ = dict(law.types)[head]
        for _ in hypothesis.lhs.args:
            type_ = type_.args[-1]
    return not _is_opaque(type_)


def _is_opaque(type_: Type) -> bool:
    return type_.is_function or type_.is_variable


@dataclass(frozen=True)
class Service:
    """The later verified lemmas whose proofs use a lemma.

    Attributes:
        users: Their names, in the order of the store.
    """

    users: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.users:
            return "has not served a proof yet"
        shown = ", ".join(self.users[:SHOWN]) + (", …" if len(self.users) > SHOWN else "")
        proofs = _count(len(self.users), "later proof")
        return f"used by {proofs} ({shown})"


def services(nodes: Iterable[MethodNode]) -> Mapping[str, Service]:
    """For each node that a verified lemma's proof uses, which ones do.

    Args:
        nodes: All nodes of a store.
    """
    users = direct_users(list(nodes))
    return {
        node: Service(tuple(sorted(str(user.name or user.id) for user in of_node)))
        for node, of_node in users.items()
    }


def served(score: Score, service: Service) -> Score:
    """The applicability of a lemma now: what its form promised, and the proofs that it served.

    A' = A + (1 - A) * u / (u + SERVED) for u later proofs. A lemma that serves gains weight.
    """
    uses = len(service.users)
    value = score.value + (1.0 - score.value) * uses / (uses + SERVED)
    told = f"{service}"
    return Score(value=value, reason=f"{score.reason} {told[0].upper()}{told[1:]}.".strip())


def _count(number: int, one: str, many: str = "") -> str:
    words = {1: "one", 2: "two", 3: "three"}
    return f"{words.get(number, str(number))} {one if number == 1 else many or f'{one}s'}"
