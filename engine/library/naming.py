"""Names of lemmas, from the symbols of their statements, in the manner of Mathlib.

``append xs nil = xs`` is ``append_nil``, ``reverse (append xs ys) = …`` is ``reverse_append``, and
the laws that have a name of their own (commutativity, associativity, …) are told by their shape,
whatever their functions are called.

A side of a statement is the list of its symbols and variables in the order in which they are
written, function before arguments: ``append xs nil`` is ``["append", "xs", "nil"]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count, permutations
from typing import NamedTuple

from engine.language.term import Equation, Law, Symbol, Term

Side = Sequence[str]

MAX_LENGTH = 60
MAX_NAMED = 2
"""Hypotheses beyond these do not count for a law's form."""
TRUTHS, FALSEHOODS = ("True", "Bool.true"), ("False", "Bool.false")
"""A law that something is one of these, or is not, has no right side."""
WORDS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "^": "pow", "++": "append",
    "::": "cons", "&&": "and", "||": "or", "!": "not", "∧": "and", "∨": "or", "¬": "not",
    "∣": "dvd", "<": "lt", "≤": "le", ">": "gt", "≥": "ge", "=": "eq", "==": "beq", "≠": "ne",
    "∘": "comp", "↔": "iff", "0": "zero", "1": "one", "2": "two",
}  # fmt: skip
"""How signs are read aloud."""

_KEYWORDS = (
    "abbrev at attribute axiom break by calc catch class continue decreasing_by def deriving do "
    "else end example exists export extends finally for forall from fun have if import in "
    "include inductive infix infixl infixr instance let local macro match mut mutual namespace "
    "noncomputable nomatch notation obtain omit opaque open partial postfix prefix private "
    "protected public return scoped section set_option show sorry structure suffices syntax then "
    "theorem try universe unless unsafe using variable where while with"
)
_MADE_BY_LEAN = (
    "Prop Sort Type true false rec recOn casesOn below brecOn noConfusion noConfusionType ctorIdx "
    "toCtorIdx ctorElim sizeOf_spec injEq inj"
)
RESERVED = frozenset((*_KEYWORDS.split(), *_MADE_BY_LEAN.split()))
"""Keywords, and the names that Lean itself gives beside a type."""

_INTERNAL = re.compile(r"(?:eq|match|proof|omega|ctor|sizeOf_spec)_\d+|_.*")
_LETTERS = re.compile(r"[^0-9A-Za-z_'Α-ΟΡΤ-Ωα-κμ-ω]+")


def choose_name(
    left: Side,
    right: Side = (),
    *,
    taken: Collection[str] | Callable[[str], bool] = (),
    variables: Collection[str] = (),
    hypotheses: Sequence[Side] = (),
) -> str:
    """The first proposal that is free; see :func:`proposals`.

    Args:
        left: Left side of the conclusion, or all of it when it is no equation.
        right: Right side of an equation.
        taken: Names that the namespace has already, or the question whether it has one.
        variables: Which items of the sides are variables.
        hypotheses: Sides of the hypotheses, each a list of its own.
    """
    is_taken = taken if callable(taken) else taken.__contains__
    names = proposals(left, right, variables=variables, hypotheses=hypotheses)
    return next(name for name in names if not is_taken(name))


def proposals(
    left: Side,
    right: Side = (),
    *,
    variables: Collection[str] = (),
    hypotheses: Sequence[Side] = (),
) -> Iterator[str]:
    """Valid names without end: the best first, then with the right side, then with numbers."""
    seen: set[str] = set()
    for name in _raw(left, right, frozenset(variables), hypotheses):
        if name not in seen and is_free_identifier(name):
            seen.add(name)
            yield name


class Sides(NamedTuple):
    """A law as the other functions take it, see :func:`choose_name`."""

    left: list[str]
    right: list[str]
    variables: list[str]
    hypotheses: list[list[str]]


def law_sides(law: Law) -> Sides:
    """The sides of a law; what is said to be true or false has one side only."""
    left, right = _sides(law.conclusion)
    hypotheses = [_joined(*_sides(h)) for h in law.hypotheses]
    return Sides(left, right, [name for name, _ in law.types], hypotheses)


def _sides(equation: Equation) -> tuple[list[str], list[str]]:
    left, right = _preorder(equation.lhs), _preorder(equation.rhs)
    if left[0] in (*TRUTHS, *FALSEHOODS) and len(left) == 1:
        left, right = right, left
    if right[0] in TRUTHS:
        return left, []
    if right[0] in FALSEHOODS:
        return (["≠", *left[1:]] if left[0] == "Eq" else ["¬", *left]), []
    return left, right


def _joined(left: list[str], right: list[str]) -> list[str]:
    return [*left, "=", *right] if right else left


def is_free_identifier(name: str) -> bool:
    """Whether a name is an identifier that neither the language nor Lean's auxiliaries use."""
    return (
        bool(name)
        and not name[0].isdigit()
        and name[0] != "'"
        and _LETTERS.search(name) is None
        and name not in RESERVED
        and not _INTERNAL.fullmatch(name)
    )


def word(symbol: str) -> str:
    """A symbol's part of a name: its last component, beginning in lower case.

    Example:
        >>> word("Seq.cons"), word("HAdd.hAdd Nat"), word("Nat 0"), word("«++»"), word("mapTree")
        ('cons', 'add', 'zero', 'append', 'mapTree')
    """
    head, _, argument = symbol.partition(" ")
    if argument in WORDS:
        return WORDS[argument]
    last = _last_component(head)
    if last in WORDS:
        return WORDS[last]
    if re.match(r"h[A-Z]", last) and head.startswith("H"):
        last = last[1:]
    kept = _LETTERS.sub("", last).strip("_'")
    return _LETTERS.sub("", kept[:1].lower()) + kept[1:]  # of Λ in lower case Lean makes functions


def _last_component(name: str) -> str:
    if name.endswith("»"):
        return name[name.rindex("«") + 1 : -1] if "«" in name else name[:-1]
    return name.rpartition(".")[2]


def _raw(
    left: Side, right: Side, variables: frozenset[str], hypotheses: Sequence[Side]
) -> Iterator[str]:
    ends = [_join(side, variables) for side in hypotheses]
    suffix = "".join(f"_of_{end}" for end in ends if end)
    stems = [stem + suffix for stem in _by_symbols(left, right, variables)]
    stems = stems or [f"eq{suffix}" if right and suffix else f"law{suffix}"]
    if suffix:  # "eq_nil_of_length_eq_zero": what is equal is the variable that the hypotheses name
        stems = [stem.removeprefix("self_") for stem in stems]
    if not hypotheses:
        stems = [*_by_shape(left, right, (), variables), *stems]
    else:
        for order in permutations(hypotheses[:MAX_NAMED]):
            stems = [*_by_shape(left, right, order, variables), *stems]
    stems = [_shortened(stem) for stem in stems]
    stems = [stem if stem[0].isalpha() else f"law_{stem}" for stem in stems]
    yield from stems
    for number in count(2):
        yield f"{stems[0]}_{number}"
        yield f"{stems[0]}_law_{number}"  # `eq_2` is a name that Lean keeps for itself


def _by_symbols(left: Side, right: Side, variables: frozenset[str]) -> Iterator[str]:
    """The symbols of the left side, and of both; one symbol alone would look like a function."""
    first, second = _join(left, variables), _join(right, variables)
    if first and sum(item not in variables for item in left) > 1:
        yield first
    if first or second:
        yield f"{first or 'self'}_eq_{second or 'self'}" if right else f"{first}_holds"


def _join(side: Side, variables: frozenset[str]) -> str:
    return "_".join(w for item in side if item not in variables and (w := word(item)))


def _shortened(name: str) -> str:
    """At most ``MAX_LENGTH`` characters, cut between words."""
    if len(name) <= MAX_LENGTH:
        return name
    cut = name[: MAX_LENGTH + 1]
    return cut[: cut.rfind("_")] if "_" in cut else cut[:MAX_LENGTH]


def _by_shape(
    left: Side, right: Side, hypotheses: Sequence[Side], variables: frozenset[str]
) -> Iterator[str]:
    """The name of a law that is known by its form, with ``f`` any symbol and ``x y z`` distinct."""
    form, symbols = _form(left, right, hypotheses, variables)
    ending = _FORMS.get(form)
    words = [word(symbol) for symbol in symbols]
    if ending is not None and words and all(words):
        yield "_".join((*words, *ending.split()))


_FORMS = {
    ("F x y", "F y x"): "comm",
    ("F F x y z", "F x F y z"): "assoc",
    ("F x F y z", "F y F x z"): "left_comm",
    ("F F x y z", "F F x z y"): "right_comm",
    ("F x x", "x"): "self",
    ("F x x", "C"): "self",
    ("F x x", ""): "refl",
    ("F x y", "", "F x z", "F z y"): "trans",
    ("x", "y", "F x y", "F y x"): "antisymm",
    ("F x y", "", "F y x"): "symm",
    ("F x y", "", "¬ F y x"): "total",
    ("¬ F x y", "", "F y x"): "asymm",
    ("x", "y", "F x = F y"): "inj",
    ("x", "y", "F x z = F y z"): "right_cancel",
    ("x", "y", "F z x = F z y"): "left_cancel",
}


def _form(
    left: Side, right: Side, hypotheses: Sequence[Side], variables: frozenset[str]
) -> tuple[tuple[str, ...], list[str]]:
    """All sides with names replaced by roles, and the function symbols that they are about."""
    sides = (left, right, *hypotheses)
    functions = [i for side in sides for i in side if i not in variables and i not in _SIGNS]
    roles: dict[str, str] = {sign: sign for sign in _SIGNS}
    fresh = iter("xyz")
    for item in (i for side in sides for i in side):
        if item in roles:
            continue
        if item in variables:
            roles[item] = next(fresh, "w")
        else:
            roles[item] = "F" if item == functions[0] else "C"
    form = tuple(" ".join(roles[i] for i in side) for side in sides)
    named = [i for i in left if i not in variables and i not in _SIGNS] or functions[:1]
    return form, list(dict.fromkeys(named))


_SIGNS = ("¬", "≠", "=")


def _preorder(term: Term) -> list[str]:
    return [t.head.name if isinstance(t.head, Symbol) else t.head for t in term.subterms()]
