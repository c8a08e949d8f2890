"""What statements are read from, whatever the format: one interface for the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.proving.problem import Document, Problem
from engine.proving.result import Result
from verifier.outline import Outline
from verifier.session import Session


@dataclass(frozen=True)
class Reading:
    """What a source holds.

    Attributes:
        errors: What Lean says is wrong with the text before anything is filled.
        known: Declarations of the local modules that it imports.
    """

    document: Document
    problems: tuple[Problem, ...]
    errors: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


class Source(Protocol):
    """A text with statements to prove."""

    @property
    def name(self) -> str:
        """How the user knows it."""

    @property
    def document(self) -> str:
        """The file that it is in."""

    @property
    def line(self) -> int:
        """Where it begins in the user's file, from 1."""

    def read(self, session: Session) -> Reading:
        """Finds the statements.

        Raises:
            InputError: It cannot be used.
        """


def error_texts(outline: Outline) -> tuple[str, ...]:
    """The errors of an elaborated text, without their places."""
    return tuple(m.text for m in outline.errors)


@dataclass(frozen=True)
class Unreadable:
    """A part of an input that is known to be wrong before Lean is asked."""

    name: str
    line: int
    result: Result
