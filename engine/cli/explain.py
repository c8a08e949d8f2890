"""``lemmata explain``: where a result comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.knowledge.base import KnowledgeBase
    from engine.library.library import Library
    from engine.model import MethodNode

NEAR = 3
"""Names that are offered for one that is not there."""


def explain(
    name: Annotated[
        str, typer.Argument(help="A lemma of the library, short or full; or any declaration, full.")
    ],
    library: Annotated[Path, typer.Option(help="The library folder.")] = Path("library"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show where a result comes from: label, parents with reasons, proof, scores.

    A name that the library does not have is looked up in the knowledge base (`lemmata ingest`).
    """
    if not (_explain_lemma(name, library, json) or _explain_declaration(name, json)):
        from verifier.errors import InputError

        near = ", ".join(_near(name))
        raise InputError(
            f"neither the library nor the knowledge base has {name}",
            f"Like it: {near}." if near else "`lemmata ingest` reads Lean's libraries.",
        )


def _explain_lemma(name: str, folder: Path, json: bool) -> bool:
    """Explains a node of the library; whether there is one."""
    from engine.library.library import Library
    from engine.library.package import DATABASE
    from engine.report.node import explain_node, node_json
    from engine.settings import load_settings

    if not (folder / DATABASE).is_file():
        return False
    with Library.read(folder) as opened:
        node = _node(opened, name)
        if node is None:
            return False
        rubric = load_settings().rubric
        if json:
            typer.echo(node_json(opened.store, node, rubric))
        else:
            typer.echo("\n".join(explain_node(opened.store, node, rubric)))
    return True


def _node(opened: Library, name: str) -> MethodNode | None:
    from verifier.errors import InputError

    nodes = opened.store.nodes()
    exact = [n for n in nodes if n.name == name or n.id == name]
    found = exact or [n for n in nodes if n.name and n.name.rpartition(".")[2] == name]
    if len(found) > 1:
        names = ", ".join(str(n.name) for n in found)
        raise InputError(f"{name} is ambiguous: {names}", "Give the full name.")
    return found[0] if found else None


def _near(name: str) -> list[str]:
    """Names in the knowledge base that are like one that is not there."""
    with _knowledge() as base:
        if base is None:
            return []
        found = base.search(name.replace(".", " "), NEAR, "bm25").found
        return [str(hit.node.name) for hit in found]


@contextmanager
def _knowledge() -> Iterator[KnowledgeBase | None]:
    """The knowledge base of the embedded Lean, where there is one."""
    from engine.knowledge.base import KnowledgeBase
    from engine.knowledge.index import Index
    from engine.knowledge.place import base_folder
    from engine.settings import load_settings

    settings = load_settings()
    folder = base_folder(settings)
    if not Index(folder / "index").exists:
        yield None
        return
    with KnowledgeBase(folder, settings) as base:
        yield base


def _explain_declaration(name: str, json: bool) -> bool:
    """Explains a declaration of the knowledge base; whether there is one."""
    from engine.report.declaration import declaration_dict, declaration_lines

    with _knowledge() as base:
        if base is None:
            return False
        nodes = base.declarations.named(name) or list(base.declarations.nodes([name]).values())
        for node in nodes:
            if json:
                import orjson

                document = declaration_dict(base, node)
                typer.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
            else:
                typer.echo("\n".join(declaration_lines(base, node)))
    return bool(nodes)
