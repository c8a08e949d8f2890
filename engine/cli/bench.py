"""``lemmata bench``."""

import typer

bench_app = typer.Typer(help="Measure.", no_args_is_help=True)


@bench_app.callback()
def _bench() -> None:
    """Measure."""
