"""Nodes of a small made-up library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.knowledge.base import TABLE
from engine.knowledge.declarations import Declarations, Row
from engine.knowledge.index import update_index
from engine.model import Label, MethodNode, NodeKind
from engine.retrieval.features import statement_features
from engine.settings import Settings
from engine.trees.statement import statement_key
from verifier.lean import Environment
from verifier.progress import SilentProgress
from verifier.reading.files import ModuleFile
from verifier.session import Session


def theorem(name: str, module: str = "M", **fields: Any) -> MethodNode:
    return _node(name, module, NodeKind.THEOREM, "theorem", fields)


def definition(name: str, module: str = "M", **fields: Any) -> MethodNode:
    return _node(name, module, NodeKind.DEFINITION, "definition", fields)


def core_theorem(session: Session, name: str, statement: str, **fields: Any) -> MethodNode:
    """A theorem of the real library, as the knowledge base would have it."""
    (found,) = session.declarations(Environment(("Init", "Std")), [name])
    assert found is not None
    key, features = statement_key(found.type), statement_features(found.type)
    return theorem(name, statement=statement, canonical=key, features=features, **fields)


def _node(
    name: str, module: str, kind: NodeKind, lean_kind: str, fields: dict[str, Any]
) -> MethodNode:
    return MethodNode(
        id=f"{module}:{name}",
        name=name,
        module=module,
        kind=kind,
        lean_kind=lean_kind,
        label=Label.ASSUMED,
        **{"statement": f": {name}", **fields},
    )


def knowledge_base(folder: Path, nodes: list[MethodNode]) -> Path:
    """A knowledge base of some nodes of one made-up module."""
    folder.mkdir()
    with Declarations(folder / TABLE) as declarations:
        file = ModuleFile("M", folder / "M.olean", 0, 0)
        declarations.replace_module("lean", file, "", [Row(node, {}) for node in nodes])
        update_index(folder, declarations, Settings(), SilentProgress())
    return folder
