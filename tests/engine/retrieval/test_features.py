from __future__ import annotations

import pytest

from engine.retrieval.features import statement_features
from engine.retrieval.shape import statement_tokens
from verifier.prover.expression import Expression

NAT: Expression = ["c", "Nat"]
TYPE: Expression = ["s", ["+", ["u", "u"]]]
EXPLICIT, IMPLICIT, INSTANCE = 0, 1, 3


def app(name: str, *arguments: Expression) -> Expression:
    built: Expression = ["c", name]
    for argument in arguments:
        built = ["a", built, argument]
    return built


def var(index: int) -> Expression:
    return ["v", index]


def plus(left: Expression, right: Expression) -> Expression:
    instance = app("instHAdd", NAT, app("instAddNat"))
    return app("HAdd.hAdd", NAT, NAT, NAT, instance, left, right)


def equal(type_: Expression, left: Expression, right: Expression) -> Expression:
    return app("Eq", type_, left, right)


def forall(*binders: tuple[Expression, int], body: Expression) -> Expression:
    for type_, style in reversed(binders):
        body = ["p", "x", type_, body, style]
    return body


def lists(index: int) -> Expression:
    return app("List", var(index))


COMMUTATIVE = forall(
    (NAT, EXPLICIT),
    (NAT, EXPLICIT),
    body=equal(NAT, plus(var(1), var(0)), plus(var(0), var(1))),
)
MAP_LENGTH = forall(
    (TYPE, IMPLICIT),
    (TYPE, IMPLICIT),
    (lists(1), IMPLICIT),
    (["p", "x", var(2), var(2), EXPLICIT], EXPLICIT),
    body=equal(
        NAT,
        app("List.length", var(2), app("List.map", var(3), var(2), var(0), var(1))),
        app("List.length", var(3), var(1)),
    ),
)
POSITIVE = forall(
    (NAT, IMPLICIT),
    (app("LT.lt", NAT, app("instLTNat"), app("OfNat.ofNat", NAT, ["n", "0"]), var(0)), EXPLICIT),
    body=app("Ne", NAT, var(1), app("OfNat.ofNat", NAT, ["n", "0"])),
)


def test_what_lean_fills_in_is_left_out() -> None:
    found = statement_features(COMMUTATIVE)
    assert found.count("shape +(_,_)") == 2
    assert "shape =(+,+)" in found and "conclusion =(+,+)" in found
    assert "typed +:Nat" in found and "argument Nat" in found
    assert not any("inst" in token or "hAdd" in token for token in found)


def test_type_arguments_and_functions() -> None:
    found = statement_features(MAP_LENGTH)
    assert {"shape map(_,_)", "shape length(map)", "shape length(_)"} <= set(found)
    assert {"symbol map", "name List.map", "argument List"} <= set(found)


def test_places_are_told_apart() -> None:
    found = statement_features(POSITIVE)
    assert "hypothesis <(0,_)" in found and "conclusion ≠(0,_)" in found
    assert "hypothesis symbol <" in found and "conclusion symbol <" not in found


def test_instances_are_classes_however_they_are_bound() -> None:
    class_ = app("BEq", var(0))
    body = app("p", var(1), var(0))
    searched = statement_features(forall((TYPE, IMPLICIT), (class_, INSTANCE), body=body))
    unified = statement_features(forall((TYPE, IMPLICIT), (class_, IMPLICIT), body=body))
    assert searched == unified and "class BEq" in searched


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (COMMUTATIVE, "(n m : Nat) : n + m = m + n"),
        (COMMUTATIVE, "n m : Nat\n⊢ n + m = m + n"),
        (MAP_LENGTH, "{as : List α} (f : α → β) : (List.map f as).length = as.length"),
        (POSITIVE, "{n : Nat} (h : 0 < n) : n ≠ 0"),
        (POSITIVE, "{n : Nat} : n > 0 → n ≠ 0"),
    ],
)
def test_a_text_meets_its_elaborated_form(type_: Expression, text: str) -> None:
    elaborated, typed = set(statement_features(type_)), set(statement_tokens(text))
    assert len(elaborated & typed) >= 0.7 * len(elaborated)


def test_levels_of_constants_do_not_matter() -> None:
    levelled = ["p", "x", ["c", "Nat", []], ["a", ["c", "p", [["u", "u"]]], ["v", 0]], 0]
    plain = ["p", "y", NAT, ["a", ["c", "p"], ["v", 0]], 0]
    assert statement_features(levelled) == statement_features(plain) != ()


def test_monsters_end() -> None:
    deep: Expression = ["c", "zero"]
    for _ in range(20_000):
        deep = ["a", ["c", "succ"], deep]
    assert 0 < len(statement_features(deep)) < 500
    wide = app("f", *([app("g", NAT)] * 20_000))
    assert 0 < len(statement_features(wide)) < 20_000
    assert statement_features(None) == ()


@pytest.mark.parametrize(
    "part",
    [
        ["l", "x", NAT, ["v", 0], 0],
        ["let", "x", NAT, ["c", "zero"], ["v", 0]],
        ["proj", "Prod", 0, ["c", "pair"]],
        ["t", "text"],
        ["n", "123456"],
        ["s", ["0"]],
        ["a", ["v", 0], ["c", "zero"]],
        ["a", ["l", "x", NAT, ["v", 0], 0], ["c", "zero"]],
    ],
)
def test_every_kind_of_expression_is_read(part: Expression) -> None:
    found = statement_features(["p", "x", NAT, ["a", ["c", "f"], part], 0])
    assert "symbol f" in found and "conclusion symbol f" in found
