"""The contributions to a new lemma: what its operator claims, and what its proof really uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.model import Contribution, MethodNode
from engine.sources.usage import Naming, proof_uses
from engine.strategy.operators import Draft, KnownLaw
from engine.trees.evidence import Evidence, EvidenceEdge, Shares, edge
from verifier.lean import Statement
from verifier.prover.prover import ProofResult
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost


@dataclass(frozen=True)
class Uses:
    """Rates contributions by the evidence of statement and proof.

    Attributes:
        naming: Which constants are nodes. shares: How common each node is.
        owners: The node of each constant.
    """

    session: Session
    naming: Naming
    shares: Shares
    owners: Mapping[str, str]

    def edges(
        self,
        node: MethodNode,
        statement: Statement,
        draft: Draft,
        proved: ProofResult,
        lemmas: Sequence[KnownLaw],
    ) -> tuple[Contribution, ...]:
        """The edges into a new node.

        A node that was claimed and is used keeps the larger of both ratings; the evidence says as
        well what a claim says of the statement.
        """
        edges = {
            p.node: Contribution(
                parent=p.node,
                child=node.id,
                rating=p.rating,
                explanation=p.explanation,
                operator=draft.operator,
            )
            for p in draft.parents
        }
        for used in self._used(node, statement, proved, lemmas):
            claim = edges.get(used.parent)
            said = "" if claim is None or used.evidence.in_statement else f"{claim.explanation} "
            edges[used.parent] = Contribution(
                parent=used.parent,
                child=node.id,
                rating=max(used.rating, claim.rating if claim else 1),
                strength=used.strength,
                explanation=f"{said}{used.explanation}",
                operator=draft.operator,
            )
        return tuple(edges.values())

    def _used(
        self,
        node: MethodNode,
        statement: Statement,
        proved: ProofResult,
        lemmas: Sequence[KnownLaw],
    ) -> list[EvidenceEdge]:
        """Edges from the definitions and laws that a new lemma and its proof use."""
        nodes = {**self.owners, **{k.name: k.node for k in lemmas}}
        laws = {k.name: k.name for k in lemmas if k.name not in self.naming.owners}
        naming = Naming({**self.naming.owners, **laws}, {*self.naming.theorems, *laws})
        try:
            uses = proof_uses(self.session, statement, proved.proof, naming)
        except SessionLost:
            uses = dict.fromkeys(proved.verdict.premises, Evidence(in_proof=1))
        return [
            edge(nodes[name], node.id, name, use, self.shares)
            for name, use in uses.items()
            if name in nodes and nodes[name] != node.id
        ]
