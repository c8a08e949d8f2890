"""One node for a reader: what it says, how it stands, where it comes from."""

from __future__ import annotations

import orjson

from engine.judgement.standing import Standing, standing
from engine.model import MethodNode
from engine.report.chain import chain_lines
from engine.settings import RubricSettings
from engine.store import Store


def explain_node(store: Store, node: MethodNode, settings: RubricSettings) -> list[str]:
    """All that the store knows of a node, as lines of text."""
    lines = [f"{node.name} {node.statement}", f"label: {node.label}  kind: {node.kind}"]
    if node.summary:
        lines.append(f"summary: {node.summary}")
    if node.operator:
        lines.append(f"operator: {node.operator}")
    if node.toolchain:
        lines.append(f"checked by: {node.toolchain}")
    if again := store.last_recheck(node.id):
        lines.append(f"checked again: {again.outcome}, {again.time:%Y-%m-%d %H:%M} UTC")
    if node.kernels:
        lines.append(f"accepted by the kernels of: {', '.join(node.kernels)}")
    if node.kind == "theorem":
        lines.append(f"axioms: {', '.join(node.axioms) or 'none'}")
        lines.append(f"premises of the proof: {', '.join(node.premises) or 'none'}")
    if node.assumed:
        names = ", ".join(node.assumed)
        lines.append(f"assumed of Lean's library by the second kernel: {names}")
    lines += _standing_lines(standing(store, node, settings))
    if node.proof:
        lines += ["proof:", *(f"  {line}" for line in node.proof.splitlines())]
    return [*lines, "derivation chain:", *(f"  {line}" for line in chain_lines(store, node.id))]


def _standing_lines(now: Standing) -> list[str]:
    """The use that was made of a node, and each of its scores with the evidence."""
    lines = [f"use: {now.service}"]
    if now.scores is not None:
        lines.append(f"scores: S = {now.total:.2f}")
        for name, score in now.scores.each.items():
            lines.append(f"  {name.replace('_', ' ')} {score.value:.2f}  {score.reason}")
    return lines


def node_json(store: Store, node: MethodNode, settings: RubricSettings) -> str:
    """The node with its incoming contributions as JSON, and its scores as they are now."""
    now = standing(store, node, settings)
    document = {
        "node": node.model_dump(mode="json"),
        "scores": now.scores.model_dump(mode="json") if now.scores else None,
        "total": now.total,
        "users": list(now.service.users),
        "contributions": [
            {**c.model_dump(mode="json"), "weight": c.weight}
            for c in store.contributions_into(node.id)
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
