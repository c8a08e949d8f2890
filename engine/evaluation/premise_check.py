"""Runs proofs of the premise data again: are they verified, with the premises of the file?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.evaluation.premises import PremiseLemma, sorted_premises
from engine.model import MethodNode
from verifier.progress import Progress, SilentProgress
from verifier.verifier import Verifier


@dataclass(frozen=True)
class RecheckFigures:
    """What running proofs again showed.

    Attributes:
        proofs: Run. verified: Accepted by the verifier. same: Of those, with the same premises.
        different: A line for each of the others.
    """

    proofs: int
    verified: int
    same: int
    different: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def recheck(
    verifier: Verifier,
    lemmas: Sequence[PremiseLemma],
    nodes: Sequence[MethodNode],
    progress: Progress | None = None,
) -> RecheckFigures:
    """Checks proofs once more.

    Args:
        verifier: Gives the verdicts.
        lemmas: With their proofs and premises.
        nodes: The library, which says what a constant of a proof term is.
        progress: Told of each proof.
    """
    progress = progress or SilentProgress()
    progress.stage("proofs run again", len(lemmas))
    named = {node.name: node for node in nodes if node.name}
    verified, different = 0, []
    for lemma in lemmas:
        verdict = verifier.check(lemma.statement, lemma.proof)
        verified += verdict.verified
        if not verdict.verified:
            different.append(f"{lemma.name}: {verdict.reason} {verdict.message}")
        elif (found := sorted_premises(verdict.premises, named)[0]) != lemma.premises:
            changed = sorted(set(found) ^ set(lemma.premises))
            different.append(f"{lemma.name}: other premises: {', '.join(changed)}")
        progress.advance(1)
    progress.done()
    same = len(lemmas) - len(different)
    return RecheckFigures(len(lemmas), verified, same, tuple(different))
