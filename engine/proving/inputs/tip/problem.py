"""A TIP problem as a source of the batch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.proving.inputs.tip.translate import Translation, translate
from engine.proving.problem import Document, problems_of
from engine.proving.source import Reading
from verifier.errors import InputError
from verifier.lean import Environment
from verifier.outline import Outline
from verifier.session import Session

MEASURE = "termination_by"
UNKNOWN = "opaque"  # in a way with guards
RECURSION = "WellFounded.fix"
TERMINATION = "terminat"  # in Lean's words when it does not see that a function ends


@dataclass(frozen=True)
class TipFile:
    """A problem, translated when its turn comes."""

    path: Path
    line: int = 1

    @property
    def name(self) -> str:
        """Its path."""
        return str(self.path)

    @property
    def document(self) -> str:
        """The path of the file."""
        return str(self.path)

    def read(self, session: Session) -> Reading:
        """Translates it and has Lean accept its definitions.

        Raises:
            InputError: It uses what has no translation, or Lean refuses a definition, most often
                since it does not see why a function terminates.
        """
        try:
            content = self.path.read_bytes().decode()
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"{self.path} is not UTF-8 text") from None
        environment = Environment(("Init",))
        translation = translate(content)
        text, outline = _accepted(session, environment, translation)
        document = Document(self.name, text, environment)
        return Reading(document, problems_of(document, outline))


def _accepted(
    session: Session, environment: Environment, translation: Translation
) -> tuple[str, Outline]:
    """The best way to write the definitions that Lean takes."""
    chosen: tuple[str, ...] = ()
    for part in translation.parts:
        way, outline = _best(session, environment, "".join(chosen), part)
        chosen = (*chosen, way)
    return "".join(chosen), outline


def _best(
    session: Session, environment: Environment, before: str, part: tuple[str, ...]
) -> tuple[str, Outline]:
    """The first way that Lean takes, and that its kernel can compute with if there is one."""
    refused: list[str] = []
    taken: tuple[str, Outline] | None = None
    for way in part:
        if refused and MEASURE in way and not any(TERMINATION in r for r in refused):
            continue  # a measure cures nothing else
        if taken is not None and UNKNOWN in way:
            break  # a guard is no better than a recursion that is only hard to compute with
        outline = session.outline(environment, f"{before}{way}")
        if outline.errors:
            refused.append(" ".join(outline.errors[0].text.split("\n")[:2]))
        elif _computes(session, outline, len(before.encode())):
            return way, outline
        else:
            taken = taken or (way, outline)
    if taken is None:
        raise InputError(f"Lean refuses `{_head(part[0])}`: {refused[0]}")
    return taken[0], session.outline(environment, f"{before}{taken[0]}")


def _computes(session: Session, outline: Outline, start: int) -> bool:
    """Whether the kernel can compute with what was defined from a byte on.

    A recursion whose arguments get smaller by a measure in the natural numbers it can; one by
    another order rests on theorems of the library whose proofs it does not have.
    """
    names = [d.name for d in outline.declarations if d.span and d.span[0] >= start]
    described = session.declarations(outline.environment, names)
    return not any(d is not None and RECURSION in d.value_constants for d in described)


def _head(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")
