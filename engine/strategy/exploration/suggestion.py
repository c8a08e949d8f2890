"""A law that tests suggest."""

from __future__ import annotations

from dataclasses import dataclass

from engine.language.term import Law


@dataclass(frozen=True)
class Suggestion:
    """A law with its evidence.

    Attributes:
        cases: In how many test cases its hypotheses held and both sides were equal.
    """

    law: Law
    cases: int
