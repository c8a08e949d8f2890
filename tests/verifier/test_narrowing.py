"""The search for values at which a statement fails, without Lean's proofs."""

from __future__ import annotations

from typing import Any

import pytest

from verifier.lean import Environment, Statement
from verifier.narrowing import Narrowed, Search
from verifier.session import Session

pytestmark = pytest.mark.lean

THEORY = """
inductive Chain : Nat → Nat → Prop where
  | same (n : Nat) : Chain n n
  | up (m n : Nat) : Chain m n → Chain m (n + 1)
inductive Vec (α : Type) : Nat → Type where
  | nil : Vec α 0
  | cons {n : Nat} : α → Vec α n → Vec α (n + 1)
def Vec.all {n : Nat} : Vec Bool n → Bool
  | .nil => true
  | .cons x xs => x && xs.all
def Small : List Nat → Prop
  | [] => True
  | x :: xs => x < 3 ∧ Small xs
inductive Colour where
  | red | green | blue | black | white
deriving DecidableEq
def far (n : Nat) : Bool := n != 91
"""
STEPS = 20_000


@pytest.fixture(scope="module")
def place(session: Session, base: Environment) -> Environment:
    return session.extend(base, THEORY).environment


def narrowed(session: Session, place: Environment, signature: str, **more: int) -> Narrowed:
    stated = session.state(Statement(place, "statement", signature))
    assert stated.type is not None, stated.messages
    return session.narrow(place, Search(stated.type, more.pop("steps", STEPS), 5.0, **more))


@pytest.mark.parametrize(
    ("signature", "values"),
    [
        ("(b : Bool) : b = true", {"b": ["c", "Bool.false"]}),
        ("(n : Nat) (h : 3 < n) : n = 4", {"n": ["n", "5"]}),
        ("(m n : Nat) (h : m = n + 2) : m = 2", {"m": ["n", "3"], "n": ["n", "1"]}),
        ("(n : Nat) : far n = true", {"n": ["n", "91"]}),
        ("(m n : Nat) (h : Chain m n) : m = n", {"m": ["n", "0"], "n": ["n", "1"]}),
        (
            "(xs : List Nat) (h : Small xs) : xs.length < 1",
            {"xs": ["c", "List.cons", ["n", "2"], ["c", "List.nil"]]},
        ),
        (
            "(v : Vec Bool 2) : v.all = true",
            {"v": ["c", "Vec.cons", ["c", "Bool.false"], ["?"]]},
        ),
        ("(f : Bool → Bool) : f true = f false", {"f": ["f", "same"]}),
    ],
)
def test_the_first_values_at_which_a_statement_fails(
    session: Session, place: Environment, signature: str, values: dict[str, Any]
) -> None:
    found = narrowed(session, place, signature).found
    assert found is not None
    named = {name: value for name, value in found.values if name}
    assert {name: first(value, values[name]) for name, value in named.items()} == values


def first(value: Any, wanted: Any) -> Any:
    """The value as far as it is wanted: ``["?"]`` stands for any part."""
    value = plain(value)
    if wanted == ["?"]:
        return wanted
    if not isinstance(value, list) or len(value) != len(wanted):
        return value
    return [first(v, w) for v, w in zip(value, wanted, strict=True)]


def plain(value: Any) -> Any:
    """Lists for tuples, and numbers without successors in front."""
    if isinstance(value, str | int):
        return value
    if value[:2] == ["c", "Nat.succ"]:
        return ["n", str(int(plain(value[2])[1]) + 1)]
    return list(value)


def test_sides_are_normal_forms(session: Session, place: Environment) -> None:
    found = narrowed(session, place, "(xs : List Nat) : 2 + xs.length = 2").found
    assert found is not None and found.sides is not None
    assert [plain(side) for side in found.sides] == [["n", "3"], ["n", "2"]]


@pytest.mark.parametrize(
    ("signature", "outcome"),
    [
        ("(a b : Bool) : (a && b) = (b && a)", "exhausted"),
        ("(v : Vec Bool 0) : v.all = true", "exhausted"),
        ("(m n : Nat) : m + n = n + m", "open"),
        ("(a b : Bool) (h : a = !b) : a ≠ b", "exhausted"),
    ],
)
def test_what_holds_is_not_refuted(
    session: Session, place: Environment, signature: str, outcome: str
) -> None:
    answer = narrowed(session, place, signature)
    assert answer.found is None
    assert answer.outcome == outcome
    assert 0 < answer.steps < 2 * STEPS


def test_candidates_differ(session: Session, place: Environment) -> None:
    answer = narrowed(session, place, "(xs : List Nat) : ∃ x, x ∈ xs")
    assert answer.found is None and answer.candidates
    assert answer.candidates[0] == (("xs", ["c", "List.nil"]),)
    assert len({str(row) for row in answer.candidates}) == len(answer.candidates)


def test_searches_leave_nothing_behind(session: Session, place: Environment) -> None:
    """Deep derivations are given up many times, and a later search is as good as the first."""
    deep = "(n : Nat) (h : Chain 0 n) : Chain 0 (n + 1)"
    false = "(m n : Nat) (h : Chain m n) : m = n"
    before = narrowed(session, place, false)
    for seed in range(6):
        assert narrowed(session, place, deep, seed=seed).found is None
    assert narrowed(session, place, false) == before


def test_depth_and_seed_decide_what_is_found(session: Session, place: Environment) -> None:
    signature = "(xs ys : List Nat) (h : xs.length = 9) : xs ≠ ys ++ [4, 7]"
    answers = [narrowed(session, place, signature, seed=3, depth=2) for _ in range(2)]
    assert answers[0] == answers[1]


def test_what_is_found_late_counts(session: Session, place: Environment) -> None:
    mix = "fun a x => 2 * a + cond x 5 3"
    signature = f"(xs : List Bool) (h : xs.length = 15) : xs.foldl ({mix}) 1 ≠ 196603"
    found = narrowed(session, place, signature, steps=8_000_000)
    assert found.outcome == "refuted"
    assert found.steps > 400_000


PAIRS = [(f"x{i}", f"y{i}") for i in range(6)]
LAST = "z == .red" + ")" * len(PAIRS)


@pytest.mark.parametrize(
    "never",
    [
        "".join(f"{x} != {y} && (" for x, y in PAIRS) + LAST,
        "".join(f"if {x} = {y} then false else (" for x, y in PAIRS) + LAST,
    ],
    ids=["and", "if"],
)
def test_a_part_settles_the_whole_as_soon_as_it_is_known(
    session: Session, place: Environment, never: str
) -> None:
    """Not only when what stands before it is known, for which there are 20 ^ 6 ways."""
    names = " ".join(name for pair in PAIRS for name in pair)
    signature = f"({names} z : Colour) (h : z ≠ .red) : ({never}) = false"
    assert narrowed(session, place, signature, steps=100_000).outcome == "exhausted"


def test_few_steps_end_soon(session: Session, place: Environment) -> None:
    true = "(xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length"
    for steps in (500, 5_000, 50_000):
        used = narrowed(session, place, true, steps=steps).steps
        assert used < 1.2 * steps + 100, "the last check may overrun a little"
