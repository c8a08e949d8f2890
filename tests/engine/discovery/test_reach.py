"""Which lemmas can serve which statement."""

from algebra import CONS, NIL_TERM, XS, YS, X, append, length, reverse
from waiting import COMMUTES, IDLE, INVOLUTION

from engine.discovery.reach import Reach
from engine.language.term import Term
from engine.language.typing import most_general


def cons(head: Term, tail: Term) -> Term:
    return Term(CONS, (head, tail))


REVERSE_CONS = most_general(reverse(cons(X, XS)), append(reverse(XS), cons(X, NIL_TERM)))
APPEND_NIL = most_general(append(NIL_TERM, XS), XS)
LENGTH = most_general(length(reverse(XS)), length(XS))


def test_a_lemma_about_what_a_definition_calls_serves_it() -> None:
    reach = Reach([APPEND_NIL, REVERSE_CONS])
    assert reach.serves(IDLE, INVOLUTION), "reverse calls append"
    assert not reach.serves(INVOLUTION, COMMUTES), "append does not call reverse"
    assert reach.serves(IDLE, COMMUTES) and reach.serves(INVOLUTION, LENGTH)
    assert not reach.serves(LENGTH, INVOLUTION)


def test_a_law_of_constructors_alone_serves_nothing() -> None:
    assert not Reach([]).serves(most_general(cons(X, XS), cons(X, YS)), COMMUTES)
