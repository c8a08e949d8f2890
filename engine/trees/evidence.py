"""What speaks for an edge of T_M between Lean declarations: how one constant is used by another.

A contribution is evidence, not opinion. The rating r in 1..5 is one plus the points of this table,
held within 1..5, with w = (r - 1) / 4 (paper: method contributions).

===============================================================  ======
fact                                                             points
===============================================================  ======
the constant occurs in the statement                             2
it occurs in the proof                                           1
it occurs in the body of a definition, which is nothing without  2
twice or more in the statement, or three times or more in all    1
a tactic of the proof names it                                   1
the proof fails without it                                       1
the proof works without it                                       -1
===============================================================  ======

A constant that much of a library mentions says little, however it is used: the share of the
declarations that mention it caps the rating, see ``CAPS``. So does it for an instance of a class,
which Lean finds by itself (``INSTANCE_CAP``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

CAPS = ((0.10, 1), (0.03, 2), (0.01, 3))
"""(share, largest rating above it). Of the 60,000 declarations of Init and Std 60% mention ``Eq``,
30% ``Nat`` and 14% ``List``: no news. 6% mention ``Array`` and 4% ``BitVec``, 2% ``String`` and
``List.length``. A rating of 4 or 5 is for what fewer than 1% mention, as 0.3% do ``List.reverse``.
"""

INSTANCE_CAP = 2
"""Largest rating of an instance. ``List.map_append`` mentions ``List.instAppend`` more often than
``List.map``, since ``++`` does, and is about ``List.map`` nevertheless."""

FEWEST_DECLARATIONS = 1000
"""In a small theory everything mentions everything; a cap holds in full from this size on."""

RAREST = 1e-5
"""The share at which a constant counts as most specific: one declaration in 100,000."""

REWRITING = frozenset({"rw", "simp", "simp_all", "dsimp", "simpa", "unfold", "erw", "rwa", "calc"})
SPLITTING = frozenset({"cases", "induction", "fun_induction", "fun_cases", "rcases", "obtain"})
APPLYING = frozenset({"exact", "apply", "refine", "have", "term", "constructor", "intro", "show"})

NUMBERS = ("never", "once", "twice", "three times", "four times", "five times", "six times")


class Evidence(NamedTuple):
    """How a declaration uses a constant.

    Attributes:
        in_statement: Occurrences in the statement.
        in_proof: Occurrences in the proof term, or in the body of a definition.
        tactics: Names of the tactics of the proof that name it, sorted; ``term`` where a term does.
        survives: Whether the proof still works without it; ``None`` where that was not tried.
        definition: Whether ``in_proof`` speaks of the body of a definition.
    """

    in_statement: int = 0
    in_proof: int = 0
    tactics: tuple[str, ...] = ()
    survives: bool | None = None
    definition: bool = False


class EvidenceEdge(NamedTuple):
    """An edge of T_M with its evidence; the sentence is made when it is asked for.

    A library has hundreds of thousands of them, and few are ever shown.

    Attributes:
        parent: Id of the node that is used. child: Id of the node that uses it.
    """

    parent: str
    child: str
    rating: int
    strength: float
    evidence: Evidence
    operator: str = ""

    @property
    def weight(self) -> float:
        """The weight w = (r - 1) / 4, in [0, 1]."""
        return (self.rating - 1) / 4

    @property
    def explanation(self) -> str:
        """The facts in one sentence."""
        return explanation(self.evidence, _name(self.parent), _name(self.child))


@dataclass(frozen=True)
class Shares:
    """How common each constant is in a library.

    Attributes:
        mentions: For each constant the number of declarations that mention it.
        declarations: How many declarations there are.
    """

    mentions: Mapping[str, int]
    declarations: int

    def __getitem__(self, constant: str) -> float:
        """The share of the declarations that mention a constant, in [0, 1]."""
        return min(1.0, self.mentions.get(constant, 0) / max(1, self.declarations))

    def ubiquity(self, constant: str) -> float:
        """The share by which a rating is capped: in a small theory hardly anything is common."""
        return self[constant] * min(1.0, self.declarations / FEWEST_DECLARATIONS)


def rating(evidence: Evidence, share: float, instance: bool = False) -> int:
    """The rating r in 1..5 of a use, by the table of this module.

    It never falls when a constant is used more, named by a further tactic or found to be needed,
    and never rises with the share.

    Args:
        evidence: How the constant is used.
        share: Fraction of the library's declarations that mention it, see
            :meth:`Shares.ubiquity`.
        instance: Whether the constant is an instance of a class.
    """
    stated, proved = evidence.in_statement, evidence.in_proof
    points = (
        2 * (stated > 0)
        + (2 if evidence.definition else 1) * (proved > 0)
        + (stated > 1 or stated + proved > 2)
        + bool(evidence.tactics)
        + (evidence.survives is False)
        - (evidence.survives is True)
    )
    cap = next((cap for bound, cap in CAPS if share > bound), 5)
    return max(1, min(1 + points, cap, INSTANCE_CAP if instance else 5))


def strength(evidence: Evidence, share: float, instance: bool = False) -> float:
    """A finer measure in [0, 1] that tells edges of one rating apart.

    It is tf * idf: tf = n / (n + 1) for n occurrences, those in a proof term counting a quarter
    (a term repeats what its author said once), and idf = log(share) / log(RAREST); half of that
    for an instance. So of the constants of ``List.reverse_reverse`` the most specific,
    ``List.reverse``, leads.

    Args:
        evidence: How the constant is used.
        share: Fraction of the library's declarations that mention it.
        instance: Whether the constant is an instance of a class.
    """
    occurrences = evidence.in_statement + evidence.in_proof / 4
    idf = math.log(min(1.0, max(share, RAREST))) / math.log(RAREST)
    return occurrences / (occurrences + 1) * abs(idf) / (2 if instance else 1)


def edge(
    parent: str,
    child: str,
    constant: str,
    evidence: Evidence,
    shares: Shares,
    *,
    instance: bool = False,
) -> EvidenceEdge:
    """The rated edge between two nodes.

    Args:
        parent: Id of the node of the used constant.
        child: Id of the node that uses it.
        constant: Name of the used constant.
        evidence: How it is used.
        shares: How common constants are in the library.
        instance: Whether the constant is an instance of a class.
    """
    share, ubiquity = shares[constant], shares.ubiquity(constant)
    return EvidenceEdge(parent, child, *_scores(evidence, share, ubiquity, instance), evidence)


@lru_cache(maxsize=1 << 16)
def _scores(evidence: Evidence, share: float, ubiquity: float, instance: bool) -> tuple[int, float]:
    return rating(evidence, ubiquity, instance), strength(evidence, share, instance)


def merged(uses: Iterable[Evidence]) -> Evidence:
    """The evidence of several constants that stand for one, a type and its constructors, say.

    The proof needs the whole where it needs a part.
    """
    uses = list(uses)
    survivals = {use.survives for use in uses}
    return Evidence(
        sum(use.in_statement for use in uses),
        sum(use.in_proof for use in uses),
        tuple(sorted({tactic for use in uses for tactic in use.tactics})),
        False if False in survivals else (True if survivals == {True} else None),
        any(use.definition for use in uses),
    )


def explanation(evidence: Evidence, parent: str, child: str) -> str:
    """The facts in one sentence.

    >>> use = Evidence(in_statement=2, in_proof=1, tactics=("simp",), survives=False)
    >>> explanation(use, "List.reverse", "List.reverse_reverse")
    'List.reverse occurs twice in the statement of List.reverse_reverse and once in its proof, \
which rewrites with it (simp) and fails without it.'
    """
    stated, proved = evidence.in_statement, evidence.in_proof
    body = "body" if evidence.definition else "proof"
    if not stated and not proved:
        return f"{child} does not mention {parent}."
    if not stated:
        said = f"{parent} occurs {_times(proved)} in the {body} of {child}"
    else:
        said = f"{parent} occurs {_times(stated)} in the statement of {child}"
        if proved:
            said += f" and {_times(proved)} in its {body}"
    deeds = _deeds(evidence)
    if not deeds:
        return f"{said}."
    return f"{said}, which {deeds}." if proved else f"{said}; its {body} {deeds}."


def _deeds(evidence: Evidence) -> str:
    """What the proof does with the constant, as verbs: ``rewrites with it (simp) and …``."""
    kinds = (
        ("rewrites with it", REWRITING),
        ("takes it apart", SPLITTING),
        ("applies it", APPLYING),
    )
    deeds = []
    left = set(evidence.tactics)
    for verb, names in kinds:
        if used := sorted(left & names):
            shown = ", ".join("in a term" if tactic == "term" else tactic for tactic in used)
            deeds.append(f"{verb} ({shown})")
        left -= names
    if left:
        deeds.append(f"gives it to {', '.join(sorted(left))}")
    if evidence.survives is not None:
        deeds.append("works without it as well" if evidence.survives else "fails without it")
    return " and ".join((", ".join(deeds[:-1]), deeds[-1])) if len(deeds) > 1 else "".join(deeds)


def _times(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else f"{count} times"


def _name(node_id: str) -> str:
    """The declaration's name in an id ``module:name``."""
    return node_id.partition(":")[2] or node_id
