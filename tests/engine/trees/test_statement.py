from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.trees.statement import canonical_statement, statement_key
from verifier.prover.expression import Expression

from .statements import (
    NAT,
    Claim,
    Term,
    claims,
    constant,
    expression,
    flipped,
    plain_form,
    renamed,
    replaced,
    well_ordered,
)


def key(claim: Claim) -> str:
    return statement_key(expression(claim))


def equation(left: Term, right: Term) -> Term:
    return ("Eq", NAT, left, right)


def reordered(claim: Claim, seed: int) -> Claim:
    """The arguments in another order that their dependencies allow."""
    arguments = list(claim.arguments)
    for _ in range(50):
        random.Random(seed).shuffle(arguments)
        if well_ordered(arguments):
            return Claim(tuple(arguments), claim.conclusion)
        seed += 1
    return claim


@settings(max_examples=300, deadline=None)
@given(claims(), st.integers(0, 1000), st.permutations(["p", "q", "r", "s", "t", "u"]))
def test_writing_a_claim_otherwise_keeps_its_key(claim: Claim, seed: int, names: list[str]) -> None:
    other = renamed(reordered(claim, seed), dict(zip(sorted(claim.names), names, strict=False)))
    turned = Claim(
        tuple((name, flipped(type_)) for name, type_ in other.arguments), flipped(other.conclusion)
    )
    styles = dict(zip(names, [1, 0, 2, 3, 0, 1], strict=True))
    assert statement_key(expression(turned, styles)) == key(claim) != ""


@settings(max_examples=400, deadline=None)
@given(claims(), st.data())
def test_an_edit_changes_the_key_when_it_changes_the_claim(
    claim: Claim, data: st.DataObject
) -> None:
    edited = data.draw(st.sampled_from(edits(claim)))
    assert (key(edited) == key(claim)) == (plain_form(edited) == plain_form(claim))


def edits(claim: Claim) -> list[Claim]:
    """All single edits: a hypothesis fewer, a constant changed, two variables made one, swaps."""
    hypotheses = [name for name, _ in claim.arguments if name.startswith("h")]
    fewer = [
        Claim(tuple(a for a in claim.arguments if a[0] != name), claim.conclusion)
        for name in hypotheses
    ]
    changed = [
        renamed(claim, {one: other})
        for one, other in (("succ", "pred"), ("add", "sub"), ("lt", "le"), ("Eq", "Ne"))
    ]
    numbers = [name for name, type_ in claim.arguments if type_ == NAT]
    merged = [
        Claim(
            tuple((n, replaced(t, {one: other})) for n, t in claim.arguments),
            replaced(claim.conclusion, {one: other}),
        )
        for one in numbers
        for other in numbers
        if one != other
    ]
    swapped = Claim(claim.arguments, turned(claim.conclusion))
    more = Claim((*claim.arguments, ("h9", ("lt", "zero", "zero"))), claim.conclusion)
    return [*fewer, *changed, *merged, swapped, more]


def turned(term: Term) -> Term:
    """With the arguments of every subtraction exchanged."""
    if isinstance(term, str):
        return term
    parts = tuple(turned(part) for part in term)
    return (parts[0], parts[2], parts[1]) if parts[0] == "sub" else parts


@settings(max_examples=300, deadline=None)
@given(claims(), claims())
def test_two_claims_share_a_key_exactly_when_they_are_one(one: Claim, other: Claim) -> None:
    assert (key(one) == key(other)) == (plain_form(one) == plain_form(other))


NEAR_MISSES: list[tuple[Claim, Claim]] = [
    (  # a repeated variable
        Claim((("a", NAT), ("b", NAT)), equation(("add", "a", "b"), "a")),
        Claim((("a", NAT), ("b", NAT)), equation(("add", "a", "a"), "a")),
    ),
    (  # a hypothesis fewer
        Claim((("a", NAT), ("h", ("lt", "zero", "a"))), equation("a", ("succ", "a"))),
        Claim((("a", NAT),), equation("a", ("succ", "a"))),
    ),
    (  # a variable that nothing mentions
        Claim((("a", NAT), ("b", NAT)), equation("a", "a")),
        Claim((("a", NAT),), equation("a", "a")),
    ),
    (  # the sides of an order
        Claim((("a", NAT), ("b", NAT), ("h", ("lt", "a", "b"))), ("le", "a", "b")),
        Claim((("a", NAT), ("b", NAT), ("h", ("lt", "a", "b"))), ("le", "b", "a")),
    ),
    (  # a hypothesis and the conclusion change places
        Claim((("a", NAT), ("h", ("p", "a"))), ("q", "a")),
        Claim((("a", NAT), ("h", ("q", "a"))), ("p", "a")),
    ),
    (  # which of two circles: a 6-cycle against two triangles, alike to any refinement
        Claim(
            tuple((n, NAT) for n in "abcdef")
            + tuple((f"h{i}", equation("abcdef"[i], "abcdef"[(i + 1) % 6])) for i in range(6)),
            "False",
        ),
        Claim(
            tuple((n, NAT) for n in "abcdef")
            + tuple((f"h{i}", equation(*pair)) for i, pair in enumerate(["ab", "bc", "ca"]))
            + tuple((f"k{i}", equation(*pair)) for i, pair in enumerate(["de", "ef", "fd"])),
            "False",
        ),
    ),
]


@pytest.mark.parametrize(("one", "other"), NEAR_MISSES)
def test_near_misses_have_different_keys(one: Claim, other: Claim) -> None:
    assert key(one) != key(other)


def test_a_circle_of_arguments_has_one_key_from_wherever_it_is_read() -> None:
    circle = NEAR_MISSES[-1][0]
    assert len({key(reordered(circle, seed)) for seed in range(8)}) == 1


def test_many_interchangeable_arguments_take_no_time() -> None:
    names = [f"x{i}" for i in range(12)]
    claim = Claim(tuple((name, NAT) for name in names), equation("zero", "zero"))
    began = time.perf_counter()
    assert key(claim) == key(reordered(claim, 3))
    assert time.perf_counter() - began < 2.0


def application(name: str, *arguments: Expression) -> Expression:
    built: Expression = constant(name)
    for argument in arguments:
        built = ["a", built, argument]
    return built


def forall(*types: Expression, conclusion: Expression) -> Expression:
    for type_ in reversed(types):
        conclusion = ["p", "x", type_, conclusion, 0]
    return conclusion


NATS = (constant(NAT), constant(NAT))
ONE, OTHER = ["v", 1], ["v", 0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            application("GT.gt", constant(NAT), constant("inst"), ONE, OTHER),
            application("LT.lt", constant(NAT), constant("inst"), OTHER, ONE),
        ),
        (
            application("Not", application("Eq", constant(NAT), ONE, OTHER)),
            application("Ne", constant(NAT), OTHER, ONE),
        ),
        (application("outParam", application("p", ONE, OTHER)), application("p", ONE, OTHER)),
        (["c", "p", [["u", "u"]]], ["c", "p"]),
    ],
)
def test_abbreviations_are_what_they_stand_for(one: Expression, other: Expression) -> None:
    keys = {statement_key(forall(*NATS, conclusion=conclusion)) for conclusion in (one, other)}
    assert len(keys) == 1


def sorts(*universes: str) -> Expression:
    return forall(*(["s", ["+", ["u", u]]] for u in universes), conclusion=constant("p"))


def test_universes_count_but_not_their_names() -> None:
    assert statement_key(sorts("u", "v")) == statement_key(sorts("w", "u"))
    assert statement_key(sorts("u", "v")) != statement_key(sorts("u", "u"))
    assert statement_key(sorts("u", "u", "v")) == statement_key(sorts("b", "a", "a"))


def test_names_cannot_forge_a_statement() -> None:
    forged = constant("p (?0 : Nat)")
    assert canonical_statement(forged) != canonical_statement(constant("p"))
    assert statement_key(application("n", constant("1"))) != statement_key(["n", "1"])
    spoken = application("λ", constant(NAT), constant("zero"))
    assert statement_key(spoken) != statement_key(["l", "x", constant(NAT), constant("zero"), 0])
    assert statement_key(constant("?0")) != statement_key(["p", "x", ["s", ["0"]], ["v", 0], 0])


def test_literals_bodies_and_projections_are_part_of_it() -> None:
    expressions: list[Expression] = [
        ["n", "1"],
        ["t", "1"],
        ["l", "x", constant(NAT), ["v", 0], 0],
        ["l", "x", constant(NAT), constant("zero"), 0],
        ["let", "x", constant(NAT), constant("zero"), ["v", 0]],
        ["proj", "Prod", 0, constant("pair")],
        ["proj", "Prod", 1, constant("pair")],
    ]
    texts = {canonical_statement(application("p", e)) for e in expressions}
    assert len(texts) == len(expressions) and "" not in texts


def test_what_is_beyond_the_bounds_has_no_key() -> None:
    deep = constant("zero")
    for _ in range(5000):
        deep = application("succ", deep)
    assert statement_key(deep) == statement_key(None) == canonical_statement(None) == ""
    wide = application("f", *([constant("zero")] * 30_000))
    assert statement_key(wide) == ""
