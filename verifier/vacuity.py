"""Statements that say nothing, since their hypotheses contradict each other.

Such a statement has a proof, and the proof is right; but whoever wrote it meant something else, so
a verdict flags it, and it never joins a library.
"""

from __future__ import annotations

from typing import Any

CONTRADICTION = """by
  intros
  fail_if_success guard_target =ₛ False
  exfalso
  first
    | contradiction
    | omega
    | (simp_all; done)"""
"""A proof that closes a goal from its hypotheses alone.

`grind` finds a few more, and doubles the time of a verdict where there is nothing to find. The goal
`False` itself is left out: the hypotheses of a negation are meant to contradict each other.
"""


def has_hypotheses(type_: Any) -> bool:
    """Whether a statement's type has a binder that nothing after it mentions, as hypotheses are.

    Args:
        type_: JSON of the type, see ``session/expr.js``; ``None``, of a type that was too large to
            print, counts as one with hypotheses.
    """
    if type_ is None:
        return True
    while isinstance(type_, list) and type_ and type_[0] == "p":
        if not _mentions(type_[3], 0):
            return True
        type_ = type_[3]
    return False


def _mentions(expression: Any, index: int) -> bool:
    pending = [(expression, index)]
    while pending:
        at, wanted = pending.pop()
        match at:
            case ["v", number]:
                if number == wanted:
                    return True
            case ["p" | "l", _, domain, body, _]:
                pending += [(domain, wanted), (body, wanted + 1)]
            case ["let", _, type_, value, body]:
                pending += [(type_, wanted), (value, wanted), (body, wanted + 1)]
            case ["a", function, argument]:
                pending += [(function, wanted), (argument, wanted)]
            case ["proj", _, _, of]:
                pending.append((of, wanted))
    return False
