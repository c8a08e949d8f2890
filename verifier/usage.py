"""How the declarations of a module use constants, as Lean's terms and syntax trees say it.

Spans are in bytes of the text with LF line ends that was elaborated.
"""

from __future__ import annotations

from pydantic import Field

from verifier.lean import Facts

Span = tuple[int, int]
Counts = tuple[tuple[str, int], ...]


class Mention(Facts):
    """An identifier in the body of a declaration.

    Attributes:
        text: As written. tactic: The innermost tactic around it by its first word, ``term`` outside
            of all tactics.
        place: Where it stands in an argument of a tactic that takes a list of them: the list and
            the item.
    """

    text: str
    span: Span
    tactic: str
    place: tuple[int, int] | None


class DeclarationUsage(Facts):
    """How often a declaration mentions each constant.

    Attributes:
        statement: Occurrences in its type.
        value: Occurrences in its body or proof term, with what Lean split off looked through; a
            part that is one object in memory counts once.
    """

    name: str
    statement: Counts
    value: Counts


class CommandUsage(Facts):
    """A command that declares something.

    Attributes:
        mentions: In the order of the text. lists: The items of each list of arguments.
    """

    span: Span
    declarations: tuple[DeclarationUsage, ...]
    mentions: tuple[Mention, ...]
    lists: tuple[tuple[Span, ...], ...]


class ModuleUsage(Facts):
    """The commands of a module body that declare something.

    Attributes:
        failed: Whether the module has errors.
        handle: Number of the module in the session's process. generation: Which process that is.
    """

    commands: tuple[CommandUsage, ...]
    failed: bool
    handle: int = Field(repr=False)
    generation: int = Field(repr=False)


class Attempt(Facts):
    """What came of another text for a command.

    Attributes:
        accepted: Whether Lean took it, without errors and without ``sorry``.
        premises: Constants that the bodies of what it declared mention.
    """

    accepted: bool
    premises: tuple[str, ...]
