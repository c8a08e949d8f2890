"""A theory module becomes method nodes, through Lean itself.

Lean elaborates the file and its local imports; its environment then says what each command
declared, what each statement and body mentions, and what everything rests on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.language.core import ALWAYS_USED, BACKGROUND, NOTATIONS, WRITTEN
from engine.language.signature import read_cases, read_law, read_symbol
from engine.language.term import Law, Symbol, Type
from engine.model import (
    Contribution,
    Label,
    MethodNode,
    NodeKind,
    SourceLocation,
)
from engine.retrieval.features import statement_features
from engine.sources.usage import Naming, Uses, module_uses
from engine.sources.use_cache import UseCache
from engine.trees.evidence import Evidence, Shares, edge, merged
from engine.trees.provenance import as_contribution
from engine.trees.statement import statement_key
from verifier.audit import ALLOWED_AXIOMS
from verifier.lean import Declaration, DeclaredAt, Environment, Lean, Statement
from verifier.modules import LoadedModule, ModuleGraph, line_of, load_graph, read_graph
from verifier.prover.expression import occurrences
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost

USER_KINDS = ("inductive", "definition", "theorem", "opaque", "axiom")


@dataclass(frozen=True)
class Entry:
    """A declaration that the author wrote, with its module and place."""

    declaration: Declaration
    module: str
    location: SourceLocation
    pretty: str

    @property
    def node_id(self) -> str:
        """Identifier of its method node."""
        return node_id(self.module, self.declaration.name)


MAX_EQUATIONS = 40
"""Equations of one definition that are looked for; a match has as many as it has cases."""


MATCHER = "match_"
"""How Lean names the functions that it makes of a ``match``; definitions share them, so that one
says nothing about where it was made first."""


@dataclass(frozen=True)
class Theory:
    """A module with its local imports, elaborated and read.

    Attributes:
        graph: The files. environment: All of them elaborated.
        namespace: Where most functions of the module live; new lemmas go there.
        entries: What the authors wrote, in order, imports first.
        constructors: Declarations of constructors by name.
        core: Core's declarations that the definitions mention, and constructors of core's types.
    """

    graph: ModuleGraph
    environment: Environment
    namespace: str
    entries: tuple[Entry, ...]
    constructors: tuple[Declaration, ...]
    core: tuple[Declaration, ...] = ()

    @property
    def name(self) -> str:
        """Name of the module."""
        return self.graph.target.name

    @property
    def context(self) -> str:
        """Commands that open the scope in which lemmas are stated."""
        return f"namespace {self.namespace}\n" if self.namespace else ""

    def short(self, name: str) -> str:
        """How a constant is written inside the theory's namespace."""
        return short_name(name, self.namespace)

    @cached_property
    def symbols(self) -> dict[str, Symbol]:
        """Constructors, functions, predicates, and functions of core types, by Lean name.

        Those are left out whose types do not fit, and the constructors of predicates, which make
        proofs and not values.
        """
        written = [e.declaration for e in self.entries]
        definitions = [d for d in written if d.kind in ("definition", "inductive")]
        found: dict[str, Symbol] = {}
        for declaration in definitions:
            symbol = read_symbol(declaration, self.short(declaration.name))
            if symbol is not None:
                found[symbol.name] = symbol
        for declaration in self.constructors:
            symbol = read_symbol(declaration, self.short(declaration.name))
            if symbol is not None and declaration.inductive not in found:
                found[symbol.name] = symbol
        mentioned = {c for d in definitions for c in d.value_constants}
        for symbol in _background(found.values(), mentioned):
            found[symbol.name] = symbol
        for symbol in _of_core(self.core, found.values()):
            found.setdefault(symbol.name, symbol)
        return found

    @cached_property
    def laws(self) -> dict[str, Law]:
        """Equations that the theory itself states and proves, by Lean name."""
        theorems = [e.declaration for e in self.entries if e.declaration.kind == "theorem"]
        laws = {
            d.name: read_law(d.type, self.symbols)
            for d in theorems
            if label_of(d) is Label.VERIFIED
        }
        return {name: law for name, law in laws.items() if law is not None}


def node_id(module: str, name: str) -> str:
    """Identifier of the node for a declaration of a module."""
    return f"{module}:{name}"


def short_name(name: str, namespace: str) -> str:
    """A constant's name as written inside a namespace."""
    return name.removeprefix(f"{namespace}.") if namespace else name


def label_of(declaration: Declaration) -> Label:
    """What Lean's environment says of a declaration's truth.

    A definition is given. A theorem counts as verified when it rests on the allowed axioms alone;
    one with ``sorry`` or an axiom of its own below it is a conjecture, and an axiom as well.
    """
    sound = set(declaration.axioms) <= ALLOWED_AXIOMS and not declaration.unsafe
    if declaration.kind == "theorem":
        return Label.VERIFIED if sound else Label.CONJECTURE
    return Label.ASSUMED if sound else Label.CONJECTURE


def read_theory(path: Path, lean: Lean, installed: Callable[[str], bool]) -> Theory:
    """Reads a Lean file and its local imports.

    Args:
        path: The .lean file.
        lean: The Lean that elaborates.
        installed: Whether a module comes with the installation.

    Raises:
        InputError: See :func:`verifier.modules.read_graph` and :func:`verifier.modules.load_graph`.
    """
    graph = read_graph(path, lean, installed)
    loaded = load_graph(graph, lean)
    entries: list[Entry] = []
    constructors: list[Declaration] = []
    for module in loaded.modules:
        described = _describe(module, loaded.environment, lean)
        kept = [(at, d) for at, d in described if _is_written(at, d, module)]
        names = [d.name for _, d in kept]
        pretty = _pretty(names, loaded.environment, lean)
        for at, declaration in kept:
            entries.append(_entry(module, at, declaration, pretty[declaration.name]))
        constructors += [d for _, d in described if d.kind == "constructor"]
    namespace = _main_namespace(entries, graph.target.name)
    core = _core(entries, loaded.environment, lean)
    return Theory(graph, loaded.environment, namespace, tuple(entries), tuple(constructors), core)


def defining_equations(theory: Theory, lean: Lean) -> dict[str, tuple[Law, ...]]:
    """The equations by which each function computes, as Lean derives them: ``f.eq_1``, ….

    An inductive predicate has what its constructors state. Those that do not fit into the language
    (local functions, matches inside) are left out; an ``if`` makes two equations with hypotheses.
    """
    found: dict[str, tuple[Law, ...]] = {}
    for constructor in theory.constructors:
        if constructor.inductive in theory.symbols:
            law = read_law(constructor.type, theory.symbols)
            if law is not None:
                found[constructor.inductive] = (*found.get(constructor.inductive, ()), law)
    functions = [n for n, s in theory.symbols.items() if not (s.is_constructor or s.is_background)]
    for name in [n for n in functions if n not in found]:
        equations = []
        for number in range(1, MAX_EQUATIONS + 1):
            type_ = _type_of(f"{name}.eq_{number}", theory, lean)
            if type_ is None:
                break
            equations += read_cases(type_, theory.symbols)
        found[name] = tuple(equations)
    return found


def _type_of(theorem: str, theory: Theory, lean: Lean) -> Any:
    """The type of a theorem that Lean makes on demand, or ``None`` when there is none."""
    statement = Statement(theory.environment, "equation", f": type_of% @{theorem}", theory.context)
    facts = lean.state(statement)
    return None if any(m.is_error for m in facts.messages) else facts.type


def nodes_of(theory: Theory) -> list[MethodNode]:
    """Method nodes for all that the authors wrote."""
    return [_node(entry) for entry in theory.entries]


def naming_of(theory: Theory) -> Naming:
    """Which constants are nodes of a theory; a constructor stands for its type."""
    owners = {e.declaration.name: e.declaration.name for e in theory.entries}
    for constructor in theory.constructors:
        if constructor.inductive in owners:
            owners[constructor.name] = constructor.inductive
    theorems = {e.declaration.name for e in theory.entries if e.declaration.kind == "theorem"}
    return Naming(owners, theorems)


def theory_uses(
    theory: Theory, session: Session, seconds: float = 0.0, cache: UseCache | None = None
) -> dict[str, Uses]:
    """What the declarations of a theory and of its local imports use, by their full names.

    Args:
        theory: Its modules are elaborated once more.
        session: Elaborates them.
        seconds: Wall-clock time for trying proofs without what they use, over all modules.
        cache: Where an unchanged module is looked up.

    Returns:
        Nothing for a module that Lean could not elaborate again.
    """
    naming = naming_of(theory)
    _imports, *modules = theory.environment.chain()
    share = seconds / max(1, len(modules))
    found: dict[str, Uses] = {}
    for module in modules:
        with suppress(SessionLost):
            found |= module_uses(session, module, naming, share, cache)
    return found


def contributions_of(theory: Theory, uses: Mapping[str, Uses] | None = None) -> list[Contribution]:
    """Edges between the declarations of a theory, rated by the evidence.

    Args:
        theory: The theory.
        uses: What each declaration uses, from :func:`theory_uses`; without them the types are
            counted, and a body is taken to mention each constant once.
    """
    naming = naming_of(theory)
    ids = {e.declaration.name: e.node_id for e in theory.entries}
    found = {e.declaration.name: _counted(e.declaration, naming) for e in theory.entries}
    found |= {name: use for name, use in (uses or {}).items() if name in found}
    inner = {child: {c: e for c, e in use.items() if c in ids} for child, use in found.items()}
    shares = Shares(Counter(c for use in inner.values() for c in use), len(inner))
    return [
        as_contribution(edge(ids[parent], ids[child], parent, evidence, shares))
        for child, use in inner.items()
        for parent, evidence in sorted(use.items())
    ]


def _counted(declaration: Declaration, naming: Naming) -> Uses:
    """What a declaration uses, as far as its description says."""
    stated = occurrences(declaration.type) if declaration.type is not None else Counter()
    stated.update(c for c in declaration.type_constants if c not in stated)
    is_definition = declaration.kind != "theorem"
    parts: dict[str, list[Evidence]] = {}
    for constant in sorted({*stated, *declaration.value_constants}):
        if constant.rpartition(".")[2].startswith(MATCHER):
            continue
        in_value = int(constant in declaration.value_constants)
        use = Evidence(stated[constant], in_value, definition=is_definition)
        parts.setdefault(naming.owner(constant), []).append(use)
    parts.pop(declaration.name, None)
    return {owner: merged(uses) for owner, uses in parts.items()}


def _describe(
    module: LoadedModule, environment: Environment, lean: Lean
) -> list[tuple[DeclaredAt, Declaration]]:
    names = [d.name for d in module.declared]
    found = lean.declarations(environment, names)
    return [(at, d) for at, d in zip(module.declared, found, strict=True) if d is not None]


def _is_written(at: DeclaredAt, declaration: Declaration, module: LoadedModule) -> bool:
    """Whether the author wrote a declaration, and Lean did not derive it from another one."""
    if declaration.internal or declaration.reserved or declaration.kind not in USER_KINDS:
        return False
    makes_type = any(
        d.span == at.span
        and d.name != declaration.name
        and declaration.name.startswith(f"{d.name}.")
        for d in module.declared
    )
    return declaration.kind == "inductive" or not makes_type


def _entry(module: LoadedModule, at: DeclaredAt, declaration: Declaration, pretty: str) -> Entry:
    first, last = at.span or (0, 0)
    text = module.module.text
    location = SourceLocation(
        document=str(module.module.path),
        first_line=line_of(text, first),
        last_line=line_of(text, last),
    )
    return Entry(declaration, module.module.name, location, pretty)


def _pretty(names: Iterable[str], environment: Environment, lean: Lean) -> dict[str, str]:
    """Lean's own rendering of each signature, without the name in front."""
    names = list(names)
    if not names:
        return {}
    commands = "".join(f"#check {name}\n" for name in names)
    messages = lean.messages(environment, "", commands)
    by_line = {m.line: m.text for m in messages if not m.is_error}
    out = {}
    for line, name in enumerate(names, start=1):
        out[name] = _signature(by_line.get(line, ""), name)
    return out


def _signature(checked: str, name: str) -> str:
    """What ``#check`` prints behind the name and its universe parameters."""
    rest = checked.removeprefix(name)
    if rest.startswith(".{"):
        rest = rest.partition("}")[2]
    return rest.strip()


def _node(entry: Entry) -> MethodNode:
    d = entry.declaration
    is_theorem = d.kind == "theorem"
    return MethodNode(
        id=entry.node_id,
        kind=NodeKind.THEOREM if is_theorem else NodeKind.DEFINITION,
        name=d.name,
        statement=entry.pretty,
        summary=(d.doc or "").strip(),
        label=label_of(d),
        symbols=tuple(sorted(d.type_constants)),
        axioms=d.axioms,
        premises=d.value_constants if is_theorem else (),
        module=entry.module,
        location=entry.location,
        lean_kind=d.kind,
        universes=d.level_params,
        features=statement_features(d.type),
        canonical=statement_key(d.type) if is_theorem else "",
    )


def _main_namespace(entries: Iterable[Entry], module: str) -> str:
    """The namespace that holds most functions of a module; ties go to the first."""
    own = [e.declaration for e in entries if e.module == module]
    spaces = Counter(d.name.rpartition(".")[0] for d in own if d.kind in ("definition", "theorem"))
    return spaces.most_common(1)[0][0] if spaces else ""


def _core(
    entries: Iterable[Entry], environment: Environment, lean: Lean
) -> tuple[Declaration, ...]:
    """What definitions mention of core, with the constructors of its types."""
    written = [e.declaration for e in entries]
    own = {d.name for d in written}
    constants = (c for d in written for c in (*d.type_constants, *d.value_constants))
    mentioned = dict.fromkeys(c for c in constants if c not in own)
    found = [d for d in lean.declarations(environment, list(mentioned)) if d is not None]
    makers = [c for d in found if d.kind == "inductive" for c in d.constructors if c not in own]
    made = [d for d in lean.declarations(environment, makers) if d is not None]
    return tuple({d.name: d for d in (*found, *made)}.values())


def _of_core(core: Iterable[Declaration], symbols: Iterable[Symbol]) -> list[Symbol]:
    """Constructors and functions of core for the types that the symbols of a theory speak of.

    ``Nat`` and ``Bool`` have :data:`engine.language.core.BACKGROUND` instead of constructors.
    """
    types = {h for s in symbols for t in (*s.params, s.result) for h in _heads(t)}
    found = []
    for declaration in core:
        is_constructor = declaration.kind == "constructor"
        if is_constructor and (declaration.inductive not in types - PLAIN):
            continue
        if not is_constructor and (declaration.kind != "definition" or _is_device(declaration)):
            continue
        text = WRITTEN.get(declaration.name, declaration.name)
        symbol = read_symbol(declaration, text)
        if symbol is None or not (is_constructor or symbol.params):
            continue
        heads = {h for t in (*symbol.params, symbol.result) for h in _heads(t)}
        if heads & types:
            found.append(replace(symbol, is_background=True))
    return found


PLAIN = frozenset({"Nat", "Bool"})
DEVICES = frozenset({"below", "brecOn", "rec", "recOn", "casesOn", "ndrec", "fix", "decide"})
"""Last components of the names of what definitions compile to, and nobody writes."""


def _is_device(declaration: Declaration) -> bool:
    last = declaration.name.rpartition(".")[2]
    compiled = last in DEVICES or last.startswith((MATCHER, "inst", "noConfusion"))
    compiled = compiled or declaration.name in NOTATIONS
    return compiled or declaration.internal or declaration.reserved


def _background(symbols: Iterable[Symbol], mentioned: set[str]) -> list[Symbol]:
    """Functions of the core types that the symbols speak of, as far as they are likely of use."""
    types = {part for s in symbols for t in (*s.params, s.result) for part in _heads(t)}
    found = []
    for core_type, candidates in BACKGROUND.items():
        if core_type in types:
            found += [
                s for s in candidates if s.name in ALWAYS_USED or s.name.split(" ")[0] in mentioned
            ]
    return found


def _heads(t: Type) -> set[str]:
    return {t.head} | {h for a in t.args for h in _heads(a)}
