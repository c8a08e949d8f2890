"""Is everything in the library still true, and are its files, its database and its history one?

Nothing is believed: every lemma is proved again, its module is elaborated as it lies on the disk,
and both are compared with the database and its audit chain.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from engine.library.adoption import Trials, base_environment, compile_fault
from engine.library.contents import Contents
from engine.library.files import read_if_there
from engine.library.findings import finding
from engine.library.library import Library
from engine.library.records import Adoption, CheckReport, Finding
from engine.library.soundness import Trial, anonymous, is_auxiliary, prove_again, soundness_fault
from verifier.audit import first_error
from verifier.errors import InputError
from verifier.lean import Declaration, Environment, Lean
from verifier.progress import Progress, SilentProgress
from verifier.toolchain.embedded.process import SessionLost
from verifier.verifier import Verifier


@dataclass(frozen=True)
class Examination:
    """A check with the trials that it rests on, in an order in which the lemmas compile."""

    report: CheckReport
    trials: tuple[Trial, ...]

    @property
    def failed(self) -> dict[str, str]:
        """The lemmas that Lean rejects, by node, with the reason. Undetermined ones are not."""
        return {t.node.id: t.fault for t in self.trials if not (t.holds or t.undetermined)}


def check_library(
    library: Library,
    verifier: Verifier,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
    known: Iterable[Finding] = (),
) -> CheckReport:
    """Checks a library from the ground up; writes nothing. See :func:`examine`.

    Returns:
        What is wrong; ``ok`` if nothing is.
    """
    return examine(library, verifier, progress, clock, known).report


def examine(
    library: Library,
    verifier: Verifier,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
    known: Iterable[Finding] = (),
) -> Examination:
    """Proves every lemma again, and compares files, database and history; writes nothing.

    Args:
        library: Opened with ``lenient=True``, so that nothing is mended or refused before.
        verifier: Proves the lemmas.
        progress: Watches.
        known: What was found before, about the installation.
        clock: Seconds, for the report.
    """
    started, progress = clock(), progress or SilentProgress()
    progress.stage("Comparing files and database", None)
    findings = [*known, *library.package.compare()]
    trials: Trials = {}
    doubtful: set[str] = set()
    for adoption in library.contents.adoptions.values():
        findings += _check_module(library, adoption, trials, verifier, progress, doubtful)
    findings += _duplicates(trials)
    progress.done()
    report = CheckReport(
        toolchain=str(verifier.lean.toolchain),
        kernels=verifier.kernels,
        modules=len(trials),
        proved=sum(trial.holds for of_module in trials.values() for trial in of_module),
        findings=tuple(dict.fromkeys(findings)),
        seconds=clock() - started,
    )
    return Examination(report, tuple(t for of_module in trials.values() for t in of_module))


def _check_module(
    library: Library,
    adoption: Adoption,
    trials: Trials,
    verifier: Verifier,
    progress: Progress,
    doubtful: set[str],
) -> Iterator[Finding]:
    records = library.store.lemmas(adoption.module)
    lemmas = [(library.store.node(r.node), r.text) for r in records]
    progress.stage(f"Proving {len(lemmas)} lemmas about {adoption.theory}", len(lemmas))
    base = base_environment(library.store, library.contents, adoption, trials)
    of_module = trials[adoption.module] = []
    if fault := compile_fault(base, verifier.lean):
        yield finding("snapshot_fails", adoption.theory, fault)
        return
    for trial, _ in prove_again(base, adoption, lemmas, verifier, progress, doubtful):
        of_module.append(trial)
        if not trial.holds:
            yield _failure(trial)
    text = read_if_there(library.package.path_of(adoption.module))
    if text is not None:
        yield from _check_text(text, library.contents, adoption, base, of_module, verifier.lean)


def _failure(trial: Trial) -> Finding:
    code = "lemma_undetermined" if trial.undetermined else "lemma_fails"
    return finding(code, trial.node.id, trial.fault)


def _check_text(
    text: str,
    contents: Contents,
    adoption: Adoption,
    base: Environment,
    trials: list[Trial],
    lean: Lean,
) -> Iterator[Finding]:
    """Elaborates a module as it lies on the disk, and holds it against the database."""
    try:
        header = lean.header(text)
        extension = lean.extend(base, text, header.body_start)
        names = [d.name for d in extension.declarations]
        found = lean.declarations(extension.environment, names)
    except (SessionLost, InputError) as failure:
        yield finding("module_fails", adoption.module, failure.message)
        return
    if [m for m in header.imports if m != "Init"] != contents.imports(adoption):
        yield finding("module_fails", adoption.module, f"it imports {', '.join(header.imports)}")
    if error := first_error(extension.messages):
        yield finding("module_fails", f"{adoption.module}:{error.line}", error.text)
    for refused in extension.refused:
        yield finding("unsound", adoption.module, f"the kernel refuses {refused}")
    expected = {trial.node.name or "": trial for trial in trials}
    written = {d.name: d for d in found if d is not None and not is_auxiliary(d)}
    for name, declaration in written.items():
        yield from _check_declaration(name, declaration, expected.get(name))
    for name, trial in expected.items():
        if name not in written:
            yield finding("lemma_missing", trial.node.id, f"{adoption.module} does not declare it")


def _check_declaration(
    name: str, declaration: Declaration, trial: Trial | None
) -> Iterator[Finding]:
    """What a module declares must be a sound theorem that the database knows."""
    fault = soundness_fault(declaration)
    if declaration.kind != "theorem":
        yield finding("not_a_theorem", name, fault)
    elif fault:
        yield finding("unsound", name, fault)
    elif trial is None:
        yield finding("lemma_unknown", name, "it is in the module and not in the database")
    elif trial.type is not None and anonymous(declaration.type) != anonymous(trial.type):
        yield finding("statement_differs", name, "the module states something else")


def _duplicates(trials: Trials) -> Iterator[Finding]:
    """Lemmas that say the same up to the names of their variables."""
    first: dict[tuple[str, ...], str] = {}
    for trial in (t for of_module in trials.values() for t in of_module if t.type is not None):
        earlier = first.setdefault(anonymous(trial.type), trial.node.id)
        if earlier != trial.node.id:
            yield finding("duplicate_statement", trial.node.id, f"it says the same as {earlier}")
