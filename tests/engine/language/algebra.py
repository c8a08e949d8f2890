"""A small list theory as symbols, for tests that need no Lean."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.language.term import Symbol, Term, Type, function_type, type_variable

A, B = type_variable("α"), type_variable("β")
LIST = Type("L", (A,))
NAT = Type("Nat")

NIL = Symbol("nil", (), LIST, "nil", is_constructor=True)
CONS = Symbol("cons", (A, LIST), LIST, "cons", is_constructor=True)
APPEND = Symbol("append", (LIST, LIST), LIST, "append")
REVERSE = Symbol("reverse", (LIST,), LIST, "reverse")
LENGTH = Symbol("length", (LIST,), NAT, "length")
MAP = Symbol("map", (function_type(A, B), LIST), Type("L", (B,)), "map")
PLUS = Symbol("plus Nat", (NAT, NAT), NAT, "{0} + {1}", is_background=True)
ZERO = Symbol("Nat 0", (), NAT, "0", is_background=True)

XS, YS, ZS, X, F = (Term(n) for n in ("xs", "ys", "zs", "x", "f"))


def append(a: Term, b: Term) -> Term:
    return Term(APPEND, (a, b))


def reverse(a: Term) -> Term:
    return Term(REVERSE, (a,))


def length(a: Term) -> Term:
    return Term(LENGTH, (a,))


def plus(a: Term, b: Term) -> Term:
    return Term(PLUS, (a, b))


def map_(f: Term, a: Term) -> Term:
    return Term(MAP, (f, a))


NIL_TERM = Term(NIL)

lists = st.recursive(
    st.sampled_from([XS, YS, ZS, NIL_TERM]),
    lambda inner: st.one_of(st.builds(append, inner, inner), st.builds(reverse, inner)),
    max_leaves=6,
)
"""Terms of a list type over three variables."""
