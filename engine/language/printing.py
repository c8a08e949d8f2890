"""Laws as Lean text: a signature with binders, or closed instances at values."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from engine.language.term import Law, Symbol, Term, Type
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
    if not term.args:
        return head
    if _is_infix(term):  # an application binds tighter than any sign
        text = head.format(*(term_text(a, atomic=_is_infix(a)) for a in term.args))
    else:
        text = " ".join((head, *(term_text(a, atomic=True) for a in term.args)))
    return f"({text})" if atomic else text


def _is_infix(term: Term) -> bool:
    return isinstance(term.head, Symbol) and term.head.is_infix and len(term.args) == 2


def signature_text(law: Law) -> str:
    """A law as a Lean signature: ``{α : Type _} (xs : L α) : append xs nil = xs``."""
    binders = binder_text(law)
    equation = f"{term_text(law.lhs)} = {term_text(law.rhs)}"
    return f"{binders} : {equation}" if binders else f": {equation}"


def binder_text(law: Law) -> str:
    """The binders of a law: type variables, type classes, then its variables by type."""
    type_names = dict.fromkeys(v for _, t in law.types for v in t.variables())
    parts = [f"{{{' '.join(type_names)} : Type _}}"] if type_names else []
    parts += [f"[{c.type_class} {c.argument.head}]" for c in constraints_of(law)]
    for t, group in groupby(law.types, key=lambda item: item[1]):
        parts.append(f"({' '.join(name for name, _ in group)} : {type_text(t)})")
    return " ".join(parts)


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
    text = " ".join((name, *(value_text(f, names, atomic=True) for f in fields)))
    return f"({text})" if atomic else text
