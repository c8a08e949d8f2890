"""What a search needs of a knowledge base, in files: encoder, vectors, T_C, BM25, T_M.

All of it is derived from the declarations and the settings. A folder is written whole and then
put in its place, so that a search finds the old index or the new one. Few changes are worked in
without clustering anew (:mod:`engine.trees.growth`); many, or other settings, cost a new build,
in which clusters keep their names as far as they are the same.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import orjson
from filelock import FileLock

from engine.derived import reading, writing
from engine.knowledge.declarations import Declarations, Row
from engine.knowledge.edges import Mentioned, known_for, library_edges
from engine.knowledge.encoding import description, fitted, restored
from engine.model import MethodNode
from engine.models.summaries import summariser_for
from engine.retrieval.encoders import Encoder, StructuralEncoder
from engine.retrieval.index import VectorIndex
from engine.retrieval.lexical import LexicalRetriever
from engine.settings import Settings
from engine.trees.abstraction import AbstractionTree
from engine.trees.building import cluster_nodes
from engine.trees.dedup import Alias, Prove, duplicates, preference, same_statement
from engine.trees.growth import insert, needs_rebuild, remove
from engine.trees.lineage import Lineage
from engine.trees.provenance import Edge, build_provenance
from engine.trees.summaries import summarised
from engine.trees.tree_file import load_tree, save_tree
from verifier.errors import StorageError
from verifier.progress import Progress

FORMAT = 1
Change = Literal["unchanged", "extended", "rebuilt"]


@dataclass(frozen=True)
class IndexReport:
    """What became of an index.

    Attributes:
        change: What was done. nodes: Leaves of T_C. aliases: Nodes that others stand for.
        added: Declarations that came. removed: Those that went.
    """

    change: Change
    nodes: int
    aliases: int
    added: int = 0
    removed: int = 0


class Index:
    """An index as it lies in a folder; each part is read when it is asked for.

    Args:
        folder: Where it lies.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        """Whether there is a whole one."""
        return (self.folder / "state.json").is_file()

    @cached_property
    def state(self) -> dict[str, Any]:
        """Format, digest of the settings, and which encoder it was."""
        with reading(self.folder / "state.json"):
            state = orjson.loads((self.folder / "state.json").read_bytes())
            if not isinstance(state, dict):
                raise ValueError("it is no state of an index")
            return state

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row number of each declaration when it was indexed, by id."""
        with reading(self.folder / "rows.json"):
            rows: dict[str, int] = orjson.loads((self.folder / "rows.json").read_bytes())
            return rows

    @cached_property
    def aliases(self) -> dict[str, Alias]:
        """The nodes that others stand for, by id."""
        with reading(self.folder / "aliases.json"):
            found = orjson.loads((self.folder / "aliases.json").read_bytes())
            return {alias: Alias(alias, kept, reason) for alias, kept, reason in found}

    @cached_property
    def encoder(self) -> Encoder:
        """The one that the index was built with."""
        return restored(self.state.get("neural"), self.folder)

    @cached_property
    def vectors(self) -> VectorIndex:
        """The vectors of the leaves."""
        return VectorIndex.load(self.folder / "vectors.faiss")

    @cached_property
    def tree(self) -> AbstractionTree:
        """T_C."""
        return load_tree(self.folder / "abstraction.npz", self.vectors.names)

    @cached_property
    def lexical(self) -> LexicalRetriever:
        """BM25."""
        return LexicalRetriever.load(self.folder / "bm25")

    @cached_property
    def lineage(self) -> Lineage:
        """The primary edges of T_M."""
        return Lineage.load(self.folder / "provenance.npz")

    @cached_property
    def mentions(self) -> dict[str, int]:
        """How many declarations mention each constant, as it was when the index was built."""
        with reading(self.folder / "mentions.json"):
            found: dict[str, int] = orjson.loads((self.folder / "mentions.json").read_bytes())
            return found


@dataclass
class _Draft:
    """An index in the making."""

    rows: dict[str, int]
    aliases: dict[str, Alias]
    encoder: Encoder
    vectors: VectorIndex
    tree: AbstractionTree
    lexical: LexicalRetriever
    lineage: Lineage
    mentions: Mapping[str, int]

    def save(self, folder: Path, settings: Settings) -> None:
        if isinstance(self.encoder, StructuralEncoder):
            self.encoder.save(folder / "encoder")
        self.vectors.save(folder / "vectors.faiss")
        save_tree(self.tree, folder / "abstraction.npz")
        self.lexical.save(folder / "bm25")
        self.lineage.save(folder / "provenance.npz")
        aliases = [tuple(alias) for alias in self.aliases.values()]
        state = _state(settings)
        contents = {
            "rows": self.rows, "aliases": aliases, "mentions": self.mentions, "state": state,
        }  # fmt: skip
        for name, content in contents.items():
            with writing(folder / f"{name}.json") as temporary:
                temporary.write_bytes(orjson.dumps(content))


def settings_digest(settings: Settings) -> str:
    """Digest of the settings that an index depends on."""
    groups = (settings.encoder, settings.abstraction, settings.dedup)
    told = "\n".join(group.model_dump_json() for group in groups)
    return hashlib.sha256(told.encode()).hexdigest()


def update_index(
    base: Path,
    declarations: Declarations,
    settings: Settings,
    progress: Progress,
    rebuild: bool = False,
    prove: Prove | None = None,
) -> IndexReport:
    """Brings the index of a knowledge base up to date.

    Args:
        base: The folder of the knowledge base.
        declarations: What it holds.
        settings: Encoder, T_C, dedup.
        progress: Advances by declarations, where there are many.
        rebuild: Build it anew, whatever has changed.
        prove: Asks Lean whether theorems that look alike say the same; without it only equal
            canonical forms do. It is asked when the index is built anew.

    Raises:
        StorageError: It cannot be written.
    """
    with _locked(base):
        old = Index(base / "index")
        keys = declarations.keys()
        if not rebuild and _fits(old, settings):
            added = [id_ for id_, row in keys.items() if old.rows.get(id_) != row]
            removed = [id_ for id_, row in old.rows.items() if keys.get(id_) != row]
            if not added and not removed:
                return IndexReport("unchanged", len(old.vectors), len(old.aliases))
            draft = _extended(old, declarations, keys, added, removed, progress)
            if not needs_rebuild(draft.tree, settings.abstraction):
                return _placed(draft, base, settings, "extended", len(added), len(removed))
        previous = old.tree if _readable(old) else None
        draft = _built(base, declarations, keys, settings, previous, progress, prove)
        return _placed(draft, base, settings, "rebuilt", len(keys), 0)


def _built(
    base: Path,
    declarations: Declarations,
    keys: dict[str, int],
    settings: Settings,
    previous: AbstractionTree | None,
    progress: Progress,
    prove: Prove | None,
) -> _Draft:
    progress.stage("looking at all declarations", len(keys))
    nodes: list[MethodNode] = []
    known = Mentioned()
    for _, row in declarations.rows():
        nodes.append(row.node)
        known.add(row)
        progress.advance(1)
    encoder = fitted(nodes, settings, base, progress)
    progress.stage("encoding", None)
    vectors = encoder.encode(nodes)
    progress.stage("finding duplicates", None)
    aliases = {a.alias: a for a in duplicates(nodes, vectors, settings.dedup, prove, progress)}
    kept = [place for place, node in enumerate(nodes) if node.id not in aliases]
    index = VectorIndex([nodes[place].id for place in kept], vectors[kept])
    del vectors
    leaves = [nodes[place] for place in kept]
    progress.stage("clustering", None)
    tree = cluster_nodes(index.names, index.vectors, settings.abstraction, previous)
    tree = summarised(tree, leaves, index.vectors, summariser_for(settings.model, base))
    progress.stage("indexing words", None)
    lexical = LexicalRetriever.of(leaves)
    del leaves, nodes
    progress.stage("tracing what came from what", len(keys))
    stands = {a.alias: a.kept for a in aliases.values()}
    evidence = library_edges(_watched(declarations.rows(), progress), known, stands)
    edges: Iterator[Edge] = chain(evidence, declarations.contributions())
    lineage = Lineage.of(build_provenance(index.names, edges))
    return _Draft(keys, aliases, encoder, index, tree, lexical, lineage, known.mentions)


def _watched(rows: Iterable[tuple[int, Row]], progress: Progress) -> Iterator[Row]:
    for _, row in rows:
        progress.advance(1)
        yield row


def _extended(
    old: Index,
    declarations: Declarations,
    keys: dict[str, int],
    added: list[str],
    removed: list[str],
    progress: Progress,
) -> _Draft:
    """The index with what came and without what went, by the encoder that it has."""
    progress.stage("working the changes in", None)
    rows = [row for _, row in declarations.rows([keys[id_] for id_ in added])]
    aliases = _aliases(old, declarations, rows, set(removed))
    fresh = [row.node for row in rows if row.node.id not in aliases]
    gone = [id_ for id_ in removed if id_ in old.vectors.row]
    before = old.vectors.vectors[old.vectors.rows_of(gone)] if gone else None
    tree = remove(old.tree, gone, before) if before is not None else old.tree
    vectors = old.encoder.encode(fresh)
    index = (old.vectors.removed(gone) if gone else old.vectors).added(
        [node.id for node in fresh], vectors
    )
    if tree.levels:
        tree = insert(tree, [node.id for node in fresh], vectors)
    lineage = _new_lineage(old, declarations, rows, index.names, aliases)
    lexical = old.lexical.changed(gone, fresh)
    return _Draft(keys, aliases, old.encoder, index, tree, lexical, lineage, old.mentions)


def _aliases(
    old: Index, declarations: Declarations, rows: list[Row], removed: set[str]
) -> dict[str, Alias]:
    """The aliases that stay, and the new declarations that say what is there already.

    An alias whose node went is no alias any more: it is looked at as if it were new.
    """
    aliases = {
        alias: entry
        for alias, entry in old.aliases.items()
        if alias not in removed and entry.kept not in removed
    }
    orphans = [a for a, e in old.aliases.items() if e.kept in removed and a not in removed]
    rows += [row for _, row in declarations.rows([old.rows[alias] for alias in orphans])]
    settled = set(old.vectors.names) - removed
    for node in sorted((row.node for row in rows), key=preference):
        twins = [t for t in declarations.twins(node) if t.id in settled]
        same = [alias for t in twins for alias in same_statement([t, node])]
        if same:
            kept = min((t for t in twins if same_statement([t, node])), key=preference)
            aliases[node.id] = Alias(node.id, kept.id, same[0].reason)
        else:
            settled.add(node.id)
    return aliases


def _new_lineage(
    old: Index,
    declarations: Declarations,
    rows: list[Row],
    names: tuple[str, ...],
    aliases: Mapping[str, Alias],
) -> Lineage:
    """T_M with the edges into new declarations, and into those that lost their parent."""
    leaves = set(names)
    changed = {row.node.id for row in rows}
    edges: list[Edge] = []
    orphans: list[str] = []
    for node in names:
        if node in changed:
            continue
        above = old.lineage.ancestors(node, 1)
        if above and above[0].parent in leaves:
            edges.append(above[0])
        elif above:
            orphans.append(node)
    again = declarations.rows([old.rows[node] for node in orphans if node in old.rows])
    affected = [*rows, *(row for _, row in again)]
    known = known_for(affected, declarations, old.mentions)
    stands = {a.alias: a.kept for a in aliases.values()}
    edges += library_edges(affected, known, stands)
    edges += declarations.contributions(row.node.id for row in affected)
    return Lineage.of(build_provenance(names, edges))


def _placed(
    draft: _Draft, base: Path, settings: Settings, change: Change, added: int, removed: int
) -> IndexReport:
    """Writes an index beside the old one and lets it take its place."""
    fresh, place, old = base / "index.new", base / "index", base / "index.old"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        draft.save(fresh, settings)
        shutil.rmtree(old, ignore_errors=True)
        if place.exists():
            place.rename(old)
        fresh.rename(place)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise StorageError(
            f"the index in {base} cannot be written: {error}",
            "free some space; the declarations are kept, and the old index too if there was one",
        ) from error
    return IndexReport(change, len(draft.vectors), len(draft.aliases), added, removed)


def _fits(old: Index, settings: Settings) -> bool:
    """Whether there is an index that this Lemmata can extend, under the same settings."""
    if not _readable(old):
        return False
    return old.state == _state(settings)


def _state(settings: Settings) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "settings": settings_digest(settings),
        "neural": description(settings),
    }


def _readable(old: Index) -> bool:
    try:
        return old.exists and old.state.get("format") == FORMAT and bool(old.tree.nodes)
    except StorageError:
        return False  # it is derived: what cannot be read is built again


@contextmanager
def _locked(base: Path) -> Iterator[None]:
    try:
        base.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{base} cannot be made: {error.strerror}") from error
    with FileLock(base / "lock"):
        yield
