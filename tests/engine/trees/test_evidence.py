"""Ratings of evidence: monotone in every fact, small for what everything mentions."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.trees import evidence as module
from engine.trees.evidence import Evidence, Shares, edge, explanation, merged, rating, strength

TACTICS = ("exact", "grind", "induction", "rw", "simp", "term")
NEEDED = {True: 0, None: 1, False: 2}

counts = st.integers(0, 8)
tactics = st.sets(st.sampled_from(TACTICS)).map(lambda names: tuple(sorted(names)))
uses = st.builds(
    Evidence, counts, counts, tactics, st.sampled_from((True, None, False)), st.booleans()
)
shares = st.floats(0.0, 1.0)


@given(uses, shares, st.booleans())
def test_both_measures_keep_their_range(use: Evidence, share: float, instance: bool) -> None:
    assert 1 <= rating(use, share, instance) <= 5
    assert 0.0 <= strength(use, share, instance) <= 1.0


@given(uses, uses, shares)
def test_more_use_never_rates_lower(one: Evidence, other: Evidence, share: float) -> None:
    more = Evidence(
        max(one.in_statement, other.in_statement),
        max(one.in_proof, other.in_proof),
        tuple(sorted({*one.tactics, *other.tactics})),
        max(one.survives, other.survives, key=NEEDED.__getitem__),
        one.definition or other.definition,
    )
    assert rating(more, share) >= max(rating(one, share), rating(other, share))
    assert strength(more, share) >= max(strength(one, share), strength(other, share))


@given(uses, shares, shares)
def test_a_commoner_constant_never_rates_higher(use: Evidence, one: float, other: float) -> None:
    rare, common = sorted((one, other))
    assert rating(use, common) <= rating(use, rare)
    assert strength(use, common) <= strength(use, rare)
    assert rating(use, common, True) <= rating(use, common)


@pytest.mark.parametrize(
    ("use", "share", "expected"),
    [
        (Evidence(), 0.0, 1),
        (Evidence(0, 1), 0.0, 2),
        (Evidence(0, 1, definition=True), 0.0, 3),
        (Evidence(1, 0), 0.0, 3),
        (Evidence(2, 0), 0.0, 4),
        (Evidence(1, 1), 0.0, 4),
        (Evidence(2, 1), 0.0, 5),
        (Evidence(0, 1, ("simp",), False), 0.0, 4),
        (Evidence(0, 1, ("simp",), True), 0.0, 2),
        (Evidence(9, 9, ("rw",), False), 0.6, 1),
        (Evidence(9, 9, ("rw",), False), 0.05, 2),
        (Evidence(9, 9, ("rw",), False), 0.02, 3),
    ],
)
def test_the_table(use: Evidence, share: float, expected: int) -> None:
    assert rating(use, share) == expected


def test_the_most_specific_of_equally_rated_constants_leads() -> None:
    shares = Shares({"a": 10, "b": 90}, 10_000)
    rare, common = (edge(c, "c", c, Evidence(1, 0), shares) for c in ("a", "b"))
    assert rare.rating == common.rating
    assert rare.strength > common.strength


def test_a_small_theory_caps_little() -> None:
    small, large = Shares({"a": 6}, 6), Shares({"a": 600}, 6000)
    assert small["a"] == 1.0 and small.ubiquity("a") == 0.006
    assert large["a"] == large.ubiquity("a") == 0.1
    assert large["b"] == Shares({}, 0)["b"] == 0.0


@pytest.mark.parametrize(
    ("use", "sentence"),
    [
        (Evidence(1), "f occurs once in the statement of t."),
        (Evidence(0, 7), "f occurs 7 times in the proof of t."),
        (
            Evidence(3, 1, ("exact", "rw", "simp")),
            "f occurs three times in the statement of t and once in its proof, which rewrites "
            "with it (rw, simp) and applies it (exact).",
        ),
        (
            Evidence(0, 2, ("grind", "induction"), True),
            "f occurs twice in the proof of t, which takes it apart (induction), gives it to "
            "grind and works without it as well.",
        ),
        (
            Evidence(2, 0, (), False),
            "f occurs twice in the statement of t; its proof fails without it.",
        ),
    ],
)
def test_sentences_state_the_facts(use: Evidence, sentence: str) -> None:
    assert explanation(use, "f", "t") == sentence


def test_a_definition_has_a_body_and_ids_are_shown_as_names() -> None:
    made = edge("Base:f", "Top:g", "f", Evidence(0, 1, definition=True), Shares({}, 0))
    assert made.explanation == "f occurs once in the body of g."


def test_a_constant_and_what_it_stands_for_are_one_use() -> None:
    parts = [Evidence(1, 2, ("induction",)), Evidence(0, 3, ("rw",), False)]
    assert merged(parts) == Evidence(1, 5, ("induction", "rw"), False)
    assert merged([Evidence(1, survives=True), Evidence(1)]).survives is None
    assert merged([Evidence(1, survives=True)]).survives is True


def test_the_examples_of_the_module_hold() -> None:
    assert doctest.testmod(module).failed == 0
