"""One discovery in a fresh library, as the ``discover`` command makes it, for benchmarks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.discovery import Discovery, RunReport, verified
from engine.evaluation.panel import Panel
from engine.library.library import Library
from engine.settings import Settings
from engine.sources.lean_module import Theory, read_theory
from engine.strategy.operators import OPERATORS, Operator
from engine.trees.statement import statement_key
from engine.workers import ProverPool
from verifier.kernel.second import SecondKernel
from verifier.lean import Environment
from verifier.progress import Progress
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verifier import Verifier


@dataclass(frozen=True)
class FoundLemma:
    """A lemma that a run has verified.

    Attributes:
        name: Full name. statement: Lean signature. key: Canonical statement.
        operator: That drafted it. premises: Constants that its proof uses.
        after: Seconds from the start of the run.
    """

    name: str
    statement: str
    key: str
    operator: str
    premises: tuple[str, ...]
    after: float


@dataclass(frozen=True)
class FinishedRun:
    """What a run left: its lemmas in the order in which they were found, and where they stand.

    Attributes:
        environment: The theory with all lemmas.
        panel: What follows from what in it.
        counts: Of candidates, as the report has them.
    """

    theory: Theory
    environment: Environment
    lemmas: tuple[FoundLemma, ...]
    panel: Panel
    counts: dict[str, int]
    seconds: float
    interrupted: bool


class Workshop:
    """Lean sessions and kernels that all runs of a benchmark share.

    Args:
        lean: The installation.
        settings: Of the runs.
        second: The second kernel of the verdicts.
        jobs: Provers in parallel.
    """

    def __init__(
        self, lean: EmbeddedLean, settings: Settings, second: SecondKernel | None, jobs: int
    ) -> None:
        self.session = Session(lean)
        self.verifier = Verifier(self.session, second)
        self._lean = lean
        self._settings = settings
        self._pool = ProverPool(lambda: Session(lean), jobs, second)

    def warm_up(self) -> None:
        """Starts all sessions, so that no run pays for that."""
        for started in self._pool.warm_up(("Init",)):
            started.result()
        self.session.warm_up()

    def close(self) -> None:
        """Ends the sessions."""
        self._pool.close()
        self.session.close()

    def theory(self, file: Path) -> Theory:
        """Reads a theory."""
        return read_theory(file, self.session, self._lean.has_module)

    @contextmanager
    def run(
        self, theory: Theory, seconds: float, operators: Sequence[Operator] = OPERATORS
    ) -> Iterator[FinishedRun]:
        """Discovers in a theory with an empty library, which is gone after the ``with`` block.

        Args:
            theory: Where to discover.
            seconds: The budget.
            operators: What drafts.
        """
        with (
            tempfile.TemporaryDirectory(prefix="lemmata-") as folder,
            Library.open(Path(folder) / "library") as library,
        ):
            discovery = Discovery(
                theory,
                library,
                self.session,
                self._pool,
                self._settings,
                operators=operators,
            )
            self._pool.resume()
            report = discovery.run(seconds)
            self._pool.stop()  # the searches that the end of the run has overtaken
            yield self._finished(theory, library, report)

    def _finished(self, theory: Theory, library: Library, report: RunReport) -> FinishedRun:
        environment = library.environment(theory, self.session)
        results = verified(report.results)
        nodes = [library.store.node(r.node) for r in results]
        names = [str(node.name) for node in nodes]
        declared = self.session.declarations(environment, names)
        lemmas = [
            FoundLemma(
                name,
                result.statement,
                statement_key(d.type) if d else "",
                result.operator,
                node.premises,
                result.at,
            )
            for name, result, node, d in zip(names, results, nodes, declared, strict=True)
        ]
        panel = Panel(self._pool, environment, theory.context, functions_of(theory))
        return FinishedRun(
            theory,
            environment,
            tuple(sorted(lemmas, key=lambda lemma: lemma.after)),
            panel,
            report.counts,
            report.seconds,
            report.interrupted,
        )


@dataclass(frozen=True)
class Bench:
    """What the runs of a benchmark have in common.

    Attributes:
        workshop: Warm sessions.
        budget: Seconds of each run.
        progress: Told of stages, and of each law and lemma that is scored.
        notify: Told in one line what came of a run, as soon as that is known.
    """

    workshop: Workshop
    budget: float
    progress: Progress
    notify: Callable[[str], None]

    @contextmanager
    def run(
        self, theory: Theory, title: str, operators: Sequence[Operator] = OPERATORS
    ) -> Iterator[FinishedRun]:
        """Discovers in a theory with an empty library, which is gone after the ``with`` block.

        Args:
            theory: Where to discover.
            title: How the user is told of the run.
            operators: What drafts.

        Raises:
            KeyboardInterrupt: The user ended the run.
        """
        self.progress.stage(f"discovering in {title} for {self.budget:.0f} s", None)
        with self.workshop.run(theory, self.budget, operators) as run:
            if run.interrupted:
                raise KeyboardInterrupt
            yield run


def functions_of(theory: Theory) -> list[str]:
    """Full names of the functions that a theory defines."""
    symbols = theory.symbols
    definitions = [e.declaration for e in theory.entries if e.declaration.kind == "definition"]
    return [d.name for d in definitions if d.name in symbols]
