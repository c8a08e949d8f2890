"""How the benchmarks tell what they find: the figures at the end, and a line for each part."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Figures(Protocol):
    """What a benchmark has measured."""

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""


F = TypeVar("F", bound=Figures)


def show(figures: F, json: bool, printer: Callable[[F, Console], None]) -> None:
    """Writes figures to standard output.

    Args:
        figures: What was measured.
        json: Whether as JSON.
        printer: Prints them for a reader otherwise.
    """
    if json:
        import orjson

        typer.echo(orjson.dumps(figures.as_dict(), option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    printer(figures, Console(highlight=False, soft_wrap=True))


def notify(line: str) -> None:
    """Writes a line to standard error at once, so that a run that is cut has said something.

    On a terminal it comes above the bars, which catch what goes there meanwhile.
    """
    print(line, file=sys.stderr, flush=True)
