from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Label, MethodNode, NodeKind
from engine.retrieval.shape import item_tokens, statement_tokens, word_tokens


def shapes(statement: str) -> list[str]:
    return [token[6:] for token in statement_tokens(statement) if token.startswith("shape ")]


def test_subterms_and_relations_have_shapes() -> None:
    assert shapes("(xs ys zs : L α) : append (append xs ys) zs = append xs (append ys zs)") == [
        "L(α)",
        "append(_,_)",
        "append(_,_)",
        "append(append,_)",
        "append(_,append)",
        "=(append,append)",
    ]


@pytest.mark.parametrize(
    ("statement", "shape"),
    [
        ("∀ a b, f (a + b) = f a", "f(+)"),
        ("(a b c : N) : a + b * c = c", "+(_,*)"),
        ("(a b c : N) : a - b - c = c", "-(-,_)"),
        ("(x : α) (xs : L α) : x :: x :: xs = xs", "::(_,::)"),
        ("(xs ys : L α) : (xs ++ ys).length = xs.length", "length(++)"),
        ("(m : Map) (k : K) : m.contains k = true", "contains(_,_)"),
        ("(xs : L α) (i : Nat) : xs[i]? = none", "getElem?(_,_)"),
        ("(p : Prop) (h : (¬ p ∧ p → q)) : q", "→(∧,q)"),
        ("(a b : N) : a > b ↔ b < a", "↔(<,<)"),
        ("(x : α) : f (fun y => g y) x = x", "f(λ,_)"),
        ("(f : N → N) : ∃ x, f x = x ∧ x = 2", "∃(λ)"),
    ],
)
def test_notation_is_read(statement: str, shape: str) -> None:
    assert shape in shapes(statement)


def test_places_are_told_apart() -> None:
    typed = statement_tokens("(n : Nat) (h : 0 < n) : n ≠ 0")
    assert "hypothesis <(0,_)" in typed and "conclusion ≠(0,_)" in typed
    assert "hypothesis symbol <" in typed and "conclusion symbol <" not in typed
    arrow = statement_tokens("(n : Nat) : 0 < n → n ≠ 0")
    assert "hypothesis <(0,_)" in arrow and "conclusion ≠(0,_)" in arrow


def test_goals_are_read_as_statements() -> None:
    goal = "case h\nα : Type u_1\nxs ys : List α\nh : xs ≠ []\n⊢ (xs ++ ys).length = 0"
    signature = "{α : Type u_1} (xs ys : List α) (h : xs ≠ []) : (xs ++ ys).length = 0"
    assert statement_tokens(signature) == [
        token for token in statement_tokens(goal) if token not in ("symbol case", "symbol h")
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a b : N) : add a b = add b a", "(x y : N) : add x y = add y x"),
        ("(n : N) : zero = mul n zero", "(n : N) : mul n zero = zero"),
        ("(x : N) : f x = x", "∀ x : N, f x = x"),
    ],
)
def test_names_sides_and_binders_do_not_matter(one: str, other: str) -> None:
    assert sorted(statement_tokens(one)) == sorted(statement_tokens(other))


def test_words_take_names_apart() -> None:
    assert word_tokens("add_comm addLeft Nat.succ_ne_zero HTTPServer") == [
        "word add",
        "word comm",
        "word add",
        "word left",
        "word nat",
        "word succ",
        "word ne",
        "word zero",
        "word http",
        "word server",
    ]


def test_qualified_symbols_meet_short_ones() -> None:
    node = MethodNode(
        id="M:t",
        kind=NodeKind.THEOREM,
        name="t",
        statement="(a : N) : add a a = a",
        label=Label.VERIFIED,
        symbols=("Peano.add",),
    )
    assert item_tokens(node).count("symbol add") == 2


@given(st.text(alphabet=st.characters(), max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    assert all(isinstance(token, str) for token in item_tokens(text))


def test_monsters_end() -> None:
    assert len(statement_tokens("(" * 100_000 + "x" + ")" * 100_000)) < 10
    assert statement_tokens("f " * 100_000)
