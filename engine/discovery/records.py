"""What a run tells: fates of candidates while it goes on, results and counts at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.judgement.rubric import Judgement
from engine.knowledge.run import Retrieved
from engine.model import Label
from engine.strategy.agent import Yield
from engine.strategy.operators import Draft

COUNTED = ("drafted", "duplicate", "refuted", "pruned", "verified", "conjecture")


@dataclass(frozen=True)
class Fate:
    """What became of a candidate: an event of the run.

    Attributes:
        what: ``duplicate``, ``refuted``, ``pruned``, ``verified``, ``withdrawn``, ``retracted``.
        statement: Of the candidate; the name of a withdrawn or retracted lemma.
    """

    what: str
    statement: str
    operator: str
    detail: str = ""


@dataclass(frozen=True)
class Result:
    """A candidate that came to an end in this run.

    Attributes:
        statement: Lean signature. equation: The same without its binders.
        at: Seconds from the start of the run.
    """

    statement: str
    equation: str
    label: Label
    operator: str
    parents: tuple[str, ...]
    name: str = ""
    node: str = ""
    tactic: str = ""
    proof: str = ""
    seconds: float = 0.0
    reason: str = ""
    at: float = 0.0


@dataclass(frozen=True)
class RunReport:
    """What a run did.

    Attributes:
        counts: Drafted, duplicate, refuted, pruned, verified, conjecture.
        choices: The agent's log: which operator drafted, and why.
        yields: What each operator brought, the most fruitful first.
        retrieved: The first retrieval of the run, for the navigation path.
        interrupted: Whether the user ended it before the budget did.
    """

    run: str
    theory: str
    goal: str
    results: tuple[Result, ...]
    counts: dict[str, int]
    choices: tuple[str, ...]
    yields: tuple[tuple[str, Yield], ...]
    retrieved: Retrieved | None
    seconds: float
    interrupted: bool


@dataclass
class Pending:
    """A candidate that waits for a proof.

    Attributes:
        number: In the order of drafting. cost: Its size by its worth: the smaller is tried first.
        tries: Proof searches so far. wide_tries: Those of them that went on to what is slow.
        wide: Whether the next one does.
        seconds: Spent on proof searches.
        offered: The lemmas that there were at the last search. offered_wide: The same of the last
            wide one; ``None`` before the first.
        hints: Those that the next search is given.
    """

    number: int
    cost: float
    draft: Draft
    judgement: Judgement
    tries: int = 0
    wide_tries: int = 0
    wide: bool = False
    seconds: float = 0.0
    offered: frozenset[str] = frozenset()
    offered_wide: frozenset[str] | None = None
    hints: tuple[str, ...] = ()


def verified(results: Sequence[Result]) -> list[Result]:
    """The results that joined the library."""
    return [r for r in results if r.label is Label.VERIFIED]
