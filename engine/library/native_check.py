"""Proves a library again in the user's own Lean.

A native Lean works a file at a time. So each module goes to it whole, and then every lemma is asked
for by name: its statement as the database has it, proved by nothing but the lemma itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from engine.library.adoption import base_environment
from engine.library.findings import finding
from engine.library.library import Library
from engine.library.records import Adoption, CheckReport, Finding
from engine.library.render import lemma_commands
from engine.library.soundness import PROOF_SECONDS
from engine.model import MethodNode
from verifier.batch import Candidate, check_many
from verifier.lean import Lean, Statement
from verifier.progress import Progress, SilentProgress
from verifier.verdict import Outcome

AGAIN = "checked_again_"


def check_natively(
    library: Library,
    native: Lean,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> CheckReport:
    """Elaborates each module in a native Lean and audits each of its lemmas; writes nothing.

    Args:
        library: Opened with ``lenient=True``.
        native: The user's Lean, :class:`verifier.toolchain.native.lean.NativeLean`.
        progress: Watches.
        clock: Seconds, for the report.

    Raises:
        ToolchainError: The native Lean cannot be asked.
    """
    started, progress = clock(), progress or SilentProgress()
    findings: list[Finding] = library.package.compare()
    proved = 0
    adoptions = list(library.contents.adoptions.values())
    for adoption in adoptions:
        nodes = [library.store.node(r.node) for r in library.store.lemmas(adoption.module)]
        progress.stage(f"Proving {len(nodes)} lemmas about {adoption.theory}", None)
        wrong = list(_check_module(library, adoption, nodes, native)) if nodes else []
        proved += len(nodes) - len(wrong)
        findings += wrong
    progress.done()
    toolchain = str(native.toolchain)
    return CheckReport(
        toolchain=toolchain,
        kernels=(toolchain,),
        modules=len(adoptions),
        proved=proved,
        findings=tuple(dict.fromkeys(findings)),
        seconds=clock() - started,
    )


def _check_module(
    library: Library, adoption: Adoption, nodes: list[MethodNode], native: Lean
) -> Iterator[Finding]:
    environment = base_environment(library.store, library.contents, adoption, {})
    for record in library.store.lemmas(adoption.module):
        commands = lemma_commands(adoption.context, adoption.namespace, record.text)
        environment = environment.extended(commands)
    candidates = []
    for number, node in enumerate(nodes):
        statement = Statement(environment, f"{AGAIN}{number}", node.statement, adoption.context)
        proof = f"by first | exact {node.name} .. | (apply {node.name} <;> assumption)"
        candidates.append(Candidate(statement, proof, PROOF_SECONDS))
    for node, verdict in zip(nodes, check_many(native, candidates), strict=True):
        if not verdict.verified:
            undetermined = verdict.outcome is Outcome.UNDETERMINED
            code = "lemma_undetermined" if undetermined else "lemma_fails"
            yield finding(code, node.id, f"{verdict.reason}: {verdict.message}".strip(": "))
