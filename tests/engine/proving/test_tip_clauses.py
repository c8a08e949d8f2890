"""Functions by equations compute what the same functions by matches compute."""

from __future__ import annotations

import pytest

from engine.proving.inputs.tip.translate import translate
from verifier.lean import Environment
from verifier.session import Session

pytestmark = pytest.mark.lean

TYPES = """(declare-datatype Nat ((Z) (S (p Nat))))
(declare-datatype C ((R) (G) (B)))
"""
VALUES = {"Nat": ["Nat.Z", "(Nat.S Nat.Z)", "(Nat.S (Nat.S Nat.Z))"], "C": ["C.R", "C.G", "C.B"]}
FUNCTIONS = {
    "a default": ("(f ((x C) (y C)) C (match x ((R y) (_ (match y ((G x) (_ R)))))))", "CC"),
    "a variable for the rest": ("(f ((x Nat) (y C)) Nat (match y ((B x) (z (S x)))))", "NC"),
    "the matched variable": ("(f ((x Nat)) Nat (match x ((Z x) ((S z) (S x)))))", "N"),
    "a name that comes again": (
        "(f ((x Nat) (y Nat)) Nat (match x ((Z y) ((S y) (match y ((Z x) ((S y) (f y y))))))))",
        "NN",
    ),
    "a let that would capture": (
        "(f ((x Nat)) Nat (match x ((Z x) ((S z) (let ((z Z)) (match x ((Z z) (_ x))))))))",
        "N",
    ),
    "a function that would capture": (
        "(f ((x Nat) (y Nat)) Nat (match x ((Z y) ((S z) (@ (lambda ((z Nat)) (S x)) y)))))",
        "NN",
    ),
    "truth values": ("(f ((x Nat)) Bool (match x ((Z true) ((S z) (not (f z))))))", "N"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_ways_agree(name: str, session: Session, base: Environment) -> None:
    definition, kinds = FUNCTIONS[name]
    translation = translate(f"{TYPES}(define-fun-rec {definition[1:-1]})(prove true)")
    *types, ways, _ = translation.parts
    assert ways[0].startswith("\ndef f : ")
    by_matches = next(way for way in ways if way.startswith("\ndef f ("))
    second = by_matches.replace("def f ", "def g ").replace("(f ", "(g ")
    rows = [""]
    for kind in kinds:
        rows = [f"{row} {v}" for row in rows for v in VALUES["Nat" if kind == "N" else "C"]]
    checks = "".join(f"example : f{row} = g{row} := by decide\n" for row in rows)
    text = "".join([part[0] for part in types] + [ways[0], second, checks])
    extension = session.extend(base, text)
    assert [m.text for m in extension.messages if m.is_error] == []
