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
from itertools import count

from engine.language.term import Law, Symbol, Term

Side = Sequence[str]

MAX_LENGTH = 60
WORDS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "^": "pow", "++": "append",
    "::": "cons", "&&": "and", "||": "or", "!": "not", "∧": "and", "∨": "or", "¬": "not",
    "∣": "dvd", "<": "lt", "≤": "le", ">": "gt", "≥": "ge", "=": "eq", "==": "beq", "≠": "ne",
    "∘": "comp", "0": "zero", "1": "one", "2": "two",
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


def law_sides(law: Law) -> tuple[list[str], list[str], list[str]]:
    """Left side, right side and variables of a law, as the other functions take them."""
    return _preorder(law.lhs), _preorder(law.rhs), [name for name, _ in law.types]


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
    return kept[:1].lower() + kept[1:]


def _last_component(name: str) -> str:
    if name.endswith("»"):
        return name[name.rindex("«") + 1 : -1] if "«" in name else name[:-1]
    return name.rpartition(".")[2]


def _raw(
    left: Side, right: Side, variables: frozenset[str], hypotheses: Sequence[Side]
) -> Iterator[str]:
    ends = [_join(side, variables) for side in hypotheses]
    suffix = "".join(f"_of_{end}" for end in ends if end)
    stems = [*_by_shape(left, right, variables), *_by_symbols(left, right, variables)]
    stems = [_shortened(stem + suffix) for stem in stems or ["law"]]
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


def _by_shape(left: Side, right: Side, variables: frozenset[str]) -> Iterator[str]:
    """The name of a law that is known by its form, with ``f`` any symbol and ``x y z`` distinct."""
    form, symbols = _form(left, right, variables)
    ending = _FORMS.get(form)
    words = [word(symbol) for symbol in symbols]
    if ending is not None and all(words):
        yield "_".join((*words, *ending.split()))


_FORMS = {
    (("F", "x", "y"), ("F", "y", "x")): "comm",
    (("F", "F", "x", "y", "z"), ("F", "x", "F", "y", "z")): "assoc",
    (("F", "x", "F", "y", "z"), ("F", "y", "F", "x", "z")): "left_comm",
    (("F", "F", "x", "y", "z"), ("F", "F", "x", "z", "y")): "right_comm",
    (("F", "x", "x"), ("x",)): "self",
    (("F", "x", "x"), ("C",)): "self",
    (("F", "x", "x"), ()): "refl",
}


def _form(
    left: Side, right: Side, variables: frozenset[str]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], list[str]]:
    """Both sides with names replaced by roles, and the function symbol that they are about."""
    roles: dict[str, str] = {}
    fresh = iter("xyz")
    functions = [item for item in left if item not in variables]
    for item in (*left, *right):
        if item in roles:
            continue
        if item in variables:
            roles[item] = next(fresh, "w")
        else:
            roles[item] = "F" if [item] == list(left[:1]) else "C"
    form = (tuple(roles[i] for i in left), tuple(roles[i] for i in right))
    return form, list(dict.fromkeys(functions))


def _preorder(term: Term) -> list[str]:
    return [t.head.name if isinstance(t.head, Symbol) else t.head for t in term.subterms()]
