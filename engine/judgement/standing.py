"""How a lemma stands now: its scores, where later events have changed the evidence.

A node keeps the scores that it had when it was written. Three of them go on: its derivation can
break, later proofs can use it, and a re-check can fail. They are found anew whenever somebody
looks, so that they cannot lag behind the store.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.judgement.applicability import Service, served, services
from engine.judgement.derivation import Derivations, consistency
from engine.judgement.rubric import weighted_sum
from engine.model import Label, MethodNode, Score, Scores
from engine.settings import RubricSettings
from engine.store import Store


@dataclass(frozen=True)
class Standing:
    """A node's scores now.

    Attributes:
        scores: ``None`` for what was read and never judged.
        total: The weighted sum S of them, or ``None``.
        service: The later proofs that use it.
    """

    scores: Scores | None
    total: float | None
    service: Service


def standing(store: Store, node: MethodNode, settings: RubricSettings) -> Standing:
    """The scores of a node as the store is now.

    Args:
        store: Open.
        node: One of its nodes.
        settings: The weights.
    """
    nodes = store.nodes()
    service = services(nodes).get(node.id, Service())
    if node.scores is None:
        return Standing(None, None, service)
    chain = Derivations(nodes, store.contributions()).chain_of(node.id)
    scores = node.scores.model_copy(
        update={
            "consistency": consistency(chain),
            "verifiability": _verifiability(node, node.scores.verifiability),
            "applicability": served(node.scores.applicability, service),
        }
    )
    return Standing(scores, weighted_sum(scores, settings), service)


def _verifiability(node: MethodNode, then: Score) -> Score:
    if node.label is Label.RETRACTED:
        return Score(value=0.0, reason="It was proved, and does not hold any more.")
    if node.label is Label.CONJECTURE:
        return Score(value=0.0, reason="Its proof rested on a lemma that was retracted.")
    return then
