"""Laws as Lean text: a signature with binders, or closed instances at values."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from engine.language.core import EQ, FALSE, TRUE
from engine.language.term import Equation, Law, Symbol, Term, Type
from engine.language.typing import constraints_of


def type_text(t: Type, atomic: bool = False) -> str:
    """A type as Lean text, in parentheses where it must be one word."""
    if t.is_function:
        domain, codomain = t.args
        text = f"{type_text(domain, domain.is_function)} → {type_text(codomain)}"
        return f"({text})" if atomic else text
    if not t.args:
        return t.head
    text = " ".join((t.head, *(type_text(a, atomic=True) for a in t.args)))
    return f"({text})" if atomic else text


def term_text(term: Term, atomic: bool = False) -> str:
    """A term as Lean text, in parentheses where it must be one word."""
    head = term.head.text if isinstance(term.head, Symbol) else term.head
    if _is_infix(term):
        return _infix_text(term, head, atomic)
    if not term.args:
        return head
    text = " ".join((head, *(term_text(a, atomic=True) for a in term.args)))
    return f"({text})" if atomic else text


def _is_infix(term: Term) -> bool:
    return isinstance(term.head, Symbol) and term.head.is_infix and len(term.args) <= 2


def _infix_text(term: Term, notation: str, atomic: bool) -> str:
    """A notation with its arguments, an application binding tighter than any sign.

    A missing argument is the ``·`` of Lean's ``(x + ·)``.
    """
    operands = [term_text(a, atomic=_is_infix(a)) for a in term.args]
    missing = 2 - len(operands)
    text = notation.format(*operands, *["·"] * missing)
    return f"({text})" if atomic or missing else text


def equation_text(equation: Equation) -> str:
    """An equation as Lean text; one with ``True`` or ``False`` is a proposition or its negation."""
    lhs, rhs = equation.lhs, equation.rhs
    if lhs.head in (TRUE, FALSE):
        lhs, rhs = rhs, lhs
    if rhs.head == TRUE:
        return term_text(lhs)
    if rhs.head == FALSE:
        return _negation_text(lhs)
    sign = "↔" if is_proposition(lhs) or is_proposition(rhs) else "="
    return f"{_side_text(lhs, sign)} {sign} {_side_text(rhs, sign)}"


def _negation_text(term: Term) -> str:
    if term.head == EQ and len(term.args) == 2:
        return " ≠ ".join(_side_text(a, "≠") for a in term.args)
    return f"¬ {term_text(term, atomic=_is_infix(term))}"


def _side_text(term: Term, sign: str) -> str:
    """A side of an equation; another equality inside must stand in parentheses."""
    return term_text(term, atomic=sign != "↔" and is_proposition(term) and bool(term.args))


def is_proposition(term: Term) -> bool:
    """Whether a term is the application of a predicate, or ``True`` or ``False``."""
    return isinstance(term.head, Symbol) and term.head.is_predicate


def signature_text(law: Law) -> str:
    """A law as Lean signature: ``{α : Type _} (xs : L α) (h : P xs) : append xs nil = xs``."""
    binders = binder_text(law)
    conclusion = equation_text(law.conclusion)
    return f"{binders} : {conclusion}" if binders else f": {conclusion}"


def proposition_text(law: Law) -> str:
    """A law without its binders: hypotheses and conclusion joined by arrows."""
    return " → ".join(equation_text(part) for part in (*law.hypotheses, law.conclusion))


def binder_text(law: Law) -> str:
    """The binders of a law: type variables, classes, its variables by type, its hypotheses."""
    type_names = dict.fromkeys(v for _, t in law.types for v in t.variables())
    parts = [f"{{{' '.join(type_names)} : Type _}}"] if type_names else []
    parts += [f"[{c.type_class} {c.argument.head}]" for c in constraints_of(law)]
    for t, group in groupby(law.types, key=lambda item: item[1]):
        parts.append(f"({' '.join(name for name, _ in group)} : {type_text(t)})")
    names = hypothesis_names(law)
    parts += [f"({n} : {equation_text(h)})" for n, h in zip(names, law.hypotheses, strict=True)]
    return " ".join(parts)


def hypothesis_names(law: Law) -> list[str]:
    """Names for the hypotheses: ``h``, or ``h₁``, ``h₂``, …, none of them a variable's."""
    count = len(law.hypotheses)
    wanted = ["h"] if count == 1 else [f"h{_subscript(i)}" for i in range(1, count + 1)]
    taken = {name for name, _ in law.types}
    return [name if name not in taken else f"{name}'" for name in wanted]


def _subscript(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def closed_text(symbol: Symbol, types: Mapping[str, Type]) -> str:
    """The Lean text of a symbol's function for evaluation.

    Args:
        symbol: A predicate gives a function into ``Bool``.
        types: A closed type for each of its type variables.
    """
    text = symbol.closed
    for name, type_ in types.items():
        text = text.replace(f"{{{name}}}", type_text(type_, atomic=True))
    return text


def value_text(structure: Any, names: dict[str, str], atomic: bool = False) -> str:
    """A value of :mod:`verifier.evaluation` as Lean text.

    Args:
        structure: A literal, or ``[constructor, *fields]``.
        names: How constructors are written.
        atomic: Whether the text must be one word.
    """
    if not isinstance(structure, list):
        return str(structure)
    head, *fields = structure
    name = names.get(str(head), str(head))
    if not fields:
        return name
    written = [value_text(f, names, atomic=True) for f in fields]
    text = name.format(*written) if "{0}" in name else " ".join((name, *written))
    return f"({text})" if atomic else text
