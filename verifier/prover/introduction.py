"""How many quantifiers stand behind the colon of a theorem, found out by trying.

The elaborated type does not say which of its binders the proof has to ``intro``.
"""

from __future__ import annotations

from collections.abc import Sequence

MARK = "introduced "
NEGATIONS = {"Not": "show ¬ _; ", "Ne": "show _ ≠ _; "}


def names_to_try(binders: Sequence[str]) -> tuple[str, ...]:
    """A name for each binder; those whose own cannot be said become ``h``, or ``h₁``, ``h₂``."""
    nameless = sum(not binder for binder in binders)
    wanted = iter(["h"] if nameless == 1 else [f"h{_subscript(n + 1)}" for n in range(nameless)])
    return tuple(binder or _fresh(next(wanted), binders) for binder in binders)


def _fresh(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "'"
    return name


def probe(names: Sequence[str], conclusion: str | None) -> str:
    """A proof that introduces as many of the last names as it can, and traces how many.

    Args:
        names: A name for each binder of the statement.
        conclusion: The constant that the conclusion applies. ``intro`` would go on into a
            negation, so one has to be there still.
    """
    guard = NEGATIONS.get(conclusion or "", "")
    alternatives = []
    for first in range(len(names) + 1):
        rest = names[first:]
        intro = f"intro {' '.join(rest)}; " if rest else ""
        alternatives.append(f'({intro}{guard}trace "{MARK}{len(rest)}"; sorry)')
    return f"by first | {' | '.join(alternatives)}"


def introduced(names: Sequence[str], messages: Sequence[str]) -> tuple[str, ...]:
    """The names that the probe could introduce, by what it traced."""
    counts = [int(m.removeprefix(MARK)) for m in messages if m.startswith(MARK)]
    return tuple(names[len(names) - counts[0] :]) if counts else ()


def _subscript(number: int) -> str:
    return "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in str(number))
