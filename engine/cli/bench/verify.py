"""``lemmata bench verify``: verdicts, the second kernel, mutants, a mixture, the pool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from engine.evaluation import verify_bench


def verify(
    count: Annotated[
        int, typer.Option(min=0, help="Candidates for the pool, and for the `lean` command.")
    ] = 500,
    mixed: Annotated[int, typer.Option(min=0, help="Candidates of the mixture.")] = 2000,
    mutants: Annotated[int, typer.Option(min=0, help="Mutants of exported proofs.")] = 1000,
    processes: Annotated[int, typer.Option(min=1, help="Candidates with a process each.")] = 5,
    workers: Annotated[int, typer.Option(min=0, help="Workers; 0 means one a core.")] = 0,
    project: Annotated[Path, typer.Option(help="The seed theories.")] = Path("lean_project"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure verdicts: the second kernel, mutants, a mixture, the pool, the `lean` command.

    A part with the number 0 is left out.
    """
    figures = _measure(count, mixed, mutants, processes, workers, project)
    if json:
        import orjson

        from engine.evaluation.verify_bench import as_dict

        text = {name: as_dict(part) for name, part in figures.items()}
        typer.echo(orjson.dumps(text, option=orjson.OPT_INDENT_2).decode())
        return
    _print_parts(figures)


def _measure(
    count: int, mixed: int, mutants: int, processes: int, workers: int, project: Path
) -> dict[str, Any]:
    from engine.cli.progress import terminal_progress
    from engine.evaluation import verify_bench as bench
    from engine.kernels import second_kernel
    from engine.settings import load_settings
    from verifier.pool import cores
    from verifier.session import Session
    from verifier.toolchain.embedded.commands.scripts import ensure_commands
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.toolchain.native.discovery import discover
    from verifier.toolchain.native.lean import NativeLean

    progress = terminal_progress()
    lean = ensure_installed(progress)
    second = second_kernel(load_settings(), lean, progress)
    found: dict[str, Any] = {}
    try:
        with Session(lean) as session:
            session.warm_up()
            if second is not None:
                found["replay"], proved = bench.measure_replay(
                    lean, session, second, project, progress
                )
                if mutants:
                    found["mutants"] = bench.measure_mutants(
                        proved, session, second, mutants, progress
                    )
            if count:
                command = NativeLean(discover(Path(), str(ensure_commands() / "lean")))
                found["command"] = bench.measure_command(
                    session, command, count, processes, progress
                )
        if count:
            found["pool"] = bench.measure_pool(
                lambda: Session(lean), second, count, workers or cores(), progress
            )
        if mixed:
            found["mixture"] = bench.measure_mixture(
                lambda: Session(lean), second, mixed, workers or cores(), progress
            )
    finally:
        if second is not None:
            second.close()
    return found


def _print_parts(figures: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    for name, part in figures.items():
        table = Table(title=TITLES[name], title_justify="left", show_header=False)
        table.add_column()
        table.add_column(justify="right")
        for row in ROWS[name](part):
            table.add_row(*row)
        console.print(table)
        for line in getattr(part, "wrong", ()) or getattr(part, "different", ()):
            console.print(f"  {line}")


def _replay_rows(f: verify_bench.ReplayFigures) -> list[tuple[str, str]]:
    return [
        ("theorems", str(f.theorems)),
        ("accepted by both kernels", str(f.accepted)),
        ("a verdict with the first kernel, median", f"{f.first:.1f} ms"),
        ("export for the second, median", f"{f.export:.1f} ms"),
        ("replay in the second, median", f"{f.replay:.1f} ms"),
        ("  slowest", f"{f.slowest:.1f} ms"),
        ("lines of an export, median", f"{f.lines:.0f}"),
    ]


def _mutant_rows(f: verify_bench.MutantFigures) -> list[tuple[str, str]]:
    harmless = [(f"  still the same: {kind}", str(n)) for kind, n in f.harmless.items()]
    return [
        ("mutants", str(f.mutants)),
        ("refused", str(f.refused)),
        ("accepted as proofs of the same statement", str(sum(f.harmless.values()))),
        *harmless,
        ("processes lost", str(f.lost)),
    ]


def _command_rows(f: verify_bench.CommandFigures) -> list[tuple[str, str]]:
    return [
        ("candidates", str(f.candidates)),
        ("with the same verdict", str(f.same)),
        ("warm session, a second", f"{f.session:.1f}"),
        ("`lean` command in batches, a second", f"{f.command:.1f}"),
        ("a process for each, median", f"{f.process_each:.1f} s"),
        ("batches are faster by", f"{f.ratio:.0f} times"),
    ]


def _pool_rows(f: verify_bench.PoolFigures) -> list[tuple[str, str]]:
    return [
        ("candidates", str(f.candidates)),
        ("one worker, a second", f"{f.one:.1f}"),
        (f"{f.workers} workers, a second", f"{f.many:.1f}"),
        ("ratio", f"{f.ratio:.2f}"),
    ]


def _mixture_rows(f: verify_bench.MixtureFigures) -> list[tuple[str, str]]:
    kinds = [(f"  {kind}", str(n)) for kind, n in sorted(f.kinds.items())]
    return [
        ("candidates", str(f.candidates)),
        *kinds,
        (f"time with {f.workers} workers", f"{f.seconds:.0f} s"),
        ("wrong outcomes", str(len(f.wrong))),
        ("largest memory, children included", f"{f.peak_bytes / 2**30:.1f} GiB"),
        ("processes left", str(f.left)),
    ]


TITLES = {
    "replay": "A second kernel",
    "mutants": "Mutants of exported proofs",
    "command": "Session and `lean` command",
    "pool": "A pool of sessions",
    "mixture": "A mixture of candidates",
}
ROWS: dict[str, Callable[[Any], list[tuple[str, str]]]] = {
    "replay": _replay_rows,
    "mutants": _mutant_rows,
    "command": _command_rows,
    "pool": _pool_rows,
    "mixture": _mixture_rows,
}
