"""Reading exports, without a kernel."""

from __future__ import annotations

import json
from typing import Any

import pytest
from exports import ExportText
from hypothesis import given
from hypothesis import strategies as st

from verifier.kernel import format as fmt
from verifier.kernel.format import MAX_DEPTH, Malformed, declared, name_text, read
from verifier.kernel.statement import says

PARTS = st.one_of(st.text(min_size=1, max_size=6), st.integers(0, 1 << 59))


@given(st.lists(PARTS, max_size=5), st.lists(PARTS, max_size=5))
def test_two_names_never_have_one_text(one: list[str | int], other: list[str | int]) -> None:
    same = name_text(tuple(one)) == name_text(tuple(other))
    assert same == (tuple(one) == tuple(other))


@pytest.mark.parametrize(
    "name, text",
    [
        (("Nat", "add"), "Nat.add"),
        (("_private", "A", 0, "x'"), "_private.A.0.x'"),
        (("0",), "«0»"),
        (("a.b",), "«a.b»"),
        (("»",), "«»»»"),
        (("αβ", "x₁"), "αβ.x₁"),
        ((), ""),
    ],
)
def test_names_are_written_as_the_session_writes_them(name: fmt.Name, text: str) -> None:
    assert name_text(name) == text


KEYS = (
    *("ie", "in", "il", "app", "fn", "arg", "const", "name", "us", "lam", "type", "body", "sort"),
    *("binderInfo", "natVal", "bvar", "thm", "axiom", "def", "inductive", "types", "ctors", "recs"),
    *("value", "levelParams"),
)

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4))
def test_whatever_comes_is_read_or_malformed(items: list[Any]) -> None:
    try:
        text = "\n".join(json.dumps(i) for i in items)
        export = read(text)
    except Malformed:
        return
    assert len(export.expressions) == len(export.depths)


def test_an_export_is_read_with_its_numbers_resolved() -> None:
    x = ExportText()
    two = x.number("2")
    sum_ = x.app(x.const("Nat.add"), two, two)
    x.theorem("A.t", x.nat_equation(sum_, sum_), x.by_computation(sum_))
    export = read(x.text)
    (theorem,) = export.declarations
    assert declared(theorem) == (("A", "t"),)
    assert export.expressions[sum_] == (fmt.APP, sum_ - 1, two)


def test_depth_is_bounded() -> None:
    x = ExportText()
    at = x.number("1")
    for _ in range(MAX_DEPTH - 1):
        at = x.app(at, at)
    read(x.text)
    x.app(at, at)
    with pytest.raises(Malformed, match="levels"):
        read(x.text)


def test_a_statement_is_compared_up_to_the_names_of_variables() -> None:
    x = ExportText()
    nat = x.const("Nat")
    type_ = x.binder("forallE", nat, x.nat_equation(x.expression(bvar=0), x.expression(bvar=0)))
    x.theorem("t", type_, type_)
    export = read(x.text)
    eq = ["a", ["a", ["a", ["c", "Eq", [["+", ["0"]]]], ["c", "Nat", []]], ["v", 0]], ["v", 0]]
    same = ["p", "other", ["c", "Nat", []], eq, 0]
    assert says(export, "t", same, []) == ""
    implicit = [*same[:4], 1]
    assert "something else" in says(export, "t", implicit, [])
    assert says(export, "t", None, []) == ""
