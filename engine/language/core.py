"""Functions of core types that a theory may speak of, and the laws that core has for them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.language.term import PROPOSITION, Law, Symbol, Term, Type, type_variable

NOTATIONS = {
    "HAdd.hAdd": 6,
    "HMul.hMul": 6,
    "HSub.hSub": 6,
    "HAppend.hAppend": 6,
    "LE.le": 4,
    "LT.lt": 4,
}
"""Binary notations of core: class method, and how many arguments it has in all."""

_NAT = Type("Nat")
_BOOL = Type("Bool")
_PROP = Type(PROPOSITION)
_ANY = type_variable("α")
_LIST = Type("List", (_ANY,))


def _core(name: str, params: Sequence[Type], result: Type, text: str, closed: str) -> Symbol:
    return Symbol(name, tuple(params), result, text, closed, is_background=True)


YES_NO = (
    _core("Bool.true", (), _BOOL, "true", "true"),
    _core("Bool.false", (), _BOOL, "false", "false"),
)
TRUE = _core("True", (), _PROP, "True", "true")
FALSE = _core("False", (), _PROP, "False", "false")
EQ = Symbol(
    "Eq",
    (_ANY, _ANY),
    _PROP,
    "{0} = {1}",
    "fun (a b : {α}) => decide (a = b)",
    implicit=1,
    is_background=True,
)
LOGIC = {symbol.name: symbol for symbol in (TRUE, FALSE, EQ)}
"""What propositions are written with; an equality between terms is an equation where it can be."""

BACKGROUND: dict[str, tuple[Symbol, ...]] = {
    "Nat": (
        _core("Nat 0", (), _NAT, "0", "(0 : Nat)"),
        _core("HAdd.hAdd Nat", (_NAT, _NAT), _NAT, "{0} + {1}", "fun a b : Nat => a + b"),
        _core("HMul.hMul Nat", (_NAT, _NAT), _NAT, "{0} * {1}", "fun a b : Nat => a * b"),
        _core("HSub.hSub Nat", (_NAT, _NAT), _NAT, "{0} - {1}", "fun a b : Nat => a - b"),
        _core("LE.le Nat", (_NAT, _NAT), _PROP, "{0} ≤ {1}", "fun a b : Nat => decide (a ≤ b)"),
        _core("LT.lt Nat", (_NAT, _NAT), _PROP, "{0} < {1}", "fun a b : Nat => decide (a < b)"),
    ),
    "Bool": (
        *YES_NO,
        _core("Bool.not", (_BOOL,), _BOOL, "not", "fun a : Bool => not a"),
        _core("Bool.and", (_BOOL, _BOOL), _BOOL, "{0} && {1}", "fun a b : Bool => a && b"),
        _core("Bool.or", (_BOOL, _BOOL), _BOOL, "{0} || {1}", "fun a b : Bool => a || b"),
    ),
    "List": (
        _core(
            "HAppend.hAppend List",
            (_LIST, _LIST),
            _LIST,
            "{0} ++ {1}",
            "fun (a b : List {α}) => a ++ b",
        ),
    ),
}
"""By type. A name is that of the constant, with the type where it is a class method."""

ALWAYS_USED = frozenset({"Nat 0", "HAdd.hAdd Nat", "Bool.true", "Bool.false"})
"""Of use whenever the type occurs; the others only when the theory mentions them."""


WRITTEN = {
    "List.nil": "[]",
    "List.cons": "{0} :: {1}",
    "Option.none": "none",
    "Option.some": "some",
}
"""How constructors of core are written; the others by their names."""


def core_laws() -> list[Law]:
    """What core proves of these functions: enough to calculate with sums and products.

    Commutativity with associativity and the law that exchanges the first two of three arguments
    brings every sum into one form under ordered rewriting.
    """
    by_name = {s.name: s for symbols in BACKGROUND.values() for s in symbols}
    laws = []
    for name, unit in (
        ("HAdd.hAdd Nat", "Nat 0"),
        ("HMul.hMul Nat", None),
        ("Bool.and", "Bool.true"),
        ("Bool.or", "Bool.false"),
    ):
        laws += _commutative_monoid(by_name[name], by_name[unit] if unit else None)
    return laws


def _commutative_monoid(symbol: Symbol, unit: Symbol | None) -> list[Law]:
    def apply(one: Term, other: Term) -> Term:
        return Term(symbol, (one, other))

    a, b, c = Term("a"), Term("b"), Term("c")
    types = tuple((name, symbol.result) for name in "abc")
    laws = [
        Law(apply(a, b), apply(b, a), types[:2]),
        Law(apply(apply(a, b), c), apply(a, apply(b, c)), types),
        Law(apply(a, apply(b, c)), apply(b, apply(a, c)), types),
    ]
    return laws + ([Law(apply(a, Term(unit)), a, types[:1])] if unit else [])
