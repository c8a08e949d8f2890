"""Values as Lean text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.values import Writer, constants_of

NIL, ZERO = ["c", "List.nil"], ["n", "0"]


def listed(*elements: Any) -> Any:
    value: Any = NIL
    for element in reversed(elements):
        value = ["c", "List.cons", element, value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["n", "12"], "12"),
        (["t", 'say "hi"\n'], '"say \\"hi\\"\\n"'),
        (["c", "Nat.succ", ["c", "Nat.succ", ["n", "3"]]], "5"),
        (["c", "Nat.succ", ["c", "Nat.zero"]], "1"),
        (["c", "Int.ofNat", ["n", "3"]], "3"),
        (["c", "Int.negSucc", ["n", "3"]], "(-4)"),
        (NIL, "[]"),
        (listed(ZERO, ["n", "2"]), "[0, 2]"),
        (["c", "Prod.mk", ZERO, ["c", "Bool.true"]], "(0, Bool.true)"),
        (["c", "Tree.node", ["c", "Tree.leaf"], ZERO], "(Tree.node Tree.leaf 0)"),
        (["c", "Fin.mk", ZERO, ["p"]], "(Fin.mk 0 (by decide))"),
        (["and", ZERO, ["p"]], "⟨0, (by decide)⟩"),
        (["f", "constant", ZERO], "(fun _ => 0)"),
        (["f", "same"], "(fun x => x)"),
        (["f", "successor"], "(fun x => x + 1)"),
        (["f", "first", 2], "(fun x _ _ => x)"),
        (["f", "pair", "List.cons"], "(fun x y => List.cons x y)"),
        (["f", "if", ZERO, ["n", "1"], ["n", "2"]], "(fun x => if x = 0 then 1 else 2)"),
        (
            ["f", "cases", "List", [0, ZERO], [2, ["n", "1"]]],
            "(fun x => List.casesOn x 0 (fun _ _ => 1))",
        ),
        (["?"], None),
        (listed(ZERO, ["?"]), None),
        (["f", "cases", "Bool", [0, ["?"]], [0, ZERO]], None),
    ],
)
def test_values_as_text(value: Any, text: str | None) -> None:
    assert Writer().text(value) == text


def test_constructors_are_called_as_the_scope_allows() -> None:
    value = ["c", "A.Tree.node", ["c", "A.Tree.leaf"]]
    assert Writer({"A.Tree.node": "node", "A.Tree.leaf": ".leaf"}).text(value) == "(node .leaf)"
    assert constants_of(value) == {"A.Tree.node", "A.Tree.leaf"}
    assert constants_of(["f", "pair", "A.mk"]) == {"A.mk"}


@given(st.recursive(st.integers(0, 10**30), st.lists))
def test_lists_and_numbers_are_read_back(value: Any) -> None:
    def shown(x: Any) -> Any:
        return listed(*map(shown, x)) if isinstance(x, list) else ["n", str(x)]

    text = Writer().text(shown(value))
    assert text is not None
    assert eval(text, {"__builtins__": {}}) == value
