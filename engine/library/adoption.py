"""What becomes of lemmas when the theory that they are about is another than it was."""

from __future__ import annotations

from collections.abc import Sequence

from engine.library.contents import Contents
from engine.library.records import Adoption, AdoptionReport
from engine.library.render import lemma_commands
from engine.library.soundness import Trial, prove_again
from engine.model import Label, MethodNode
from engine.store import Store
from verifier.audit import first_error
from verifier.errors import InputError
from verifier.lean import Environment, Lean
from verifier.progress import Progress
from verifier.toolchain.embedded.process import SessionLost
from verifier.verifier import Verifier

Trials = dict[str, list[Trial]]
"""By library module, in an order in which they compile."""


def try_again(
    store: Store,
    future: Contents,
    affected: Sequence[Adoption],
    verifier: Verifier,
    progress: Progress,
) -> Trials:
    """Proves all lemmas about changed theories again, on the theories as they will be.

    Verified lemmas come in their order, then those that were retracted earlier. Nothing is
    written.
    """
    trials: Trials = {}
    for adoption in affected:
        lemmas = _lemmas(store, adoption)
        progress.stage(f"Proving the lemmas about {adoption.theory} again", len(lemmas))
        base = base_environment(store, future, adoption, trials)
        if fault := compile_fault(base, verifier.lean):
            trials[adoption.module] = [Trial(n, t, f"the theory fails: {fault}") for n, t in lemmas]
        else:
            again = prove_again(base, adoption, lemmas, verifier, progress)
            trials[adoption.module] = [trial for trial, _ in again]
    return trials


def record_trials(store: Store, by_module: Trials) -> AdoptionReport:
    """Retracts what fell, with all that uses it, and brings back what holds; in a transaction."""
    trials = [trial for of_module in by_module.values() for trial in of_module]
    before = {t.node.id for t in trials if t.node.label is Label.VERIFIED}
    for trial in trials:
        if not trial.holds and store.node(trial.node.id).label is Label.VERIFIED:
            store.retract(trial.node.id, f"not proved again: {trial.fault}")
    kept: list[str] = []
    restored: list[str] = []
    fallen: list[tuple[str, str]] = []
    for trial in trials:
        name = trial.node.name or trial.node.id
        fault = trial.fault or bring_back(store, trial)
        if not fault:
            (kept if trial.node.id in before else restored).append(name)
        elif trial.node.id in before:
            fallen.append((name, fault))
    return AdoptionReport(kept=tuple(kept), restored=tuple(restored), retracted=tuple(fallen))


def _lemmas(store: Store, adoption: Adoption) -> list[tuple[MethodNode, str]]:
    every = store.lemmas(adoption.module, retracted=True)
    every.sort(key=lambda lemma: (lemma.label is not Label.VERIFIED, lemma.ordinal))
    return [(store.node(lemma.node), lemma.text) for lemma in every]


def base_environment(
    store: Store, future: Contents, adoption: Adoption, trials: Trials
) -> Environment:
    """The theory with the lemmas about what it imports, as far as they hold."""
    environment = future.theory_environment(adoption.theory)
    for other in future.imported(adoption):
        if other.module in trials:
            texts = [t.text for t in trials[other.module] if t.holds]
        else:
            texts = [lemma.text for lemma in store.lemmas(other.module)]
        for text in texts:
            commands = lemma_commands(other.context, other.namespace, text)
            environment = environment.extended(commands)
    return environment


def compile_fault(environment: Environment, lean: Lean) -> str:
    """Lean's first error in the links of an environment, or an empty string."""
    for link in environment.chain():
        if link.parent is None:
            continue
        try:
            error = first_error(lean.extend(link.parent, link.text, link.start).messages)
        except (SessionLost, InputError) as lost:
            return lost.message
        if error:
            return error.text
    return ""


def bring_back(store: Store, trial: Trial) -> str:
    """Makes a lemma that holds verified again where it is not; why that fails, or nothing.

    Its proof and its text are those of the trial.
    """
    node = store.node(trial.node.id)
    if node.label is Label.VERIFIED or trial.verdict is None:
        return ""
    fields = {
        "label": Label.VERIFIED,
        "version": node.version + 1,
        "proof": trial.node.proof,
        "axioms": trial.verdict.axioms,
        "premises": trial.verdict.premises,
        "toolchain": trial.verdict.toolchain,
        "kernels": trial.verdict.kernels,
        "assumed": trial.verdict.assumed,
    }
    try:
        store.append_lemma(node.model_copy(update=fields), (), trial.text)
    except InputError as error:
        return error.message
    return ""
