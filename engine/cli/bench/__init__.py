"""``lemmata bench``: what is claimed, measured on this machine. Each command has its own file."""

from __future__ import annotations

import typer

from engine.cli.bench.explore import explore
from engine.cli.bench.hints import hints
from engine.cli.bench.operators import operators
from engine.cli.bench.rediscover import rediscover
from engine.cli.bench.refute import refute
from engine.cli.bench.retrieval import retrieval
from engine.cli.bench.session import session
from engine.cli.bench.verify import verify

bench_app = typer.Typer(help="Measure what is claimed, on this machine.", no_args_is_help=True)
bench_app.command()(session)
bench_app.command()(verify)
bench_app.command()(retrieval)
bench_app.command()(hints)
bench_app.command()(refute)
bench_app.command()(explore)
bench_app.command()(rediscover)
bench_app.command()(operators)


@bench_app.callback()
def _bench() -> None:
    """Measure what is claimed, on this machine."""
