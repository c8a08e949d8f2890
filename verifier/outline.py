"""What a module's commands are, where their parts lie, and where they have holes.

Spans are in bytes of the text with LF line ends that was elaborated. Lean's syntax trees say them;
nothing here reads Lean.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from verifier.lean import DeclaredAt, Environment, Facts, Message

Span = tuple[int, int]


class Hole(Facts):
    """A ``sorry`` or ``admit``.

    Attributes:
        form: Whether it stands for a term or for a tactic.
        anchor: The byte where the innermost tactic begins that it belongs to, which is itself when
            it is one; else where the command begins.
    """

    form: Literal["term", "tactic"]
    span: Span
    anchor: int


class Scoping(Facts):
    """A command as a change of scope.

    Attributes:
        opens: How many scopes it opens. closes: How many it closes.
    """

    kind: str
    span: Span
    opens: int
    closes: int


class DeclarationParts(Facts):
    """The parts of ``theorem name signature := value`` and its like.

    Attributes:
        span: Without the modifiers. name: As written, ``None`` for an ``example``.
        form: How the value is written: ``:= term``, equations, or ``where`` with fields.
        term: The term behind ``:=``. bare: Whether that is a hole and nothing else.
    """

    kind: str
    span: Span
    modifiers: Span | None
    name: str | None
    name_span: Span | None = Field(alias="nameSpan")
    signature: Span | None
    value: Span | None
    form: Literal["simple", "equations", "structure"] | None
    term: Span | None
    bare: bool


class Command(Scoping):
    """A command of a module.

    Attributes:
        prefixes: The commands in front of it that hold for it alone: ``open Nat in``.
        holes: In the order of the text.
        declaration: Its parts, when it is one declaration.
    """

    prefixes: tuple[Scoping, ...]
    holes: tuple[Hole, ...]
    declaration: DeclarationParts | None = None


class Outline(Facts):
    """A module body, elaborated and described.

    Attributes:
        environment: With what the body declares.
        refused: As in :class:`verifier.lean.Extension`.
    """

    model_config = Facts.model_config | {"arbitrary_types_allowed": True}

    environment: Environment = Field(alias="env")
    messages: tuple[Message, ...]
    declarations: tuple[DeclaredAt, ...]
    refused: tuple[str, ...]
    commands: tuple[Command, ...]

    @property
    def errors(self) -> tuple[Message, ...]:
        """The errors among the messages."""
        return tuple(m for m in self.messages if m.is_error)
