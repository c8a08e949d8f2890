"""``lemmata prove``: proofs for statements that are there already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.discover import seconds_of

if TYPE_CHECKING:
    from engine.cli.prove_live import LiveBatch
    from engine.proving.batch import BatchReport, Budget
    from engine.proving.source import Source, Unreadable
    from engine.workers import ProverPool
    from verifier.toolchain.embedded.layout import EmbeddedLean

ANSWERS = "answers.sqlite"


def prove(
    inputs: Annotated[
        list[Path],
        typer.Argument(help="Lean files or folders, .jsonl files, TIP .smt2 problems."),
    ],
    budget: Annotated[str, typer.Option(help="Time for the whole run: 90s, 5m, 1h.")] = "10m",
    per_statement: Annotated[str, typer.Option(help="Time for each statement.")] = "10s",
    jobs: Annotated[int, typer.Option(min=0, help="Provers; 0 means one a core.")] = 0,
    out: Annotated[Path, typer.Option(help="Where results and filled copies go.")] = Path("proved"),
    in_place: Annotated[bool, typer.Option("--in-place", help="Fill the files given.")] = False,
    patch: Annotated[bool, typer.Option("--patch", help="Write a patch, no copies.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget earlier runs.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Prove what is left open with `sorry`, and statements from JSON lines or TIP problems.

    Every statement gets a label. Nothing but the proofs changes in a file. What is settled is on
    disk at once: the same command goes on where an interrupted one ended.
    """
    if in_place and patch:
        raise typer.BadParameter("choose one of --in-place and --patch")
    limits = (seconds_of(per_statement), seconds_of(budget))
    report = _run(inputs, limits, jobs, out, fresh, quiet=json)
    written = _write(report, out, in_place, patch)
    _print(report, written, json)
    _leave(report, json)


def _leave(report: BatchReport, json: bool) -> None:
    """Ends with an exit code other than 0 when the run was interrupted, or had nothing to read."""
    from verifier.errors import ExitCode

    if report.interrupted:
        if not json:
            typer.echo("interrupted: the same command goes on from here", err=True)
        raise typer.Exit(ExitCode.INTERRUPTED)
    if report.results and all(r.label == "error" for r in report.results):
        raise typer.Exit(ExitCode.INPUT)


def _run(
    inputs: Sequence[Path],
    limits: tuple[float, float],
    jobs: int,
    out: Path,
    fresh: bool,
    quiet: bool,
) -> BatchReport:
    from engine.cli.progress import terminal_progress
    from engine.cli.prove_live import LiveBatch
    from engine.kernels import second_kernel
    from engine.proving.batch import Budget
    from engine.settings import load_settings
    from engine.workers import ProverPool
    from verifier.answers import Answers
    from verifier.pool import cores
    from verifier.session import Session
    from verifier.toolchain.embedded.install import ensure_installed
    from verifier.toolchain.embedded.layout import cache_root

    _check(inputs)  # a wrong path is reported before anything is installed
    settings = load_settings()
    lean = ensure_installed(terminal_progress())
    sources = [source for path in inputs for source in _sources(path, lean, out)]
    second = second_kernel(settings, lean, terminal_progress())
    kernels = f"{lean.lean_version}+{lean.commit} {second.toolchain if second else ''}"
    answers = None if fresh else Answers(cache_root().parent / ANSWERS)
    pool = ProverPool(lambda: Session(lean), jobs or cores(), second, answers)
    try:
        with LiveBatch(quiet=quiet, budget=limits[1]) as live:
            return _batch(sources, pool, Budget(*limits), out, fresh, kernels, live)
    finally:
        pool.close()
        for each in (second, answers):
            if each is not None:
                each.close()


def _batch(
    sources: Sequence[Source | Unreadable],
    pool: ProverPool,
    budget: Budget,
    out: Path,
    fresh: bool,
    kernels: str,
    live: LiveBatch,
) -> BatchReport:
    from engine.proving.batch import Batch, Event
    from engine.proving.output import JOURNAL, ResultsFile
    from engine.proving.resume import Journal

    with Journal(out / JOURNAL, fresh) as journal:
        results = ResultsFile(out)

        def notify(event: Event) -> None:
            if event.result is not None:
                results.add(event.result)
            live.event(event)

        report = Batch(pool, sources, budget, journal, kernels, notify).run()
        results.finish(report.results)
        return report


def _check(inputs: Sequence[Path]) -> None:
    from verifier.errors import InputError

    for path in inputs:
        if not path.exists():
            raise InputError(f"there is no file {path}", "Check the path.")
        if path.is_file() and path.suffix not in (".lean", ".jsonl", ".smt2"):
            raise InputError(f"{path} is none of .lean, .jsonl, .smt2")


def _sources(path: Path, lean: EmbeddedLean, out: Path) -> Iterator[Source | Unreadable]:
    """The sources in a file or below a folder."""
    from engine.proving.inputs.jsonl import read_lines
    from engine.proving.inputs.lean_file import LeanFile, lean_files
    from engine.proving.inputs.tip.problem import TipFile

    if path.is_dir():
        for file in lean_files(path, out):
            yield LeanFile(file, path, lean.has_module)
        for file in sorted(path.rglob("*.smt2")):
            yield TipFile(file)
    elif path.suffix == ".lean":
        yield LeanFile(path, path.parent, lean.has_module)
    elif path.suffix == ".smt2":
        yield TipFile(path)
    else:
        yield from read_lines(path, lean.has_module)


def _write(report: BatchReport, out: Path, in_place: bool, patch: bool) -> list[str]:
    """Writes copies, the files themselves or a patch; an interrupted run writes results only."""
    from engine.proving import output

    written = [out / output.RESULTS]
    if not report.interrupted:
        if patch:
            written.append(output.patch(report.outcomes, out))
        elif in_place:
            written += output.in_place(report.outcomes)
        else:
            written += output.copies(report.outcomes, out)
    return [str(path) for path in written]


def _print(report: BatchReport, written: Sequence[str], json: bool) -> None:
    from engine.proving.report import as_json, print_report

    if json:
        typer.echo(as_json(report, written))
    else:
        print_report(report, written)
