"""What the benchmarks of discovery share: their sessions, and the choice of theories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from engine.evaluation.discovery_run import Workshop
    from verifier.progress import Progress


@contextmanager
def open_workshop(jobs: int, progress: Progress) -> Iterator[Workshop]:
    """Warm sessions and kernels as the user's settings want them, closed afterwards.

    Args:
        jobs: Provers in parallel; 0 means one a core.
        progress: Told of what takes long.
    """
    from engine.evaluation.discovery_run import Workshop
    from engine.kernels import second_kernel
    from engine.settings import load_settings
    from verifier.pool import cores
    from verifier.toolchain.embedded.install import ensure_installed

    settings = load_settings()
    lean = ensure_installed(progress)
    second = second_kernel(settings, lean, progress)
    workshop = Workshop(lean, settings, second, jobs or cores())
    try:
        progress.stage("starting Lean", None)
        workshop.warm_up()
        yield workshop
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
