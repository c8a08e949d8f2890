"""The ground on which a statement is proved: what stands before it, and which lemmas that gives.

A theorem that is still open is no ground for anything, and as a rule of the simplifier it would
spoil every proof. So a search takes place where open theorems are left out, if what follows them
compiles without them; the verdict comes later, in the text as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.proving.filling import Fill, filled
from engine.proving.problem import Problem
from verifier.audit import ALLOWED_AXIOMS, SORRY_AXIOM
from verifier.lean import Declaration, DeclaredAt, Environment
from verifier.outline import Outline
from verifier.prover.hints import Hints, Lemma
from verifier.prover.shape import Constants, shape_of
from verifier.session import Session
from verifier.verifier import Verifier

MANY_LEMMAS = 40


@dataclass(frozen=True)
class State:
    """How far the theorems of a document are.

    Attributes:
        fills: By the id of each problem that has some.
        proved: Problems whose proof is whole. problems: All of the document, in order.
    """

    problems: tuple[Problem, ...]
    fills: Mapping[str, tuple[Fill, ...]]
    proved: frozenset[str]

    def before(self, problem: Problem) -> str:
        """The text before a problem's command, filled as far as it is."""
        end = problem.command[0]
        fills = [f for p in self._earlier(problem) for f in self.fills.get(p.id, ())]
        return filled(problem.document.text.encode()[:end], fills).decode()

    def without_open(self, problem: Problem) -> str:
        """The same without the theorems that are still open."""
        end = problem.command[0]
        fills: list[Fill] = []
        for p in self._earlier(problem):
            if p.fault or p.id in self.proved:
                fills += self.fills.get(p.id, ())
            else:
                fills.append(Fill(*p.command, ""))
        return filled(problem.document.text.encode()[:end], fills).decode()

    def _earlier(self, problem: Problem) -> list[Problem]:
        return [p for p in self.problems if p.command[1] <= problem.command[0]]


@dataclass(frozen=True)
class Ground:
    """Where a problem is searched: an environment, and the names that its text declares."""

    environment: Environment
    declared: tuple[str, ...]


def search_ground(session: Session, state: State, problem: Problem) -> Ground:
    """The best place for a search: without open theorems, if that leaves nothing broken."""
    actual = state.before(problem)
    without = state.without_open(problem)
    document = problem.document
    if without != actual:
        outline = session.outline(document.environment, without, document.start)
        if not outline.errors:
            return _ground(outline)
    return _ground(session.outline(document.environment, actual, document.start))


def actual_ground(session: Session, state: State, problem: Problem) -> Ground:
    """The text before the problem as it stands."""
    document = problem.document
    return _ground(session.outline(document.environment, state.before(problem), document.start))


def _ground(outline: Outline) -> Ground:
    return Ground(outline.environment, written(outline.declarations))


def written(declared: Sequence[DeclaredAt]) -> tuple[str, ...]:
    """The names that stand in the text; Lean makes others beside them (``Seq.cons.inj``)."""
    by_command: dict[tuple[int, int] | None, list[str]] = {}
    for at in declared:
        by_command.setdefault(at.span, []).append(at.name)
    return tuple(
        name
        for names in by_command.values()
        for name in names
        if not any(name.startswith(f"{other}.") for other in names)
    )


def hints_for(
    verifier: Verifier, session: Session, ground: Ground, problem: Problem, known: Sequence[str]
) -> Hints:
    """Proved theorems that speak of nothing but what the statement speaks of, the latest first.

    Args:
        verifier: Has the facts of the statement.
        session: Describes constants.
        ground: Where the statement is searched.
        problem: The statement.
        known: Declarations of the local modules that the document imports.
    """
    statement = problem.statement(ground.environment)
    finding, facts = verifier.check_statement(statement)
    if finding is not None or facts is None:
        return Hints()
    names = [n for n in (*known, *ground.declared) if not n.startswith("_private.")]
    described = session.declarations(ground.environment, names)
    declarations = [d for d in described if d is not None and not (d.internal or d.reserved)]
    constants = shape_of(facts, ground.environment, Constants(session)).constants
    foreign = {d.name for d in declarations if d.kind == "definition"} - constants
    lemmas = [d.name for d in declarations if _is_sound(d) and foreign.isdisjoint(d.type_constants)]
    return Hints(lemmas=tuple(Lemma(name) for name in lemmas[-MANY_LEMMAS:]))


def _is_sound(declaration: Declaration) -> bool:
    sound = set(declaration.axioms) <= ALLOWED_AXIOMS and not declaration.unsafe
    return declaration.kind == "theorem" and sound


def rests_on_sorry(
    verifier: Verifier, session: Session, environment: Environment, problem: Problem
) -> tuple[str, ...]:
    """Constants of a statement that were defined with ``sorry``: nothing can be proved of them."""
    finding, facts = verifier.check_statement(problem.statement(environment))
    if finding is not None or facts is None:
        return ()
    described = session.declarations(environment, facts.constants)
    return tuple(d.name for d in described if d is not None and SORRY_AXIOM in d.axioms)
