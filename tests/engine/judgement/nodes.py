"""Small nodes, edges and a store, for tests of judgement."""

from __future__ import annotations

from engine.model import Candidate, Contribution, Label, MethodNode, NodeKind


def node(name: str, label: Label = Label.VERIFIED, *premises: str, **other: object) -> MethodNode:
    return MethodNode.model_validate(
        {
            "id": f"M:{name}",
            "kind": NodeKind.THEOREM,
            "name": name,
            "module": "M",
            "statement": ": True",
            "label": label,
            "premises": premises,
            **other,
        }
    )


def edge(parent: str, child: str, rating: int = 3) -> Contribution:
    return Contribution(
        parent=f"M:{parent}", child=f"M:{child}", rating=rating, explanation="a reason"
    )


def candidate(canonical: str, operator: str = "induction", size: int = 6) -> Candidate:
    return Candidate(
        statement=f": {canonical}",
        canonical=canonical,
        operator=operator,
        summary="",
        parents=(),
        novelty="",
        limits="",
        plan=(),
        size=size,
    )
