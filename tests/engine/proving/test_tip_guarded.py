"""TIP functions that compare values of any type, and functions that are not seen to end."""

from __future__ import annotations

import pytest

from engine.proving.inputs.tip.guarded import guarded
from engine.proving.inputs.tip.orders import head_text, instances, orders_of
from engine.proving.inputs.tip.scope import Scope, Signature
from engine.proving.inputs.tip.sexpr import Sexpr, read
from engine.proving.inputs.tip.terms import Guard, measure
from engine.proving.inputs.tip.translate import translate
from verifier.errors import InputError

LISTS = "(declare-datatype list (par (a) ((nil) (cons (head a) (tail (list a))))))"
SORTED = """(define-fun-rec ordered (par (a) (((xs (list a))) Bool))
  (match xs ((nil true) ((cons y ys)
    (match ys ((nil true) ((cons z zs) (and (<= y z) (ordered ys)))))))))"""
GOAL = "(prove (par (a) (forall ((xs (list a))) (ordered xs))))"


def text(problem: str) -> str:
    return "".join(part[0] for part in translate(problem).parts)


def test_a_comparison_of_elements_asks_for_an_order() -> None:
    lean = text(LISTS + SORTED + GOAL)
    assert "def ordered {α : Type} [LE α] [DecidableLE α] :" in lean
    assert "theorem goal {α : Type} [LE α] [DecidableLE α] (xs : list α)" in lean


def test_callers_need_the_orders_of_what_they_call() -> None:
    more = "(define-fun both (par (a) (((x (list a)) (y (list a))) Bool))"
    lean = text(LISTS + SORTED + more + " (and (ordered x) (ordered y)))" + GOAL)
    assert "def both {α : Type} [LE α] [DecidableLE α]" in lean


def test_numbers_have_their_order_already() -> None:
    lean = text(
        "(define-fun least ((x Int) (y Int)) Int (ite (<= x y) x y))"
        "(prove (forall ((x Int)) (= (least x x) x)))"
    )
    assert "[LE" not in lean


@pytest.mark.parametrize(
    ("body", "orders"),
    [
        ("(< x y)", ("LT",)),
        ("(and (>= x y) (> x y))", ("LE", "LT")),
        ("(let ((z x)) (< z 1))", ("LT",)),
        ("(< (ite true x y) y)", ("LT",)),
        ("(= x y)", ()),
        ("(< n n)", ()),
    ],
)
def test_orders_of_a_function(body: str, orders: tuple[str, ...]) -> None:
    (expression,) = read(body)
    parameters: tuple[tuple[str, Sexpr], ...] = (("x", "a"), ("y", "a"), ("n", "Int"))
    signature = Signature("f", ("α",), parameters, "Bool")
    assert orders_of(Scope(), [(signature, expression)]) == orders


def test_the_head_of_a_definition() -> None:
    signature = Signature("f", ("α", "β"), (), "Bool", True, ("LT",))
    said = "[DecidableEq α] [DecidableEq β] [LT α] [LT β] [DecidableLT α] [DecidableLT β]"
    assert head_text(signature) == f"def f {{α : Type}} {{β : Type}} {said}"
    assert instances(("LE", "LT")) == ("LE", "DecidableLE", "LT", "DecidableLT")


def test_a_guard_compares_measures() -> None:
    guard = Guard("f", "f_unknown", 2, 2, 1, measure(["x", "y"], 2, 0))
    called = guard.call(["a", "b"])
    smaller = "2 * (sizeOf a + sizeOf b) + 1 < 2 * (sizeOf x + sizeOf y) + 0"
    assert called == f"(if smaller : {smaller} then f a b else f_unknown a b)"
    with pytest.raises(InputError, match="missing"):
        guard.call(["a"])


def test_guarded_definitions_come_last_and_for_all_ranks() -> None:
    problem = """(declare-datatype Nat ((Z) (S (p Nat))))
    (define-funs-rec ((f ((x Nat)) Nat) (g ((x Nat)) Nat)) ((g (S x)) (f x)))
    (prove (= (f Z) Z))"""
    parts = translate(problem).parts
    ways = next(part for part in parts if any("f_unknown" in way for way in part))
    guards = [way for way in ways if "opaque f_unknown" in way]
    assert ways[-len(guards) :] == tuple(guards)
    assert len(guards) == 2
    assert all("mutual" in way and "termination_by" in way for way in guards)


def test_a_constant_cannot_be_guarded() -> None:
    (body,) = read("(S loop)")
    assert list(guarded(Scope(), [(Signature("loop", (), (), "Nat"), body)])) == []
