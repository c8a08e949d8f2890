import pytest
from algebra import (
    CONS,
    LENGTH,
    MAP,
    NIL_TERM,
    PLUS,
    XS,
    YS,
    F,
    X,
    append,
    length,
    lists,
    map_,
    reverse,
)
from hypothesis import given

from engine.language.printing import signature_text
from engine.language.term import Constraint, Symbol, Term, Type, type_variable
from engine.language.typing import IllTyped, constraints_of, most_general


def test_the_most_general_type_is_found() -> None:
    law = most_general(map_(F, append(XS, YS)), append(map_(F, XS), map_(F, YS)))
    assert signature_text(law) == (
        "{α β : Type _} (f : α → β) (xs ys : L α) : "
        "map f (append xs ys) = append (map f xs) (map f ys)"
    )


def test_sides_of_different_types_are_ill_typed() -> None:
    with pytest.raises(IllTyped):
        most_general(length(XS), append(XS, YS))


def test_a_list_of_itself_is_ill_typed() -> None:
    with pytest.raises(IllTyped):
        most_general(Term(CONS, (XS, XS)), NIL_TERM)


def test_a_law_at_one_type_keeps_that_type() -> None:
    law = most_general(Term(CONS, (length(XS), NIL_TERM)), NIL_TERM)
    assert dict(law.types) == {"xs": Type("L", (type_variable("α"),))}


@given(lists, lists)
def test_list_terms_always_have_a_type(one: Term, other: Term) -> None:
    law = most_general(append(one, other), reverse(one))
    assert all(t == Type("L", (type_variable("α"),)) for _, t in law.types)


def test_constraints_show_where_the_type_is_a_variable() -> None:
    a = type_variable("α")
    member = Symbol(
        "member",
        (a, Type("L", (a,))),
        Type("Bool"),
        "member",
        constraints=(Constraint("DecidableEq", a),),
    )
    law = most_general(Term(member, (X, XS)), Term(member, (X, append(XS, XS))))
    assert signature_text(law).startswith("{α : Type _} [DecidableEq α] (x : α) (xs : L α) :")
    at_nat = most_general(Term(member, (length(XS), NIL_TERM)), Term(member, (length(XS), YS)))
    assert constraints_of(at_nat) == []


def test_infix_and_partial_applications_print() -> None:
    law = most_general(length(append(XS, YS)), Term(PLUS, (length(XS), length(YS))))
    assert signature_text(law).endswith("length (append xs ys) = length xs + length ys")
    partial = most_general(Term(MAP, (Term(LENGTH), XS)), Term(MAP, (Term(LENGTH), XS)))
    assert signature_text(partial).endswith("map length xs = map length xs")
