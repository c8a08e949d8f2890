"""The operators, one file each. ``OPERATORS`` lists them in the order of their first turn."""

from __future__ import annotations

from collections.abc import Sequence

from engine.strategy.operators.analogy import Analogy
from engine.strategy.operators.base import Context, Draft, Helper, KnownLaw, Operator
from engine.strategy.operators.composition import Composition
from engine.strategy.operators.converse import Converse
from engine.strategy.operators.deduction import Deduction
from engine.strategy.operators.dual import Dual
from engine.strategy.operators.functional import Functional
from engine.strategy.operators.generalisation import Generalisation
from engine.strategy.operators.induction import Induction
from engine.strategy.operators.specialisation import Specialisation
from engine.strategy.operators.strengthening import Strengthening
from verifier.errors import InputError

OPERATORS: tuple[Operator, ...] = (
    Induction(),
    Functional(),
    Converse(),
    Composition(),
    Deduction(),
    Analogy(),
    Dual(),
    Generalisation(),
    Strengthening(),
    Specialisation(),
)


def chosen_operators(
    names: Sequence[str] = (), without: Sequence[str] = ()
) -> tuple[Operator, ...]:
    """Some of the operators, in their own order.

    Args:
        names: Those to use; all when there are none.
        without: Those to leave out of them.

    Raises:
        InputError: A name is unknown, is both wanted and not, or no operator is left.
    """
    known = [operator.name for operator in OPERATORS]
    unknown = [name for name in (*names, *without) if name not in known]
    if unknown:
        raise InputError(
            f"there is no operator {', '.join(dict.fromkeys(unknown))}",
            f"the operators are {', '.join(known)}",
        )
    both = [name for name in names if name in without]
    if both:
        raise InputError(
            f"{', '.join(both)} is asked for and left out at once",
            "name each operator in one of the two lists only",
        )
    chosen = [o for o in OPERATORS if (not names or o.name in names) and o.name not in without]
    if not chosen:
        raise InputError("no operator is left to draft with", "leave out fewer of them")
    return tuple(chosen)


__all__ = [
    "OPERATORS",
    "Context",
    "Draft",
    "Helper",
    "KnownLaw",
    "Operator",
    "chosen_operators",
]
