"""Schemas and their types: no Lean needed."""

from __future__ import annotations

from algebra import APPEND, CONS, LENGTH, MAP, NIL, PLUS, REVERSE, ZERO
from hypothesis import given
from hypothesis import strategies as st

from engine.language.printing import proposition_text, term_text
from engine.language.rewriting import Rewriter
from engine.language.term import Symbol, Term, Type, type_variable
from engine.language.typing import most_general
from engine.strategy.exploration.consequences import Consequences, critical_pairs, simplifies
from engine.strategy.exploration.instances import assignments, patterns, transpositions
from engine.strategy.exploration.schemas import Schema, Schemas
from engine.strategy.exploration.typings import ATOM, HOLE, Typings, at_atom

A = type_variable("α")
LISTS = Type("L", (Type("L", (A,)),))
CONCAT = Symbol("concat", (LISTS,), Type("L", (A,)), "concat")
SYMBOLS = [NIL, CONS, APPEND, REVERSE, LENGTH, MAP, CONCAT, PLUS, ZERO]
TYPES = st.lists(st.sampled_from([ATOM, Type("Nat"), Type("L", (ATOM,))]), max_size=5)


def all_schemas(max_size: int) -> list[Schema]:
    schemas = Schemas(SYMBOLS, max_size)
    found = []
    for size in range(1, max_size + 1):
        for schema in list(schemas.of_size(size)):
            schemas.accept(schema)
            found.append(schema)
    return found


def test_schemas_have_their_size_and_come_once() -> None:
    found = all_schemas(4)
    assert len({s.skeleton for s in found}) == len(found)
    assert all(s.skeleton.size == s.size for s in found)
    texts = {term_text(s.skeleton) for s in found}
    assert {
        "append ? (reverse ?)",
        "concat (map ? ?)",
        "map reverse ?",
        "map (append ?) ?",
    } <= texts


def test_typings_are_the_most_general_ones() -> None:
    for schema in all_schemas(4):
        law = most_general(schema.general, schema.general)
        expected = [at_atom(t) for _, t in law.types]
        assert list(schema.typing.closed[0]) == expected, term_text(schema.skeleton)


def test_a_function_is_asked_of_lists_of_lists() -> None:
    typings = Typings()
    reverse = typings.applied(REVERSE.params, REVERSE.result, [])
    assert reverse is not None
    mapped = typings.applied(MAP.params, MAP.result, [reverse, HOLE])
    assert mapped is not None
    assert mapped.closed == ((Type("L", (Type("L", (ATOM,)),)),), Type("L", (Type("L", (ATOM,)),)))


def test_what_does_not_fit_has_no_typing() -> None:
    typings = Typings()
    length = typings.applied(LENGTH.params, LENGTH.result, [HOLE])
    assert length is not None
    assert typings.applied(REVERSE.params, REVERSE.result, [length]) is None


def test_two_holes_may_speak_of_one_list_although_their_types_differ() -> None:
    typings = Typings()
    length = typings.applied(LENGTH.params, LENGTH.result, [HOLE])
    flat = typings.applied(CONCAT.params, CONCAT.result, [HOLE])
    assert length is not None and flat is not None
    of_flat = typings.applied(LENGTH.params, LENGTH.result, [flat])
    assert of_flat is not None
    both = typings.applied(PLUS.params, PLUS.result, [length, of_flat])
    assert both is not None
    assert any(len(set(t.closed[0])) == 1 for t in typings.coincidences(both))


def test_function_variables_are_applied_where_they_can_matter() -> None:
    texts = {term_text(s.skeleton) for s in all_schemas(3)}
    assert "? ?" in texts and "? (? ?)" in texts
    assert "length (? ?)" not in texts  # as good as the length of a variable
    assert "? nil" not in texts


@given(TYPES)
def test_patterns_are_different_up_to_renaming(types: list[Type]) -> None:
    found = patterns(types)
    assert len(set(found)) == len(found)
    for pattern in found:
        for type_ in set(types):
            numbers = [n for n, t in zip(pattern, types, strict=True) if t == type_]
            firsts = list(dict.fromkeys(numbers))
            assert firsts == list(range(len(firsts)))


@given(TYPES)
def test_the_most_general_pattern_comes_first(types: list[Type]) -> None:
    general = patterns(types)[0]
    assert len(set(zip(types, general, strict=True))) == len(types)
    for swapped in transpositions(types):
        assert sorted(zip(map(str, types), swapped, strict=True)) == sorted(
            zip(map(str, types), general, strict=True)
        )


@given(TYPES.filter(lambda types: 0 < len(types) < 4))
def test_assignments_cover_the_patterns(types: list[Type]) -> None:
    assert set(patterns(types)) <= set(assignments(types))


def test_consequences_are_not_news() -> None:
    xs = Term("xs")
    reverse = lambda t: Term(REVERSE, (t,))  # noqa: E731
    involution = most_general(reverse(reverse(xs)), xs)
    flat = most_general(
        reverse(Term(CONCAT, (reverse(xs),))), Term(CONCAT, (Term(MAP, (Term(REVERSE), xs)),))
    )
    pairs = list(critical_pairs(involution, flat))
    pairs += critical_pairs(flat, involution)
    texts = [proposition_text(p) for p in pairs]
    assert "reverse (concat xs) = concat (map reverse (reverse xs))" in texts
    rewriter = Rewriter()
    consequences = Consequences(rewriter)
    consequences.add(involution)
    consequences.add(flat)
    smaller = [p for p in pairs if simplifies(p)]
    assert smaller and all(rewriter.joins(p) for p in smaller)
