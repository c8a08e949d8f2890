"""One node for a reader: what it says, how it stands, where it comes from."""

from __future__ import annotations

import orjson

from engine.model import MethodNode
from engine.report.chain import chain_lines
from engine.store import Store


def explain_node(store: Store, node: MethodNode) -> list[str]:
    """All that the store knows of a node, as lines of text."""
    lines = [f"{node.name} {node.statement}", f"label: {node.label}  kind: {node.kind}"]
    if node.summary:
        lines.append(f"summary: {node.summary}")
    if node.operator:
        lines.append(f"operator: {node.operator}")
    if node.toolchain:
        lines.append(f"checked by: {node.toolchain}")
    if node.kernels:
        lines.append(f"accepted by the kernels of: {', '.join(node.kernels)}")
    if node.kind == "theorem":
        lines.append(f"axioms: {', '.join(node.axioms) or 'none'}")
        lines.append(f"premises of the proof: {', '.join(node.premises) or 'none'}")
    if node.assumed:
        names = ", ".join(node.assumed)
        lines.append(f"assumed of Lean's library by the second kernel: {names}")
    if node.scores is not None:
        scores = node.scores.model_dump()
        lines.append("scores: " + ", ".join(f"{k} {v:.2f}" for k, v in scores.items()))
    if node.proof:
        lines += ["proof:", *(f"  {line}" for line in node.proof.splitlines())]
    return [*lines, "derivation chain:", *(f"  {line}" for line in chain_lines(store, node.id))]


def node_json(store: Store, node: MethodNode) -> str:
    """The node with its incoming contributions as JSON."""
    document = {
        "node": node.model_dump(mode="json"),
        "contributions": [
            {**c.model_dump(mode="json"), "weight": c.weight}
            for c in store.contributions_into(node.id)
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
