"""Where the published benchmarks lie: they are read where they are, and no part of Lemmata."""

from __future__ import annotations

import os
from pathlib import Path

from verifier.errors import InputError

VARIABLE = "LEMMATA_BENCHMARKS"
BESIDE = Path("shared", "benchmarks")


def benchmark_folder(name: str) -> Path:
    """The folder of a benchmark, such as ``quickspec``.

    It is looked for in the folder that ``LEMMATA_BENCHMARKS`` names; without that variable in
    ``shared/benchmarks`` of the current folder and of those above it.

    Raises:
        InputError: It is not there.
    """
    named = os.environ.get(VARIABLE)
    here = Path.cwd()
    roots = [Path(named)] if named else [above / BESIDE for above in (here, *here.parents)]
    for root in roots:
        if (root / name).is_dir():
            return root / name
    looked = str(roots[0]) if named else f"{BESIDE} of the current folder or of one above it"
    raise InputError(
        f"the benchmark {name} is not there: looked in {looked}",
        f"Put it into a folder and set {VARIABLE} to that folder.",
    )
