from __future__ import annotations

from dataclasses import replace

from algebra import APPEND, LIST, NIL_TERM, XS, YS, append, length, plus, reverse
from hypothesis import given
from hypothesis import strategies as st
from nodes import node

from engine.judgement.applicability import Service, applicability, served, services
from engine.language.core import TRUE
from engine.language.term import PROPOSITION, Equation, Symbol, Term, Type
from engine.language.typing import most_general
from engine.model import Label, Score

SORTED = Symbol("sorted", (LIST,), Type(PROPOSITION), "sorted")
HOLDS = Equation(Term(SORTED, (XS,)), Term(TRUE))
REVERSED = most_general(reverse(reverse(XS)), XS)


def test_a_rule_for_all_arguments_is_the_most_applicable() -> None:
    best = applicability(REVERSED)
    assert best.value == 1.0
    assert best.reason == "It is a rewrite rule for all arguments, without hypotheses."
    assert applicability(most_general(plus(length(XS), length(YS)), length(append(XS, YS))))
    swapped = most_general(append(XS, YS), append(YS, XS))
    assert applicability(swapped).value < best.value
    constant = most_general(append(XS, NIL_TERM), XS)
    assert applicability(constant).value < best.value
    assert "one constructor" in applicability(constant).reason


def test_hypotheses_cost_and_more_so_if_nobody_can_find_or_compute_them() -> None:
    computed = applicability(replace(REVERSED, hypotheses=(HOLDS,)))
    twice = applicability(replace(REVERSED, hypotheses=(HOLDS, HOLDS)))
    elsewhere = Equation(Term(SORTED, (YS,)), Term(TRUE))
    unbound = applicability(replace(REVERSED, hypotheses=(elsewhere,)))
    x = Term("x")
    types = (*REVERSED.types, ("x", Type("α", is_variable=True)))
    unknown = replace(
        REVERSED, rhs=Term(APPEND, (XS, x)), types=types, hypotheses=(Equation(x, x),)
    )
    assert 1.0 > computed.value > twice.value
    assert computed.value > unbound.value and "does not fix" in unbound.reason
    assert "cannot be computed" in applicability(unknown).reason
    assert "under two hypotheses" in twice.reason


def test_later_proofs_raise_it_and_its_idleness_is_told() -> None:
    then = Score(value=0.5, reason="It is a rewrite rule.")
    idle, used = served(then, Service()), served(then, Service(("b", "c")))
    assert idle.value == 0.5 and "has not served a proof yet" in idle.reason.lower()
    assert used.value == 0.75 and "Used by two later proofs (b, c)." in used.reason


def test_only_verified_lemmas_are_users() -> None:
    nodes = [node("a"), node("b", Label.VERIFIED, "a"), node("c", Label.RETRACTED, "a")]
    assert services(nodes) == {"M:a": Service(("b",))}


@given(st.floats(0, 1), st.integers(0, 50))
def test_service_never_lowers_the_score(value: float, uses: int) -> None:
    users = tuple(str(i) for i in range(uses))
    now = served(Score(value=value), Service(users)).value
    assert value <= now <= served(Score(value=value), Service((*users, "more"))).value <= 1.0
