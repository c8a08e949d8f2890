"""``lemmata discover``: the main job."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.discovery import RunReport
    from engine.strategy.operators import Operator

USES = "uses"
"""Folder of the evidence that was found in modules, beside the installed Lean."""

DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?")


def seconds_of(text: str) -> float:
    """Seconds of a duration such as ``90s``, ``2m``, ``1h30m`` or ``45``.

    Raises:
        BadParameter: It is no duration, or not positive.
    """
    match = DURATION.fullmatch(text.strip())
    hours, minutes, seconds = match.groups() if match else (None, None, None)
    total = 3600 * float(hours or 0) + 60 * float(minutes or 0) + float(seconds or 0)
    if total <= 0:
        raise typer.BadParameter(f"{text!r} is no duration; write 90s, 2m or 1h30m")
    return total


def discover(
    file: Annotated[Path, typer.Argument(help="The .lean file whose functions to explore.")],
    goal: Annotated[
        str, typer.Option(help="What to look for, in words or as a Lean statement.")
    ] = "",
    budget: Annotated[str, typer.Option(help="Time for discovery: 90s, 5m, 1h.")] = "90s",
    library: Annotated[Path, typer.Option(help="Where verified lemmas go.")] = Path("library"),
    jobs: Annotated[int, typer.Option(help="Provers in parallel; 0 means one a core.")] = 0,
    operators: Annotated[
        str, typer.Option(help="Only these operators, by name with commas; see docs/operators.md.")
    ] = "",
    without: Annotated[str, typer.Option(help="All operators but these, with commas.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Discover, prove and write back lemmas about the functions of a Lean file.

    Progress goes to standard error, the report to standard output. Ctrl-C ends a run early and
    keeps what was verified; another run on the same library goes on from there.
    """
    from engine.strategy.operators import chosen_operators

    seconds = seconds_of(budget)
    chosen = chosen_operators(_names(operators), _names(without))
    report = _run(file, goal, seconds, library, jobs, chosen, quiet=json)
    if json:
        from engine.report.run import as_json

        typer.echo(as_json(report))
    else:
        from engine.report.run import print_report

        print_report(report, library)
    if report.interrupted:
        from verifier.errors import ExitCode

        raise typer.Exit(ExitCode.INTERRUPTED)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _run(
    file: Path,
    goal: str,
    seconds: float,
    folder: Path,
    jobs: int,
    operators: Sequence[Operator],
    quiet: bool,
) -> RunReport:
    from engine.cli.live import LiveRun
    from engine.cli.progress import terminal_progress
    from engine.discovery import Discovery
    from engine.kernels import second_kernel
    from engine.library.library import Library
    from engine.settings import load_settings
    from engine.sources.lean_module import read_theory
    from engine.sources.use_cache import UseCache
    from engine.workers import ProverPool
    from verifier.modules import read_text
    from verifier.pool import cores
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.toolchain.embedded.layout import cache_root

    read_text(file)  # a wrong path is reported before anything is installed
    settings = load_settings()
    lean = ensure_installed(terminal_progress())
    second = second_kernel(settings, lean, terminal_progress())
    with LiveRun(quiet=quiet, budget=seconds) as live, Library.open(folder) as opened:
        pool = ProverPool(lambda: Session(lean), jobs or cores(), second)
        try:
            pool.warm_up(("Init",))
            with Session(lean) as session:
                live.stage(f"reading {file}")
                theory = read_theory(file, session, lean.has_module)
                live.stage(f"discovering in {theory.name}")
                discovery = Discovery(
                    theory,
                    opened,
                    session,
                    pool,
                    settings,
                    goal,
                    notify=live.fate,
                    use_cache=UseCache(cache_root().parent / USES),
                    operators=operators,
                )
                return discovery.run(seconds)
        finally:
            pool.close()
            if second is not None:
                second.close()
