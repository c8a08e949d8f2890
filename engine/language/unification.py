"""Unification of terms."""

from __future__ import annotations

from engine.language.term import Law, Symbol, Term


def rename_apart(law: Law, suffix: str) -> Law:
    """The law with a suffix on every variable, so that it shares none with another law."""
    renaming = {name: Term(f"{name}{suffix}") for name, _ in law.types}
    types = tuple((f"{name}{suffix}", t) for name, t in law.types)
    hypotheses = tuple(h.substitute(renaming) for h in law.hypotheses)
    return Law(law.lhs.substitute(renaming), law.rhs.substitute(renaming), types, hypotheses)


def unify(one: Term, other: Term) -> dict[str, Term] | None:
    """The most general assignment that makes two terms equal, or ``None``.

    A variable that is applied to arguments unifies with a term of as many arguments by its head.
    The assignment is idempotent: no variable of its domain is left in its values.
    """
    bound: dict[str, Term] = {}
    pending = [(one, other)]
    while pending:
        a, b = (_walk(t, bound) for t in pending.pop())
        if a == b:
            continue
        if not a.is_variable and b.is_variable:
            a, b = b, a
        if a.is_variable:
            if not _assign(str(a.head), b, bound):
                return None
            continue
        if not _same_head(a, b, bound):
            return None
        pending += zip(a.args, b.args, strict=True)
    return {name: _resolve(value, bound) for name, value in bound.items()}


def _walk(term: Term, bound: dict[str, Term]) -> Term:
    while isinstance(term.head, str) and term.head in bound:
        value = bound[term.head]
        term = Term(value.head, value.args + term.args)
    return term


def _resolve(term: Term, bound: dict[str, Term]) -> Term:
    term = _walk(term, bound)
    return Term(term.head, tuple(_resolve(a, bound) for a in term.args))


def _assign(name: str, value: Term, bound: dict[str, Term]) -> bool:
    resolved = _resolve(value, bound)
    if name in resolved.variables():
        return False
    bound[name] = resolved
    return True


def _same_head(one: Term, other: Term, bound: dict[str, Term]) -> bool:
    if len(one.args) != len(other.args):
        return False
    if one.head == other.head:
        return True
    if isinstance(one.head, Symbol) and isinstance(other.head, Symbol):
        return False
    if isinstance(one.head, Symbol):
        one, other = other, one
    return _assign(str(one.head), Term(other.head), bound)
