"""Computation in the kernel: values, codes, and the survival of a lost process."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from verifier.evaluation import STUCK, TOO_BIG, Evaluator
from verifier.lean import Environment
from verifier.session import Session

pytestmark = pytest.mark.lean

THEORY = """
inductive W where
  | stop : W
  | left : W → W
  | right : W → W
def join : W → W → W
  | .stop, v => v
  | .left u, v => .left (join u v)
  | .right u, v => .right (join u v)
axiom opaqueWord : W
"""
STOP, LEFT, RIGHT, JOIN, AXIOM = range(5)
FUNCTIONS = [["c", f"W.{n}", []] for n in ("stop", "left", "right")] + [
    ["c", "join", []],
    ["c", "opaqueWord", []],
]


@pytest.fixture(scope="module")
def words(session: Session, base: Environment) -> Environment:
    return session.extend(base, THEORY).environment


def numeral(value: int) -> list[Any]:
    return ["n", str(value)]


def test_equal_normal_forms_have_one_number(session: Session, words: Environment) -> None:
    evaluator = Evaluator(session, words, FUNCTIONS)
    (stop,) = evaluator.apply([(STOP,)])
    left, again = evaluator.apply([(LEFT, stop), (LEFT, stop)])
    assert left == again
    (joined,) = evaluator.apply([(JOIN, left, stop)])
    assert joined == left
    assert evaluator.structure(left) == ["W.left", ["W.stop"]]
    assert evaluator.applications == 3


def test_codes_stand_for_what_has_no_value(session: Session, words: Environment) -> None:
    evaluator = Evaluator(session, words, FUNCTIONS, max_size=3)
    (axiom,) = evaluator.apply([(AXIOM,)])
    assert axiom == STUCK
    (value,) = evaluator.apply([(STOP,)])
    for _ in range(4):
        (value,) = evaluator.apply([(LEFT, value)])
    assert value == TOO_BIG
    assert evaluator.apply([(JOIN, value, value), (LEFT, axiom)]) == [TOO_BIG, STUCK]


def test_large_numbers_stay_exact(session: Session, base: Environment) -> None:
    big = 2**70
    evaluator = Evaluator(session, base, [numeral(big), numeral(big + 1), ["c", "Nat.succ", []]])
    first, second = evaluator.apply([(0,), (1,)])
    assert first != second
    assert evaluator.apply([(2, first)]) == [second]
    assert evaluator.structure(second) == str(big + 1)


def test_an_answer_beyond_the_room_of_a_pipe_arrives(session: Session, base: Environment) -> None:
    """A response of some hundred kilobytes was once cut at what a pipe holds, 64 KiB."""
    evaluator = Evaluator(session, base, [["t", f"{i:03}" + "x" * 800] for i in range(600)])
    values = evaluator.apply([(i,) for i in range(600)])
    assert len(set(values)) == 600
    assert evaluator.structure(values[599]).startswith("599")


def test_values_survive_the_death_of_the_process(session: Session, words: Environment) -> None:
    evaluator = Evaluator(session, words, FUNCTIONS)
    (stop,) = evaluator.apply([(STOP,)])
    left, right = evaluator.apply([(LEFT, stop), (RIGHT, stop)])
    assert session.pid is not None
    os.kill(session.pid, signal.SIGKILL)
    (joined,) = evaluator.apply([(JOIN, left, right)])
    assert evaluator.structure(joined) == ["W.left", ["W.right", ["W.stop"]]]
    assert evaluator.apply([(LEFT, stop)]) == [left]


def test_functions_can_be_added_later(session: Session, words: Environment) -> None:
    evaluator = Evaluator(session, words, FUNCTIONS)
    (stop,) = evaluator.apply([(STOP,)])
    new = evaluator.add_function(["a", ["c", "join", []], ["c", "W.stop", []]])
    assert evaluator.apply([(new, stop)]) == [stop]
