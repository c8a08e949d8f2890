"""``lemmata explain``: where a result comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def explain(
    name: Annotated[str, typer.Argument(help="A lemma or definition, short or full name.")],
    library: Annotated[Path, typer.Option(help="The library folder.")] = Path("library"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the derivation chain of a lemma: label, parents with reasons, proof, scores."""
    from engine.library.library import Library
    from engine.report.node import explain_node, node_json

    with Library.read(library) as opened:
        node = opened.store.node(_node_id(opened, name))
        if json:
            typer.echo(node_json(opened.store, node))
            return
        for line in explain_node(opened.store, node):
            typer.echo(line)


def _node_id(library: object, name: str) -> str:
    from engine.library.library import Library
    from verifier.errors import InputError

    assert isinstance(library, Library)
    nodes = library.store.nodes()
    exact = [n for n in nodes if n.name == name or n.id == name]
    found = exact or [n for n in nodes if n.name and n.name.rpartition(".")[2] == name]
    if len(found) != 1:
        names = ", ".join(str(n.name) for n in found)
        raise InputError(
            f"{name} is ambiguous: {names}" if found else f"the library has no node {name}",
            "Give the full name." if found else "`lemmata library list` shows what there is.",
        )
    return found[0].id
