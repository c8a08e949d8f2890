"""The vocabulary that texts and elaborated statements share: symbols, shapes, notation.

A term is described from below: ``applied`` takes what its arguments look like, adds the tokens of
the application and returns what it looks like itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

NOTATION: Final = {
    "Eq": "=", "Ne": "≠", "HEq": "≍", "Iff": "↔", "And": "∧", "Or": "∨", "Not": "¬",
    "Exists": "∃", "LT.lt": "<", "LE.le": "≤", "GT.gt": ">", "GE.ge": "≥", "Dvd.dvd": "∣",
    "Membership.mem": "∈", "HasSubset.Subset": "⊆", "BEq.beq": "==", "bne": "!=", "and": "&&",
    "or": "||", "not": "!", "HAdd.hAdd": "+", "HSub.hSub": "-", "HMul.hMul": "*",
    "HDiv.hDiv": "/", "HMod.hMod": "%", "HPow.hPow": "^", "HAppend.hAppend": "++", "Neg.neg": "-",
    "Add.add": "+", "Sub.sub": "-", "Mul.mul": "*", "Div.div": "/", "Mod.mod": "%",
    "List.cons": "::", "HOr.hOr": "|||", "HAnd.hAnd": "&&&", "HXor.hXor": "^^^",
    "HShiftLeft.hShiftLeft": "<<<", "HShiftRight.hShiftRight": ">>>",
    "Complement.complement": "~~~",
    "Union.union": "∪", "Inter.inter": "∩", "Function.comp": "∘", "Prod": "×", "Bind.bind": ">>=",
    "Functor.map": "<$>", "SMul.smul": "•", "HSMul.hSMul": "•", "List.Perm": "~",
    "List.IsPrefix": "<+:", "List.IsSuffix": "<:+", "List.IsInfix": "<:+:", "List.Sublist": "<+",
}  # fmt: skip
"""Constants that are written as an operator."""

PRECEDENCE: Final = {
    "<|": 10, "|>": 10, "↔": 20, "→": 25, "->": 25, "∨": 30, "||": 30, "∧": 35, "&&": 35,
    "=": 50, "≠": 50, "≍": 50, "<": 50, "≤": 50, ">": 50, "≥": 50, "∈": 50, "∉": 50, "∣": 50,
    "⊆": 50, "==": 50, "!=": 50, "~": 50, "<+:": 50, "<:+": 50, "<:+:": 50, "<+": 50, ">>=": 55,
    "|||": 55, "^^^": 58, "&&&": 60, "+": 65, "-": 65, "++": 65, "∪": 65, "::": 67, "*": 70,
    "/": 70, "%": 70, "∩": 70, "•": 73, "×": 35, "^": 75, "<<<": 75, ">>>": 75, "∘": 90,
    "<$>": 100,
}  # fmt: skip
"""How strongly binary operators bind, the default is 60."""

RIGHT_ASSOCIATIVE: Final = frozenset({"→", "->", "∧", "∨", "::", "^", "×", "∘", "<|"})
RELATIONS: Final = frozenset(
    {"=", "≠", "≍", "↔", "∧", "∨", "¬", "∃", "<", "≤", "∣", "∈", "⊆", "~", "<+", "<+:", "<:+",
     "<:+:", "True", "False"}
)  # fmt: skip
"""Heads that only a proposition has."""

CLASSES: Final = frozenset(
    {"BEq", "Hashable", "Ord", "LT", "LE", "Monad", "Applicative", "Functor", "Bind", "Pure",
     "Seq", "Alternative", "MonadLift", "MonadLiftT", "Decidable", "DecidableEq", "DecidablePred",
     "DecidableRel", "Inhabited", "Add", "Sub", "Mul", "Div", "Mod", "Neg", "Zero", "One", "Append",
     "Membership", "GetElem", "GetElem?", "ToString", "Repr", "LawfulBEq", "LawfulHashable",
     "EquivBEq", "LawfulMonad", "LawfulFunctor", "LawfulApplicative", "Max", "Min", "OfNat",
     "TransCmp", "TransOrd", "LawfulEqCmp", "LawfulEqOrd", "OrientedCmp"}
)  # fmt: skip
"""Classes whose instances also come as ``{inst : Monad m}``, unified instead of searched for."""

_SYMMETRIC: Final = frozenset({"=", "≠", "↔", "∧", "∨"})
_FLIPPED: Final = {">": "<", "≥": "≤"}
_SPELLINGS: Final = {
    "/\\": "∧", "\\/": "∨", "<=": "≤", ">=": "≥", "<->": "↔", "->": "→", "∉": "∈",
}  # fmt: skip
_LONG_NUMBER: Final = 3


class Seen(NamedTuple):
    """What a term is to the term around it.

    Attributes:
        head: Its symbol, ``_`` for a variable.
        shape: The symbol with the heads of the arguments, the symbol alone where there are none.
    """

    head: str
    shape: str


VARIABLE: Final = Seen("_", "_")


def spelled(operator: str) -> str:
    """The usual spelling of an operator: ``≤`` for ``<=``."""
    return _SPELLINGS.get(operator, operator)


def number(digits: str) -> Seen:
    """A numeral; one of more than three digits is like any other."""
    text = digits if len(digits) <= _LONG_NUMBER else "#"
    return Seen(text, text)


def applied(symbol: str, arguments: Sequence[Seen], out: list[str]) -> Seen:
    """Adds the tokens of an application and tells what it looks like.

    Args:
        symbol: Of the head.
        arguments: Those that are written out.
        out: Where ``shape +(_,*)`` goes, the symbol with the heads of the arguments. One level more
            (``+(_,*(_,_))``) made half of the vocabulary, and typed statements found their
            declarations less often with it.
    """
    if symbol in _FLIPPED and len(arguments) == 2:
        symbol, arguments = _FLIPPED[symbol], arguments[::-1]
    elif symbol in _SYMMETRIC:
        arguments = sorted(arguments)
    if not arguments:
        return Seen(symbol, symbol)
    shape = f"{symbol}({','.join([argument.head for argument in arguments])})"
    out.append(f"shape {shape}")
    return Seen(symbol, shape)


@lru_cache(maxsize=100_000)
def symbol_of(name: str) -> str:
    """How a constant is written: its notation, or the last component of its name."""
    return NOTATION.get(name) or name.rstrip(".").rpartition(".")[2]


@lru_cache(maxsize=100_000)
def symbol_tokens(name: str) -> tuple[str, ...]:
    """``symbol append`` and, of a qualified name, ``name List.append``."""
    symbol = f"symbol {_FLIPPED.get(symbol_of(name), symbol_of(name))}"
    qualified = "." in name.strip(".") and name not in NOTATION
    return (symbol, f"name {name}") if qualified else (symbol,)


def placed(place: str, seen: Seen, tokens: Sequence[str]) -> list[str]:
    """Tokens that say where others stand: ``conclusion symbol append``, ``conclusion =(_,_)``.

    Args:
        place: ``conclusion`` or ``hypothesis``.
        seen: What stands there.
        tokens: The tokens of it.
    """
    symbols = dict.fromkeys(token for token in tokens if token.startswith("symbol "))
    return [f"{place} {seen.shape}", *(f"{place} {symbol}" for symbol in symbols)]
