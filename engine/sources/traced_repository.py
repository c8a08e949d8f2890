"""Repositories that LeanDojo has traced become method nodes and contributions.

A traced file is LeanDojo's syntax tree of a Lean file, in ``*.trace.xml`` or, as its extractor
leaves it, in ``*.ast.json`` with ``*.dep_paths``. Its identifiers say which declaration they name,
and its tactics hold the identifiers that they use. Only files are read: no Lean, no network, no Git
and no token. The corpus that ReProver is trained with (``corpus.jsonl``) has the same declarations
without their proofs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from engine.model import Contribution, Label, MethodNode, NodeKind, SourceLocation
from engine.sources.usage import Naming
from engine.trees.evidence import Evidence, Shares, edge, merged
from engine.trees.provenance import as_contribution
from verifier.errors import InputError, ToolchainError

PACKAGES = (".lake/packages/", "lake-packages/")
TOOLCHAIN_SOURCES = ("lean4/src/lean/lake/", "lean4/src/lean/", "lean4/src/")
TOKEN = "GITHUB_ACCESS_TOKEN"
THEOREMS = ("CommandTheoremNode", "LemmaNode", "MathlibTacticLemmaNode")
BODIES = ("CommandDeclvalsimpleNode", "CommandDeclvaleqnsNode", "CommandWherestructinstNode")
SEQUENCES = ("TacticTacticseq1IndentedNode", "TacticTacticseqbracketedNode")
THEN = "tactic_<;>_"
KEYWORDS = ("theorem", "lemma")


@dataclass(frozen=True)
class TracedRepository:
    """What was read: nodes in the order of files and lines, and the edges between them."""

    nodes: tuple[MethodNode, ...]
    contributions: tuple[Contribution, ...]


@dataclass
class _Traced:
    """A declaration of a traced file.

    Attributes:
        stated: Names in the statement. used: Names in the body with the tactics around them.
    """

    node: MethodNode
    stated: Counter[str] = field(default_factory=Counter)
    used: list[tuple[str, str]] = field(default_factory=list)


def read_traced_repository(root: Path) -> TracedRepository:
    """Reads what LeanDojo has left in a repository.

    Args:
        root: The folder of the repository; traced dependencies in it are read as well.

    Raises:
        InputError: There is no trace in the folder, or one cannot be read.
        ToolchainError: LeanDojo is not installed.
    """
    root = root.resolve()
    traces = trace_files(root)
    if not traces:
        raise InputError(
            f"{root} has no trace of LeanDojo",
            "Trace it with LeanDojo, or with verifier.toolchain.embedded.tracing.",
        )
    found: dict[str, _Traced] = {}
    with _leandojo() as library:
        for path in traces:
            for traced in _read_file(root, path, library):
                found.setdefault(traced.node.id, traced)
    return TracedRepository(tuple(t.node for t in found.values()), _edges(list(found.values())))


def read_corpus(path: Path) -> tuple[MethodNode, ...]:
    """Reads the declarations of a corpus of ReProver, one file a line.

    Args:
        path: The ``corpus.jsonl``.

    Raises:
        InputError: The file cannot be read, or a line is no such record.
    """
    nodes: dict[str, MethodNode] = {}
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                for node in _corpus_nodes(line, path, number):
                    nodes.setdefault(node.id, node)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "Check the path.") from error
    return tuple(nodes.values())


def module_of(path: str) -> str:
    """The module of a source file, by its path in the repository.

    >>> module_of(".lake/packages/lean4/src/lean/Init/Core.lean"), module_of("Theories/Lists.lean")
    ('Init.Core', 'Theories.Lists')
    """
    for packages in PACKAGES:
        if path.startswith(packages):
            inside = path.removeprefix(packages)
            toolchain = next((s for s in TOOLCHAIN_SOURCES if inside.startswith(s)), None)
            path = inside.removeprefix(toolchain) if toolchain else inside.partition("/")[2]
    return path.removesuffix(".lean").replace("/", ".")


def _corpus_nodes(line: bytes, path: Path, number: int) -> Iterator[MethodNode]:
    try:
        record = orjson.loads(line)
        for premise in record["premises"]:
            name, code = str(premise["full_name"]), str(premise["code"])
            lines = (int(premise["start"][0]), int(premise["end"][0]))
            is_theorem = any(word in code.partition(":")[0].split() for word in KEYWORDS)
            written = name.rpartition(".")[2]
            _, _, signature = code.partition(written)
            yield _node(str(record["path"]), name, signature or code, lines, is_theorem)
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"{path}:{number}: not a record of ReProver's corpus: {error!r}",
            "Name the corpus.jsonl of a LeanDojo benchmark.",
        ) from error


def _node(
    path: str, name: str, statement: str, lines: tuple[int, int], is_theorem: bool, **more: Any
) -> MethodNode:
    module = module_of(path)
    return MethodNode(
        id=f"{module}:{name}",
        kind=NodeKind.THEOREM if is_theorem else NodeKind.DEFINITION,
        name=name,
        statement=" ".join(statement.split()).removesuffix(":=").strip(),
        label=more.pop("label", Label.ASSUMED),
        module=module,
        location=SourceLocation(document=path, first_line=lines[0], last_line=lines[1]),
        lean_kind="theorem" if is_theorem else "",
        **more,
    )


def trace_files(root: Path) -> list[Path]:
    """The traces in a folder, one for each file of Lean: the XML where there is one."""
    chosen = {_stem(path): path for path in sorted(root.rglob("*.ast.json"))}
    chosen |= {_stem(path): path for path in sorted(root.rglob("*.trace.xml"))}
    return [chosen[stem] for stem in sorted(chosen)]


def _stem(path: Path) -> Path:
    return path.with_suffix("").with_suffix("")


@contextmanager
def _leandojo() -> Iterator[Any]:
    """LeanDojo's reader. Imported with a token, it would log in at GitHub: it sees none."""
    token = os.environ.get(TOKEN)
    os.environ[TOKEN] = ""
    try:
        from lean_dojo.data_extraction import traced_data
    except (ImportError, OSError, AssertionError) as error:
        raise ToolchainError(
            f"LeanDojo cannot be used: {error}",
            "Run `pip install 'lemmata[dojo]'` with Python below 3.13; it wants git to be there.",
        ) from error
    finally:
        os.environ.pop(TOKEN)
        if token is not None:
            os.environ[TOKEN] = token
    yield traced_data


def _read_file(root: Path, path: Path, library: Any) -> Iterator[_Traced]:
    try:
        if path.suffix == ".xml":
            file = library.TracedFile.from_xml(root, path, None)
        else:
            file = library.TracedFile.from_traced_file(root, path, None)
    except Exception as error:  # LeanDojo asserts what it expects of a file
        raise InputError(
            f"{path} cannot be read by LeanDojo: {error!r}",
            "Trace the repository again: the trace and the source must be of one version.",
        ) from error
    for node in _declarations(file.ast, library):
        yield _declaration(file, node, library)


def _declarations(ast: Any, library: Any) -> list[Any]:
    """The syntax trees of what a file declares."""
    found: list[Any] = []

    def visit(node: Any, _parents: Any) -> bool:
        if not library.is_potential_premise_lean4(node) or library.is_mutual_lean4(node):
            return False
        found.append(node)
        return True

    ast.traverse_preorder(visit, None)
    return found


def _declaration(file: Any, node: Any, library: Any) -> _Traced:
    command = node.children[1] if len(node.children) > 1 else node
    is_theorem = type(node).__name__ in THEOREMS or type(command).__name__ in THEOREMS
    body = next((n for n in _below(node) if type(n).__name__ in BODIES), None)
    start, end = node.get_closure()
    named = next((n for n in _below(node) if type(n).__name__ == "CommandDeclidNode"), None)
    head = named.end if named is not None and named.end is not None else start
    code, comments = library.get_code_without_comments, file.comments
    until = body.get_closure()[0] if body is not None else end
    proof = code(file.lean_file, *body.get_closure(), comments) if body is not None else None
    unproved = body is not None and any(getattr(n, "val", "") == "sorry" for n in _below(body))
    traced = _Traced(
        _node(
            file.path.as_posix(),
            node.full_name,
            code(file.lean_file, head, until, comments),
            (start.line_nb, end.line_nb),
            is_theorem,
            label=Label.CONJECTURE if unproved else Label.ASSUMED,
            proof=proof.removeprefix(":=").strip() if proof and is_theorem else None,
            private=str(getattr(command, "_is_private_decl", False)) == "True",  # XML has texts
        )
    )
    _collect(node, body, traced)
    symbols = tuple(sorted(traced.stated))
    premises = tuple(sorted({name for name, _ in traced.used})) if is_theorem else ()
    traced.node = traced.node.model_copy(update={"symbols": symbols, "premises": premises})
    return traced


def _collect(node: Any, body: Any, traced: _Traced) -> None:
    """The names that identifiers resolve to: in the statement, or under a tactic of the body."""

    def visit(at: Any, tactic: str | None) -> None:
        if at is body:
            tactic = "term"
        name = getattr(at, "full_name", None) if type(at).__name__ == "IdentNode" else None
        if name is not None and tactic is None:
            traced.stated[name] += 1
        elif name is not None:
            traced.used.append((name, str(tactic)))
        tactics = list(_tactics(at))
        for child in tactics or at.children:
            visit(child, _first_word(child) if tactics else tactic)

    visit(node, None)


def _tactics(node: Any) -> Iterator[Any]:
    """The tactics directly below a sequence of tactics, or below ``t <;> s``."""
    if type(node).__name__ in SEQUENCES:
        yield from node.get_tactic_nodes()
    elif THEN in str(getattr(node, "kind", "")):
        yield from (node.children[0], node.children[2])


def _first_word(node: Any) -> str:
    return next((str(n.val).strip() for n in _below(node) if hasattr(n, "val")), "")


def _below(node: Any) -> Iterator[Any]:
    """A tree's nodes, itself first, in the order of the text."""
    pending = [node]
    while pending:
        at = pending.pop()
        yield at
        pending += reversed(at.children)


def _edges(declarations: Iterable[_Traced]) -> tuple[Contribution, ...]:
    declarations = list(declarations)
    ids = {str(t.node.name): t.node.id for t in declarations}
    naming = Naming({name: name for name in ids})
    uses = {t.node.id: _uses(t, naming, ids) for t in declarations}
    shares = Shares(Counter(name for use in uses.values() for name in use), len(uses))
    return tuple(
        as_contribution(edge(ids[name], child, name, evidence, shares))
        for child, use in uses.items()
        for name, evidence in sorted(use.items())
    )


def _uses(traced: _Traced, naming: Naming, ids: dict[str, str]) -> dict[str, Evidence]:
    """Evidence for each declaration of the repository that another one names."""
    parts: dict[str, list[Evidence]] = {}
    is_theorem = traced.node.kind is NodeKind.THEOREM
    for name, count in traced.stated.items():
        parts.setdefault(naming.owner(name), []).append(Evidence(in_statement=count))
    for name, tactic in traced.used:
        tactics = (tactic,) if is_theorem else ()
        use = Evidence(in_proof=1, tactics=tactics, definition=not is_theorem)
        parts.setdefault(naming.owner(name), []).append(use)
    parts.pop(str(traced.node.name), None)
    return {name: merged(uses) for name, uses in parts.items() if name in ids}
