"""Makes the data set of :mod:`engine.evaluation.premises`: proofs of core lemmas, by real Lean.

Lemmas are drawn area by area, so that lists do not crowd out strings. A lemma is stated again from
the text that the library prints; text that Lean does not read back as the same proposition is
skipped. Then short attempts run, the cheap ones first, and the first proof counts that uses a
theorem worth looking for. The premises of a proof come from its term, not from its text. No attempt
uses retrieval, since the data judge it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, zip_longest
from pathlib import Path

import orjson

from engine.evaluation.premises import (
    INTERNAL,
    LOGIC,
    PLUMBING_SHARE,
    PremiseHeader,
    PremiseLemma,
    PremiseSet,
    area_of,
    is_derived,
    is_sought,
    origin_of,
    plumbing_of,
    restated,
    sorted_premises,
)
from engine.model import MethodNode, NodeKind
from engine.trees.statement import statement_key
from verifier.lean import ProofFacts, Statement, StatementFacts
from verifier.progress import Progress, SilentProgress
from verifier.prover.expression import Binder, Expression, head_constant, spine, telescope
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verifier import Verifier

SECONDS = 5.0
"""Of one attempt; Lean's own limit in :data:`BOUND` comes earlier and does not cost the session."""

BOUND = "set_option maxHeartbeats 8000"
AREA_LIMIT = 80
"""Lemmas of one area at most, of some 60 areas."""

FRUITLESS = 10
"""Lemmas of an area that are tried before it is left for want of any success."""

LONGEST = 600
"""Characters of a signature: longer ones are about machinery."""

CARRIERS = ("toBitVec", "toNat", "toInt", "toFin", "toList", "toArray", "val")
"""Functions by which a type is carried over to another one."""

UNFOLDED = 4
"""Functions of a statement that are unfolded together."""

MANY = 2
"""Variables that are tried for a case split or an induction."""

RECURSIVE = frozenset({"List", "Nat"})
UNSPLITTABLE = frozenset({"Eq", "Iff", "Ne", "Not", "LE.le", "LT.lt", "Membership.mem"})
SKIPPED_MODULES = (
    "Init.Grind",
    "Init.Omega",
    "Init.Meta",
    "Init.Internal",
    "Std.Do",
    "Std.Tactic",
)


@dataclass(frozen=True)
class Attempt:
    """A kind of proof, and its Lean text."""

    name: str
    proof: str


def candidates(nodes: Iterable[MethodNode], seed: int, least: int = 1) -> Iterator[MethodNode]:
    """Theorems to try, a random one of each area in turn.

    Args:
        nodes: The library.
        seed: Of the order within the areas.
        least: Theorems that an area must have to be drawn from.
    """
    areas: dict[str, list[MethodNode]] = {}
    for node in nodes:
        if _is_candidate(node):
            areas.setdefault(area_of(node.name or ""), []).append(node)
    generator = random.Random(seed)
    rows = [sorted(areas[a], key=lambda n: n.id) for a in sorted(areas) if len(areas[a]) >= least]
    for row in rows:
        generator.shuffle(row)
    for turn in zip_longest(*rows):
        yield from (node for node in turn if node is not None)


def _is_candidate(node: MethodNode) -> bool:
    name = node.name or ""
    return (
        is_sought(node)
        and not node.private
        and node.deprecated is None
        and not name.startswith(INTERNAL)
        and not node.module.startswith(SKIPPED_MODULES)
        and ".Internal." not in f".{name}."
        and not any(part.startswith("_") for part in name.split("."))
        and len(node.statement) <= LONGEST
        and not is_derived(name)
    )


def attempts(facts: StatementFacts, nodes: Mapping[str, MethodNode]) -> Iterator[Attempt]:
    """Proofs to try, the cheap ones first.

    Args:
        facts: About the elaborated statement; its binders offer what to split.
        nodes: The library, by name; definitions of the statement are unfolded.
    """
    binders, conclusion = telescope(facts.type)
    data, recursive = _variables(binders)
    yield from (Attempt(closer, f"by {closer}") for closer in ("simp", "simp_all", "grind"))
    yield Attempt("intros, simp_all", "by intros; simp_all")
    for injection in _injections(conclusion, nodes):
        yield Attempt("injection, simp", f"by simp [← {injection}]")
    for name in data:
        yield from _each_case("cases", f"cases {name}")
    yield from _unfolding(facts, data, nodes)
    for name in recursive:
        yield from _each_case("induction", f"induction {name}")
    for name, other in permutations(recursive, 2):
        header = f"induction {name} generalizing {other}"
        yield Attempt("induction, simp_all", f"by {header} <;> simp_all")
        yield Attempt("induction, cases", f"by {header} <;> cases {other} <;> simp_all")
    if head_constant(conclusion) == "Eq":
        yield from _each_case("ext", "ext")
    else:
        yield from _each_case("constructor", "constructor")
    yield Attempt("split, simp_all", "by split <;> simp_all")


def _each_case(name: str, header: str) -> Iterator[Attempt]:
    for closer in ("simp_all", "grind"):
        yield Attempt(f"{name}, {closer}", f"by {header} <;> {closer}")


def _injections(conclusion: Expression, nodes: Mapping[str, MethodNode]) -> list[str]:
    """Lemmas ``T.f_inj`` for an equation in the type ``T``: they carry it over to another type."""
    head, arguments = spine(conclusion)
    type_ = head_constant(arguments[0]) if head[:2] == ["c", "Eq"] and arguments else None
    names = (f"{type_}.{function}_inj" for function in CARRIERS)
    return [name for name in names if name in nodes]


def _unfolding(
    facts: StatementFacts, data: Sequence[str], nodes: Mapping[str, MethodNode]
) -> Iterator[Attempt]:
    """Proofs that unfold the functions of the statement."""
    functions = [c for c in facts.constants if _is_function(nodes.get(c))]
    if not functions:
        return
    rules = ", ".join(functions[:UNFOLDED])
    yield Attempt("unfold, simp", f"by simp [{rules}]")
    for name in data:
        yield Attempt("cases, unfold", f"by cases {name} <;> simp_all [{rules}]")


def _is_function(node: MethodNode | None) -> bool:
    if node is None or node.name is None or node.lean_kind != "definition":
        return False
    return "." in node.name and not node.name.rpartition(".")[2].startswith("inst")


def _variables(binders: Sequence[Binder]) -> tuple[list[str], list[str]]:
    """Names of variables that a proof can split, and of those with an induction principle."""
    heads = {b.name: head_constant(b.type) for b in binders if b.accessible}
    data = [n for n, head in heads.items() if head and head not in UNSPLITTABLE]
    recursive = [n for n in data if heads[n] in RECURSIVE]
    return data[:MANY], recursive[:MANY]


class PremiseMaker:
    """Finds proofs with premises in one session.

    Args:
        session: A session, warm or not.
        verifier: Has the last word on each proof.
        nodes: The library.
    """

    def __init__(self, session: Session, verifier: Verifier, nodes: Sequence[MethodNode]) -> None:
        self._session = session
        self._verifier = verifier
        self._nodes = {node.name: node for node in nodes if node.name}
        self._groups: dict[str, list[str]] = {}
        for node in nodes:
            if node.kind is NodeKind.THEOREM and node.canonical and node.name:
                self._groups.setdefault(node.canonical, []).append(node.name)

    def lemma(self, node: MethodNode) -> PremiseLemma | None:
        """The lemma with a proof, or ``None`` where none is found."""
        try:
            return self._found(node)
        except SessionLost:
            return None

    def aliases(self, node: MethodNode) -> tuple[str, ...]:
        """Other theorems that say the same."""
        group = self._groups.get(node.canonical, []) if node.canonical else []
        return tuple(sorted(name for name in group if name != node.name))

    def _found(self, node: MethodNode) -> PremiseLemma | None:
        assert node.name is not None
        hidden = (node.name, *self.aliases(node))
        final = restated(node.statement, node.universes, hidden)
        finding, facts = self._verifier.check_statement(final)
        if finding is not None or facts is None or statement_key(facts.type) != node.canonical:
            return None
        bounded = Statement(final.environment, final.name, final.signature, _bounded(final.context))
        for attempt in attempts(facts, self._nodes):
            proved = self._session.prove(bounded, attempt.proof, SECONDS, False, False)
            if not _is_proved(proved) or not self._is_worth(proved.premises, hidden):
                continue
            if lemma := self._checked(node, final, hidden[1:], attempt):
                return lemma
        return None

    def _is_worth(self, constants: Sequence[str], hidden: Sequence[str]) -> bool:
        """Whether a proof has a premise to look for, and does not use what it must not."""
        if any(origin_of(c, self._nodes) in hidden for c in constants):
            return False
        theorems, _ = sorted_premises(constants, self._nodes)
        return any(self._nodes[name].module not in LOGIC for name in theorems)

    def _checked(
        self, node: MethodNode, statement: Statement, aliases: tuple[str, ...], attempt: Attempt
    ) -> PremiseLemma | None:
        verdict = self._verifier.check(statement, attempt.proof)
        if not verdict.verified or verdict.vacuous:
            return None
        if not self._is_worth(verdict.premises, (node.name or "", *aliases)):
            return None
        theorems, definitions = sorted_premises(verdict.premises, self._nodes)
        return PremiseLemma(
            name=node.name or "",
            module=node.module,
            universes=node.universes,
            signature=node.statement,
            aliases=aliases,
            attempt=attempt.name,
            proof=attempt.proof,
            premises=theorems,
            definitions=definitions,
        )


def _bounded(context: str) -> str:
    return f"{context}\n{BOUND}" if context else BOUND


def _is_proved(facts: ProofFacts) -> bool:
    return facts.present and not any(m.is_error for m in facts.messages)


def make_premises(
    maker: PremiseMaker,
    nodes: Sequence[MethodNode],
    count: int,
    seed: int,
    toolchain: str,
    journal: Path,
    progress: Progress | None = None,
) -> PremiseSet:
    """Makes a data set; what the journal has from an interrupted run is not done again.

    Args:
        maker: Finds the proofs.
        nodes: The library.
        count: Lemmas to find.
        seed: Of the draw.
        toolchain: Which Lean proves.
        journal: A line for each lemma that was tried; the caller deletes it.
        progress: Told of each lemma that is found.
    """
    progress = progress or SilentProgress()
    progress.stage("proofs of core lemmas", count)
    known = _read(journal)
    areas: dict[str, _Area] = {}
    found: list[PremiseLemma] = []
    with journal.open("ab") as lines:
        for node in candidates(nodes, seed):
            area = areas.setdefault(area_of(node.name or ""), _Area())
            if area.is_done:
                continue
            if node.id not in known:
                known[node.id] = maker.lemma(node)
                lines.write(_line(node.id, known[node.id]))
                lines.flush()
            area.tried += 1
            if (lemma := known[node.id]) is not None:
                area.found += 1
                found.append(lemma)
                progress.advance(1)
            if len(found) >= count:
                break
    progress.done()
    by_name = {node.name: node for node in nodes if node.name}
    tried = sum(area.tried for area in areas.values())
    return finished(found, by_name, tried, seed, toolchain)


@dataclass
class _Area:
    """How an area has done so far."""

    tried: int = 0
    found: int = 0

    @property
    def is_done(self) -> bool:
        fruitless = self.tried >= FRUITLESS and self.found == 0
        return fruitless or self.found >= AREA_LIMIT


def finished(
    lemmas: Sequence[PremiseLemma],
    nodes: Mapping[str, MethodNode],
    tried: int,
    seed: int,
    toolchain: str,
) -> PremiseSet:
    """The data set: plumbing is found by counting; lemmas with no other premises are dropped."""
    plumbing = plumbing_of(lemmas, nodes, PLUMBING_SHARE)
    header = PremiseHeader(
        toolchain=toolchain, seed=seed, threshold=PLUMBING_SHARE, tried=tried, plumbing=plumbing
    )
    kept = tuple(lemma for lemma in lemmas if not set(lemma.premises) <= set(plumbing))
    return PremiseSet(header=header, lemmas=kept)


def _line(node: str, lemma: PremiseLemma | None) -> bytes:
    content = lemma.model_dump(mode="json") if lemma else None
    return orjson.dumps({"node": node, "lemma": content}) + b"\n"


def _read(journal: Path) -> dict[str, PremiseLemma | None]:
    if not journal.exists():
        return {}
    rows = {r["node"]: r["lemma"] for r in map(orjson.loads, journal.read_bytes().splitlines())}
    return {n: PremiseLemma.model_validate(row) if row else None for n, row in rows.items()}
