"""``lemmata trees``: look at the abstraction tree T_C, and take either tree away as a graph."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.ingest import Toolchain

if TYPE_CHECKING:
    from engine.knowledge.base import KnowledgeBase
    from engine.trees.abstraction import AbstractionTree
    from engine.trees.cluster import Cluster

trees_app = typer.Typer(
    name="trees",
    help="Look at the trees over the knowledge base, or export them as graphs.",
    no_args_is_help=True,
)

Whose = Annotated[Toolchain, typer.Option("--toolchain", help="Whose knowledge base.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


class Tree(StrEnum):
    """Which tree."""

    ABSTRACTION = "abstraction"
    PROVENANCE = "provenance"


class Format(StrEnum):
    """How a graph is written."""

    GRAPHML = "graphml"
    JSON = "json"


@trees_app.command()
def clusters(
    cluster: Annotated[
        str, typer.Argument(help="Id of a cluster, or how it begins; the roots by default.")
    ] = "",
    depth: Annotated[int, typer.Option(min=0, help="Levels to show below.")] = 1,
    toolchain: Whose = Toolchain.EMBEDDED,
    json: Json = False,
) -> None:
    """Show clusters of the abstraction tree T_C with their summaries."""
    with _base(toolchain) as base:
        tree = base.tree
        chosen = [_cluster(tree, cluster)] if cluster else list(tree.roots)
        if json:
            import orjson

            document = [_cluster_dict(tree, c, depth) for c in chosen]
            typer.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
            return
        from rich.console import Console
        from rich.tree import Tree as Shown

        shown = Shown(f"T_C: {len(tree.nodes)} nodes, {tree.depth} levels of clusters")
        for c in chosen:
            _grow(shown.add(_said(c)), tree, c, depth)
        Console(highlight=False).print(shown, markup=False)


@trees_app.command()
def export(
    output: Annotated[Path, typer.Argument(metavar="FILE", help="Where the graph goes.")],
    tree: Annotated[Tree, typer.Option(help="Which tree.")] = Tree.ABSTRACTION,
    form: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.GRAPHML,
    supporting: Annotated[
        bool, typer.Option(help="T_M with its supporting edges too; takes half a minute.")
    ] = False,
    toolchain: Whose = Toolchain.EMBEDDED,
    json: Json = False,
) -> None:
    """Write a tree as a graph for networkx, Gephi, Cytoscape and the like."""
    from engine.trees import views

    with _base(toolchain) as base:
        nodes = (row.node for _, row in base.declarations.rows())
        if tree is Tree.ABSTRACTION:
            graph = views.abstraction_graph(base.tree, nodes)
        else:
            graph = views.provenance_graph(base.provenance(supporting), nodes)
        write = views.write_graphml if form is Format.GRAPHML else views.write_json
        write(graph, output)
        counts = {"file": str(output), "nodes": len(graph), "edges": graph.number_of_edges()}
    if json:
        import orjson

        typer.echo(orjson.dumps(counts))
    else:
        typer.echo(f"{output}: {counts['nodes']} nodes, {counts['edges']} edges")


def _base(toolchain: Toolchain) -> KnowledgeBase:
    from engine.knowledge.base import KnowledgeBase
    from engine.knowledge.place import base_folder
    from engine.settings import load_settings

    settings = load_settings()
    if toolchain is Toolchain.EMBEDDED:
        return KnowledgeBase(base_folder(settings), settings)
    from verifier.toolchain.native.discovery import discover

    lean = discover(Path(), settings.lean)
    return KnowledgeBase(base_folder(settings, lean), settings)


def _cluster(tree: AbstractionTree, beginning: str) -> Cluster:
    from verifier.errors import InputError

    found = [i for level in tree.levels for i in level.ids if i.startswith(beginning)]
    if len(found) != 1:
        raise InputError(
            f"{len(found)} clusters begin with {beginning}",
            "`lemmata trees clusters` shows the ids, and `lemmata search --explain` those of hits.",
        )
    return tree.cluster(found[0])


def _said(cluster: Cluster) -> str:
    return f"{cluster.id[:8]}  {cluster.size} nodes  {' '.join(cluster.summary.split())[:160]}"


def _grow(branch, tree: AbstractionTree, cluster: Cluster, depth: int) -> None:  # type: ignore[no-untyped-def]
    if depth == 0:
        return
    for child in sorted(tree.children(cluster.id), key=lambda c: (-c.size, c.id)):
        _grow(branch.add(_said(child)), tree, child, depth - 1)
    for member in cluster.members:
        branch.add(member)


def _cluster_dict(tree: AbstractionTree, cluster: Cluster, depth: int) -> dict[str, object]:
    fields = cluster.model_dump(mode="json", exclude={"centroid"})
    if depth == 0:
        return fields
    children = [_cluster_dict(tree, c, depth - 1) for c in tree.children(cluster.id)]
    return {**fields, "children": children}
