"""TIP problems, read and translated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.proving.batch import BatchReport
from engine.proving.inputs.tip.names import lean_name, type_variable
from engine.proving.inputs.tip.problem import TipFile
from engine.proving.inputs.tip.sexpr import read
from engine.proving.inputs.tip.translate import translate
from engine.proving.result import Label
from verifier.errors import InputError

LISTS = """
; a comment (with a parenthesis
(declare-datatype list (par (a) ((nil) (cons (head a) (tail (list a))))))
(define-fun-rec ++ (par (a) (((x (list a)) (y (list a))) (list a)))
  (match x ((nil y) ((cons z zs) (cons z (++ zs y))))))
"""


def text(problem: str) -> str:
    return "".join(part[0] for part in translate(problem).parts)


def test_expressions() -> None:
    assert read("(a (b) |c d|) ; e\nf") == (("a", ("b",), "c d"), "f")


@pytest.mark.parametrize("bad", ["(a", "a)", '"x'])
def test_unbalanced_text_is_refused(bad: str) -> None:
    with pytest.raises(InputError):
        read(bad)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [("take", "take"), ("++", "«++»"), ("proj1-S", "«proj1-S»"), ("end", "«end»"), ("_", "«_»")],
)
def test_names(symbol: str, name: str) -> None:
    assert lean_name(symbol) == name


def test_type_variables_have_names_of_their_own() -> None:
    assert type_variable("a") == "α"
    assert type_variable("t") == "τ_t"


def test_a_polymorphic_function_and_goal() -> None:
    goal = "(prove (par (b) (forall ((xs (list b))) (= (++ xs (_ nil b)) xs))))"
    lean = text(LISTS + goal)
    assert "inductive list (α : Type) : Type where" in lean
    assert "def «++» {α : Type} : (list α) → (list α) → list α" in lean
    assert "  | (list.cons z zs), y => (list.cons z («++» zs y))" in lean
    assert "theorem goal {β : Type} (xs : list β) :" in lean
    assert (
        lean.rstrip().endswith("(«++» xs (@list.nil β) = xs) := sorry") or "= xs) := sorry" in lean
    )


def test_formulas_are_propositions_in_a_goal_and_values_in_a_program() -> None:
    lean = text(
        "(define-fun both ((p Bool) (q Bool)) Bool (and p (not q)))"
        "(prove (forall ((p Bool)) (=> (or p (both p p)) (not (distinct p true)))))"
    )
    assert "(p && (!q))" in lean
    assert "(h1 : ((p = true) ∨ ((both p p) = true)))" in lean
    assert "(¬ (p ≠ true))" in lean


def test_a_program_that_compares_asks_for_decidable_equality() -> None:
    lean = text(
        LISTS + "(define-fun-rec elem (par (a) (((x a) (y (list a))) Bool))"
        " (match y ((nil false) ((cons z zs) (or (= x z) (elem x zs))))))"
        "(prove (par (a) (forall ((x a)) (not (elem x (_ nil a))))))"
    )
    assert "def elem {α : Type} [DecidableEq α]" in lean
    assert "theorem goal {α : Type} [DecidableEq α] (x : α)" in lean


@pytest.mark.parametrize(
    ("problem", "word"),
    [
        ("(prove (frobnicate 1))", "frobnicate"),
        ("(define-fun f ((x Real)) Real x)(prove true)", "real"),
        (LISTS + "(prove (forall ((x (list Int))) (= (head x) 1)))", "head"),
        ("(declare-datatype D ((c)))", "goal"),
        ("(prove (forall ((x Int)) (let ((x 1) (y x)) (= x y))))", "let"),
        ("(frobnicate)", "frobnicate"),
    ],
)
def test_what_has_no_translation_is_said(problem: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        translate(problem)


@pytest.mark.lean
def test_problems_are_proved_or_not(tmp_path: Path, run_batch: Callable[..., BatchReport]) -> None:
    nat = "(declare-datatype Nat ((Z) (S (proj1-S Nat))))"
    problems = {
        "nil.smt2": LISTS + "(prove (par (a) (forall ((xs (list a))) (= (++ xs (_ nil a)) xs))))",
        "higher.smt2": LISTS
        + "(define-fun-rec map (par (a b) (((f (=> a b)) (x (list a))) (list b)))"
        " (match x ((nil (_ nil b)) ((cons y ys) (cons (@ f y) (map f ys))))))"
        "(prove (par (a) (forall ((xs (list a))) (= (map (lambda ((x a)) x) xs) xs))))",
        "mutual.smt2": nat + "(define-funs-rec ((even ((x Nat)) Bool) (odd ((x Nat)) Bool))"
        " ((match x ((Z true) ((S y) (odd y)))) (match x ((Z false) ((S y) (even y))))))"
        "(prove (forall ((x Nat)) (=> (even x) (odd (S x)))))",
        "counting.smt2": "(define-fun-rec upto ((x Int) (y Int)) Int"
        " (ite (> x y) 0 (+ 1 (upto (+ 1 x) y))))(prove (= (upto 3 2) 0))",
        "sort.smt2": "(declare-sort T 0)(declare-fun f (T) T)"
        "(prove (forall ((x T)) (=> (= (f x) x) (= (f (f x)) x))))",
        "false.smt2": nat + "(prove (forall ((x Nat)) (= x Z)))",
        "guarded.smt2": nat + "(define-fun-rec half ((x Nat)) Nat (match x"
        " ((Z Z) ((S y) (match y ((Z Z) ((S z) (S (half z)))))))))"
        "(define-fun-rec log ((x Nat)) Nat (match x ((Z Z) ((S y) (S (log (half x)))))))"
        "(prove (= (log Z) Z))",
        "endless.smt2": nat + "(define-fun-rec loop () Nat (S loop))(prove (= loop Z))",
    }
    for name, content in problems.items():
        (tmp_path / name).write_text(content)
    report = run_batch([TipFile(tmp_path / name) for name in problems], each=4.0)
    labels = {Path(r.document).name: r.label for r in report.results}
    proved = [
        "nil.smt2",
        "higher.smt2",
        "mutual.smt2",
        "counting.smt2",
        "sort.smt2",
        "guarded.smt2",
    ]
    assert {n for n, label in labels.items() if label is Label.VERIFIED} == set(proved)
    assert labels["false.smt2"] is Label.REFUTED
    assert labels["endless.smt2"] is Label.ERROR
    message = next(r.message for r in report.results if "endless" in r.document)
    assert "loop" in message and "terminat" in message
