"""Takes what does not hold out of a library, and saves what can be proved without it.

A lemma that fails is retracted. What was proved from it is proved anew, by its own proof or by a
search, without anything that fell; where that fails, it is a conjecture. All of it is planned
before anything is written, and written in one transaction with its audit entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.library.adoption import Trials, base_environment, bring_back
from engine.library.findings import finding, refusal
from engine.library.library import Library, accepted_text
from engine.library.package import DATABASE
from engine.library.records import Adoption
from engine.library.render import Doc, lemma_commands
from engine.library.soundness import Trial, prove_one_again, statement_of
from engine.model import Label, MethodNode
from engine.sources.lean_module import short_name
from engine.store.lemmas import dependants
from verifier.errors import InputError
from verifier.lean import Environment
from verifier.progress import Progress, SilentProgress
from verifier.prover.hints import Hints, Lemma
from verifier.prover.prover import Prover
from verifier.toolchain.embedded.process import SessionLost
from verifier.verifier import Verifier

SEARCH_SECONDS = 5.0
REPROVED = "lemma.reproved"
OWN_PROOF = "its own proof"


@dataclass(frozen=True)
class RetractionReport:
    """What a retraction did, by the names of the lemmas.

    Attributes:
        retracted: Those that did not hold, each with the reason.
        demoted: Those that are conjectures now, each with the reason.
        reproved: Those that are proved without what fell, each with what proved them.
        aside: Files that somebody else had written, under their new names.
    """

    retracted: tuple[tuple[str, str], ...] = ()
    demoted: tuple[tuple[str, str], ...] = ()
    reproved: tuple[tuple[str, str], ...] = ()
    aside: tuple[Path, ...] = ()


@dataclass(frozen=True)
class _Saved:
    """A lemma that rested on what fell and was proved without it."""

    trial: Trial
    how: str


def retract_failed(
    library: Library,
    failed: Mapping[str, str],
    verifier: Verifier,
    seconds: float = SEARCH_SECONDS,
    progress: Progress | None = None,
) -> RetractionReport:
    """Retracts lemmas that do not hold.

    Args:
        library: Open for writing; leniently, if somebody changed it.
        failed: Nodes of lemmas that Lean rejects, with the reasons; never undetermined ones.
        verifier: Proves what is left.
        seconds: Wall-clock limit of the search for each proof that is missing then.
        progress: Watches.

    Raises:
        StorageError: The history of the database was changed, so that it is no measure; or
            something could not be written.
    """
    _require_history(library)
    if not failed:
        return RetractionReport()
    store = library.store
    roots, fallen = _fallen(store.nodes(), failed)
    saved = _save(library, {*roots, *fallen}, fallen, verifier, seconds, progress)
    with library.rewriting() as aside:
        for root in roots:
            store.retract(root, f"not proved again: {failed[root]}")
        lost: dict[str, str] = {}
        reproved: list[tuple[str, str]] = []
        for node_id in fallen:
            name = store.node(node_id).name or node_id
            found = saved.get(node_id)
            fault = bring_back(store, found.trial) if found else "no proof without it was found"
            if found is None or fault:
                lost[node_id] = fault
                continue
            gone = _forget_fallen_parents(library, node_id)
            store.audit(REPROVED, node_id, {"without": gone, "by": found.how})
            reproved.append((name, found.how))
        names = {node.id: node.name or node.id for node in store.nodes()}
    return RetractionReport(
        retracted=tuple((names[root], failed[root]) for root in roots),
        demoted=tuple((names[node_id], reason) for node_id, reason in lost.items()),
        reproved=tuple(reproved),
        aside=tuple(aside),
    )


def _require_history(library: Library) -> None:
    store = library.store
    damage = [finding("database_damaged", DATABASE, p) for p in store.check_integrity()]
    faults = store.verify_chain().faults
    broken = [finding("chain_broken", f"entry {f.seq}", f.problem) for f in faults]
    if found := [*damage, *broken]:
        raise refusal(found)


def _fallen(
    nodes: Sequence[MethodNode], failed: Mapping[str, str]
) -> tuple[list[str], dict[str, None]]:
    """The failed nodes that rest on no other failed one, and all that rests on them."""
    by_id = {node.id: node for node in nodes}
    below = {f: {n.id for n in dependants(by_id[f], nodes)} for f in failed}
    roots = [f for f in failed if not any(f in below[other] for other in failed if other != f)]
    fallen = dict.fromkeys(n for root in roots for n in sorted(below[root]))
    for each in failed:  # two that claim to rest on one another have no root
        if each not in roots and each not in fallen:
            roots.append(each)
            fallen |= dict.fromkeys(sorted(below[each]))
    return roots, {node: None for node in fallen if node not in roots}


def _save(
    library: Library,
    gone: set[str],
    fallen: Mapping[str, None],
    verifier: Verifier,
    seconds: float,
    progress: Progress | None,
) -> dict[str, _Saved]:
    """Proves what rested on the fallen without them, as far as that goes; writes nothing."""
    progress = progress or SilentProgress()
    progress.stage(f"Proving {len(fallen)} lemmas without what fell", len(fallen))
    store, contents = library.store, library.contents
    trials: Trials = {
        adoption.module: [
            Trial(store.node(record.node), record.text)
            for record in store.lemmas(adoption.module)
            if record.node not in gone
        ]
        for adoption in contents.adoptions.values()
    }
    prover = Prover(verifier)
    saved: dict[str, _Saved] = {}
    for adoption in contents.adoptions.values():
        pending = [r for r in store.lemmas(adoption.module) if r.node in fallen]
        if not pending:
            continue
        environment = base_environment(store, contents, adoption, trials)
        for trial in trials[adoption.module]:
            environment = _with_text(environment, adoption, trial.text)
        for record in pending:
            node = store.node(record.node)
            found, environment = _proved_anew(
                library, adoption, node, record.text, environment, prover, verifier, trials, seconds
            )
            progress.advance(1)
            if found is not None:
                saved[node.id] = found
                trials[adoption.module].append(found.trial)
    progress.done()
    return saved


def _with_text(environment: Environment, adoption: Adoption, text: str) -> Environment:
    return environment.extended(lemma_commands(adoption.context, adoption.namespace, text))


def _proved_anew(
    library: Library,
    adoption: Adoption,
    node: MethodNode,
    text: str,
    environment: Environment,
    prover: Prover,
    verifier: Verifier,
    trials: Trials,
    seconds: float,
) -> tuple[_Saved | None, Environment]:
    """A lemma by its own proof, else by a search, where the fallen are not there."""
    trial, after = prove_one_again(environment, adoption, node, text, verifier)
    if trial.holds:
        return _Saved(trial, OWN_PROOF), after
    names = [t.node.name for of_module in trials.values() for t in of_module if t.node.name]
    hints = Hints(lemmas=tuple(Lemma(name) for name in names))
    try:
        found = prover.prove(statement_of(node, adoption, environment), hints, seconds)
        if not found.verdict.verified or found.verdict.vacuous:
            return None, environment
        proved = node.model_copy(update={"proof": found.proof})
        name = short_name(node.name or "", adoption.namespace)
        fresh, after = accepted_text(
            environment, adoption, proved, name, _doc(library, node, trials), verifier.lean
        )
    except (InputError, SessionLost):
        return None, environment
    trial = replace(trial, node=proved, text=fresh, fault="", verdict=found.verdict)
    return _Saved(trial, found.tactic), after


def _doc(library: Library, node: MethodNode, trials: Trials) -> Doc:
    """The docstring of a lemma that was proved anew: without parents that fell."""
    store = library.store
    lemmas = {t.node.id for of_module in trials.values() for t in of_module}
    parents = [store.node(edge.parent) for edge in store.contributions_into(node.id)]
    named = [
        p.name.rpartition(".")[2]
        for p in parents
        if p.name and (store.lemma_of(p.id) is None or p.id in lemmas)
    ]
    return Doc(node.summary, node.operator, tuple(named))


def _forget_fallen_parents(library: Library, node_id: str) -> list[str]:
    """Takes the edges from fallen nodes away; their ids."""
    store = library.store
    gone = [
        edge.parent
        for edge in store.contributions_into(node_id)
        if store.node(edge.parent).label in (Label.RETRACTED, Label.CONJECTURE)
    ]
    for parent in gone:
        store.remove_contribution(parent, node_id)
    return gone
