"""QuickSpec's output is read as it is meant; what cannot be read is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.haskell import FIXITY, Expression, read_output, read_term
from verifier.errors import InputError

OUTPUT = """== Functions ==
 map :: (a -> b) -> [a] -> [b]
(++) :: [a] -> [a] -> [a]
  [] :: [a]

== Laws ==
  1. map f [] = []
 12. sorted xs => sort xs = xs
 13. sorted (sort xs)
"""


def test_functions_and_laws_are_read() -> None:
    output = read_output(OUTPUT)
    assert output.functions["map"] == ("->", ("->", "a", "b"), ("->", ("[]", "a"), ("[]", "b")))
    assert list(output.functions) == ["map", "++", "[]"]
    assert [law.number for law in output.laws] == [1, 12, 13]
    assert output.laws[0].sides == (("map", "f", "[]"), "[]")
    assert output.laws[1].conditions == ((("sorted", "xs"),),)
    assert output.laws[2].sides == (("sorted", ("sort", "xs")),)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("x + y * z", ("+", "x", ("*", "y", "z"))),
        ("x + y + z", ("+", ("+", "x", "y"), "z")),
        ("x : y : zs", (":", "x", (":", "y", "zs"))),
        ("f . g . h", (".", "f", (".", "g", "h"))),
        ("(f . g) x", (".", "f", "g", "x")),
        ("map f . map g", (".", ("map", "f"), ("map", "g"))),
        ("f x : map f xs", (":", ("f", "x"), ("map", "f", "xs"))),
        ("map ((++) xs) xss", ("map", ("++", "xs"), "xss")),
        ("fold (:) [] xs", ("fold", ":", "[]", "xs")),
        ("(:) (f x) . map f", (".", (":", ("f", "x")), ("map", "f"))),
        ("not x && (x || y)", ("&&", ("not", "x"), ("||", "x", "y"))),
        ("[[a]] -> b'", ("->", ("[]", ("[]", "a")), "b'")),
    ],
)
def test_terms(text: str, read: Expression) -> None:
    assert read_term(text) == read


@pytest.mark.parametrize("text", ["", "f (x", "x +", "x ? y", "f x)", "+ x", "[a"])
def test_what_is_no_term_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_term(text)


@pytest.mark.parametrize("line", ["  1 x = y", "  x = y"])
def test_what_is_no_law_is_refused(line: str) -> None:
    with pytest.raises(InputError, match="not a law"):
        read_output(f"== Laws ==\n{line}\n")


NAMES = st.sampled_from(["x", "xs", "f", "g'", "0", "True", "[]"])
OPERATORS = st.sampled_from(sorted(FIXITY))


def terms() -> st.SearchStrategy[Expression]:
    def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        applied = st.tuples(NAMES, inner) | st.tuples(NAMES, inner, inner)
        infix = st.tuples(OPERATORS, inner, inner)
        section = st.tuples(OPERATORS, inner)
        return applied | infix | section

    return st.recursive(NAMES | OPERATORS, larger, max_leaves=12)


@given(terms())
def test_a_term_is_read_back_from_its_text(term: Expression) -> None:
    assert read_term(written(term)) == term


def written(term: Expression, atomic: bool = False) -> str:
    """Haskell text with all parentheses."""
    if isinstance(term, str):
        return f"({term})" if term in FIXITY else term
    head, *arguments = term
    if head in FIXITY and len(arguments) == 2:
        text = f" {head} ".join(written(a, atomic=True) for a in arguments)
    else:
        text = " ".join(written(part, atomic=True) for part in term)
    return f"({text})" if atomic else text
