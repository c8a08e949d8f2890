"""Proves a few lemmas of a library again, those first that were not looked at for longest.

A long run calls it now and then: what a full check does at once is spread over time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from engine.library.adoption import base_environment
from engine.library.library import Library
from engine.library.records import Adoption, library_module
from engine.library.render import lemma_commands
from engine.library.soundness import Trial, prove_one_again
from engine.store import LemmaRecord, Store
from verifier.lean import Environment
from verifier.verdict import Outcome
from verifier.verifier import Verifier


@dataclass(frozen=True)
class Reverification:
    """What a look at some lemmas has shown.

    Attributes:
        trials: One for each lemma that was proved again or was not.
        seconds: Wall-clock time of all.
    """

    trials: tuple[Trial, ...]
    seconds: float

    @property
    def failed(self) -> dict[str, str]:
        """The lemmas that Lean rejects, by node, for :func:`.retraction.retract_failed`."""
        return {t.node.id: t.fault for t in self.trials if not (t.holds or t.undetermined)}


def reverify_some(
    library: Library,
    verifier: Verifier,
    count: int,
    theory: str | None = None,
    names: Collection[str] = (),
    stop: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
) -> Reverification:
    """Proves the lemmas again that are due, and notes when; nothing is retracted.

    Where one fails, the lemmas that its proof uses are proved again too, since it may fail for
    one of them: so the failed ones include their own cause.

    Args:
        library: Open for writing.
        verifier: Proves them.
        count: At most so many, the longest unseen first.
        theory: Only lemmas about this module.
        names: Full names of lemmas to look at, due or not, instead of those that are due: of two
            that contradict each other, say.
        stop: Asked between lemmas; ``True`` ends it early.
        clock: Seconds.
    """
    started = clock()
    module = None if theory is None else library_module(theory)
    due = library.store.due_for_recheck(count, module)
    if names:
        due = [record for record in library.store.lemmas() if record.name in names][:count]
    due.sort(key=lambda record: (record.module, record.ordinal))
    trials: dict[str, Trial] = {}
    while due and not stop():
        record = due.pop(0)
        trials[record.name] = trial = _proved_again(library, record, verifier, clock)
        if not trial.holds:
            due[:0] = _premises(library, trial, trials)
    found = tuple(_in_doubt(trial, trials) for trial in trials.values())
    return Reverification(found, clock() - started)


def note_trials(store: Store, trials: tuple[Trial, ...], toolchain: str) -> None:
    """Notes in a store when lemmas were proved again, as after a check of all."""
    for trial in trials:
        seconds = trial.verdict.seconds if trial.verdict else 0.0
        store.note_recheck(trial.node, _outcome(trial), toolchain, seconds)


def _premises(library: Library, trial: Trial, known: Mapping[str, Trial]) -> list[LemmaRecord]:
    """The lemmas that a proof uses, as far as they were not tried yet."""
    wanted = set(trial.node.premises) - set(known)
    return [record for record in library.store.lemmas() if record.name in wanted]


def _in_doubt(trial: Trial, trials: Mapping[str, Trial]) -> Trial:
    """A trial that fails is undetermined if one that its proof uses is, at any depth."""
    pending, seen = [trial], {trial.node.id}
    while pending and not trial.holds and not trial.undetermined:
        used = [trials[p] for p in pending.pop().node.premises if p in trials]
        if doubtful := [t for t in used if t.undetermined]:
            fault = f"it rests on {doubtful[0].node.name}: undetermined"
            return replace(trial, fault=fault, undetermined=True)
        pending += [t for t in used if t.node.id not in seen]
        seen |= {t.node.id for t in used}
    return trial


def _proved_again(
    library: Library, record: LemmaRecord, verifier: Verifier, clock: Callable[[], float]
) -> Trial:
    started = clock()
    adoption = library.contents.adoption_of(record.module)
    environment = _before(library, adoption, record)
    node = library.store.node(record.node)
    trial, _ = prove_one_again(environment, adoption, node, record.text, verifier)
    toolchain = str(verifier.lean.toolchain)
    library.store.note_recheck(node, _outcome(trial), toolchain, clock() - started)
    return trial


def _before(library: Library, adoption: Adoption, record: LemmaRecord) -> Environment:
    """The environment in which a lemma was proved: the theory and the lemmas before it."""
    environment = base_environment(library.store, library.contents, adoption, {})
    for other in library.store.lemmas(adoption.module):
        if other.ordinal < record.ordinal:
            commands = lemma_commands(adoption.context, adoption.namespace, other.text)
            environment = environment.extended(commands)
    return environment


def _outcome(trial: Trial) -> Outcome:
    if trial.holds:
        return Outcome.VERIFIED
    return Outcome.UNDETERMINED if trial.undetermined else Outcome.REJECTED
