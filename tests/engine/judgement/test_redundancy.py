"""Lemmas that later ones make needless."""

from algebra import CONS, NIL_TERM, XS, YS, ZS, X, append, length, reverse

from engine.judgement.redundancy import details, needless, speciality
from engine.language.rewriting import Rewriter
from engine.language.term import Law, Term
from engine.language.typing import most_general

INVOLUTION = most_general(reverse(reverse(XS)), XS)
THRICE = most_general(reverse(reverse(reverse(XS))), reverse(XS))
ASSOCIATIVE = most_general(append(append(XS, YS), ZS), append(XS, append(YS, ZS)))
COMMUTES = most_general(append(XS, YS), append(YS, XS))
INSIDE = most_general(append(XS, append(YS, ZS)), append(XS, append(ZS, YS)))


def found(*laws: Law) -> list[Law]:
    return needless(laws, Rewriter(laws))


def test_an_instance_and_a_consequence_go_and_what_they_follow_from_stays() -> None:
    assert found(THRICE, INVOLUTION) == [THRICE]
    assert found(INSIDE, COMMUTES, ASSOCIATIVE) == [INSIDE]


def test_of_two_that_follow_from_each_other_one_stays() -> None:
    one = most_general(length(append(XS, YS)), length(append(YS, XS)))
    other = most_general(length(append(YS, reverse(reverse(XS)))), length(append(XS, YS)))
    assert found(INVOLUTION, one, other) == [other]
    turned = most_general(append(reverse(XS), NIL_TERM), reverse(XS))
    twin = most_general(append(reverse(YS), Term(NIL_TERM.head)), reverse(YS))
    assert len(found(turned, twin)) == 1


def test_a_commutativity_and_what_is_independent_stay() -> None:
    assert found(COMMUTES, INVOLUTION, ASSOCIATIVE) == []


def test_general_laws_come_before_special_ones_of_any_size() -> None:
    one = Term(CONS, (X, NIL_TERM))
    special = most_general(reverse(one), one)
    assert details(special) == 3, "what a side begins with does not count"
    assert details(COMMUTES) == 0
    assert sorted([special, ASSOCIATIVE, INVOLUTION], key=speciality) == [
        INVOLUTION,
        ASSOCIATIVE,
        special,
    ]
