"""What the benchmarks of discovery share: options, sessions, and the choice of theories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.evaluation.discovery_run import Bench

QuickSpecTheories = Annotated[
    list[str] | None,
    typer.Option(help="Only this theory: Arith, Bools, Lists, ListHOF, Sorted; repeatable."),
]
Budget = Annotated[str, typer.Option(help="Time for each discovery: 90s, 2m.")]
Jobs = Annotated[int, typer.Option(help="Provers in parallel; 0 means one a core.")]


@contextmanager
def open_bench(budget: str, jobs: int) -> Iterator[Bench]:
    """Warm sessions and kernels as the user's settings want them, closed afterwards.

    Args:
        budget: Duration of each discovery, as the user wrote it.
        jobs: Provers in parallel; 0 means one a core.

    Raises:
        BadParameter: The budget is no duration.
    """
    from engine.cli.bench.output import notify
    from engine.cli.discover import seconds_of
    from engine.cli.progress import terminal_progress
    from engine.evaluation.discovery_run import Bench, Workshop
    from engine.kernels import second_kernel
    from engine.settings import load_settings
    from verifier.pool import cores
    from verifier.toolchain.embedded.install import ensure_installed

    seconds, progress, settings = seconds_of(budget), terminal_progress(), load_settings()
    lean = ensure_installed(progress)
    second = second_kernel(settings, lean, progress)
    workshop = Workshop(lean, settings, second, jobs or cores())
    try:
        progress.stage("starting Lean", None)
        workshop.warm_up()
        yield Bench(workshop, seconds, progress, notify)
    finally:
        workshop.close()
        if second is not None:
            second.close()
        progress.done()


def chosen_theories(wanted: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """The theories that the user named, or all, in the benchmark's order.

    Raises:
        BadParameter: One is unknown.
    """
    if unknown := [name for name in wanted or () if name not in known]:
        raise typer.BadParameter(f"no theory {', '.join(unknown)}; there are {', '.join(known)}")
    return [name for name in known if not wanted or name in wanted]
