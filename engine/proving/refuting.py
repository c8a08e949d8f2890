"""Small values against a statement: where it fails, Lean proves its negation.

The statement is applied to constructor terms, type variables to ``Bool``: hypotheses must hold
there, by ``decide``, and the conclusion must not. Where Lean cannot tell, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from engine.proving.problem import Problem
from verifier.lean import Environment, Statement
from verifier.prover.expression import Binder, Expression, head_constant, parts, spine, telescope
from verifier.prover.shape import PROPOSITION, Constants
from verifier.session import Session
from verifier.verdict import Verdict
from verifier.verifier import Verifier

MANY = 24
PER_VARIABLE = 8
DEEP = 3
SECONDS = 10.0  # Lean ends sooner by itself; this one costs the session
HEARTBEATS = 10_000
INSTANCE = 3  # a binder in square brackets
MARK = "refuted by "
WAYS = (("decide",), ("intro e", "cases e"))
"""Why a conclusion does not hold: Lean decides it, or its sides are other constructors."""

BOOLEAN = ["c", "Bool", []]
UNKNOWN = ["unknown"]
LITERALS = {
    "Nat": ("0", "1", "2", "3"),
    "Int": ("0", "1", "-1", "2"),
    "Bool": ("true", "false"),
    "Unit": ("()",),
}


@dataclass(frozen=True)
class Refutation:
    """A proof of a statement's negation, and the values that it uses."""

    verdict: Verdict
    proof: str
    values: str


def refute(
    session: Session, verifier: Verifier, problem: Problem, environment: Environment, text: str
) -> Refutation | None:
    """Looks for a counterexample among small values.

    Args:
        session: Elaborates.
        verifier: Checks the negation's proof.
        problem: The statement.
        environment: Where it is searched.
        text: What stands before it there.
    """
    finding, facts = verifier.check_statement(problem.statement(environment))
    if finding is not None or facts is None or problem.name.startswith("example_"):
        return None
    arguments = _Values(Constants(session), environment).arguments(facts.type)
    if not arguments:
        return None
    document = problem.document
    command = f"{text}{document.slice(problem.command)}\n"
    place = session.outline(document.environment, command, document.start).environment
    levels = f".{{{', '.join('0' for _ in facts.level_params)}}}" if facts.level_params else ""
    bare = problem.name.partition(".{")[0]
    statement = Statement(place, "refutation", f": ¬ (type_of% @{bare}{levels})", problem.context)
    return _proved(verifier, statement, facts.type, arguments)


def _proved(
    verifier: Verifier, statement: Statement, type_: Expression, rows: Sequence[Sequence[str]]
) -> Refutation | None:
    finding, _ = verifier.check_statement(statement)
    if finding is not None:
        return None
    said = [f"@h {' '.join(row)}" if row else "h" for row in rows]
    tries = [
        f'(refine absurd ({call}) ?_; {"; ".join(way)}; done; trace "{MARK}{n}.{w}")'
        for n, call in enumerate(said)
        for w, way in enumerate(WAYS)
    ]
    searched = "by\n  intro h\n  first\n" + "".join(f"  | {t}\n" for t in tries)
    limit = f"set_option maxHeartbeats {HEARTBEATS}"
    bounded = replace(statement, context=f"{statement.context}\n{limit}")
    facts = verifier.lean.prove(bounded, searched, SECONDS, False)
    traces = [m.text for m in facts.messages if m.text.startswith(MARK)]
    if not traces:
        return None
    number, way = map(int, traces[0].removeprefix(MARK).split("."))
    steps = ("intro h", f"refine absurd ({said[number]}) ?_", *WAYS[way])
    proof = "\n  ".join(("by", *steps))
    verdict = verifier.check(statement, proof)
    values = _shown(type_, rows[number])
    return Refutation(verdict, proof, values) if verdict.verified else None


def _shown(type_: Expression, row: Sequence[str]) -> str:
    binders, _ = telescope(type_)
    pairs = [
        f"{binder.name} := {value}"
        for binder, value in zip(binders, row, strict=False)
        if binder.accessible and not value.startswith("(by ")
    ]
    return ", ".join(pairs) or "no variables"


class _Values:
    """Closed terms of small size as Lean text."""

    def __init__(self, constants: Constants, environment: Environment) -> None:
        self._constants = constants
        self._environment = environment

    def arguments(self, type_: Expression) -> list[tuple[str, ...]]:
        """Arguments for a statement of this type, the smallest first."""
        binders, _ = _telescope(type_)
        columns: list[tuple[str, ...]] = []
        chosen: list[Expression] = []
        for binder, info in binders:
            column, stands_for = self._column(_instantiated(binder.type, chosen), info)
            columns.append(column)
            chosen.append(stands_for)
        if not all(columns):
            return []
        ranges = [range(len(column)) for column in columns]
        orders = sorted(islice(product(*ranges), 20_000), key=lambda row: (sum(row), row))
        return [tuple(c[i] for c, i in zip(columns, row, strict=True)) for row in orders[:MANY]]

    def _column(self, type_: Expression, info: int) -> tuple[tuple[str, ...], Expression]:
        """Values of a binder, and what later types see in its place."""
        if info == INSTANCE:
            return ("(by infer_instance)",), UNKNOWN
        if type_[0] == "s" and type_ != PROPOSITION:
            return ("Bool",), BOOLEAN
        if self._is_proposition(type_):
            return ("(by decide)",), UNKNOWN
        return tuple(islice(self.values(type_, DEEP), PER_VARIABLE)), UNKNOWN

    def _is_proposition(self, type_: Expression) -> bool:
        head = head_constant(telescope(type_)[1])
        declaration = (
            self._constants.describe(self._environment, [head]).get(head) if head else None
        )
        if declaration is None or declaration.type is None:
            return False
        return bool(telescope(declaration.type)[1] == PROPOSITION)

    def values(self, type_: Expression, depth: int) -> Iterator[str]:
        """Values of a type, small ones first."""
        if type_ == PROPOSITION:
            yield from ("True", "False")
        elif type_[0] == "p":
            if type_[2] == type_[3]:
                yield "(fun x => x)"
            yield from (f"(fun _ => {v})" for v in islice(self.values(type_[3], depth - 1), 3))
        elif (head := head_constant(type_)) in LITERALS:
            yield from LITERALS[head or ""]
        elif head is not None:
            yield from self._constructed(head, spine(type_)[1], depth)

    def _constructed(self, head: str, arguments: list[Expression], depth: int) -> Iterator[str]:
        declaration = self._constants.describe(self._environment, [head]).get(head)
        if declaration is None or declaration.kind != "inductive" or declaration.indices:
            return
        described = self._constants.describe(self._environment, declaration.constructors)
        for constructor in declaration.constructors:
            known = described.get(constructor)
            if known is not None and known.type is not None:
                yield from self._applied(constructor, known.type, arguments, depth)

    def _applied(
        self, constructor: str, type_: Expression, parameters: list[Expression], depth: int
    ) -> Iterator[str]:
        binders, _ = telescope(type_)
        chosen = list(parameters)
        columns = []
        for binder in binders[len(parameters) :]:
            field = _instantiated(binder.type, chosen)
            below = islice(self.values(field, depth - 1), PER_VARIABLE) if depth else ()
            columns.append(tuple(below))
            chosen.append(UNKNOWN)
        if all(columns):
            rows = sorted(
                islice(product(*(range(len(c)) for c in columns)), 200), key=lambda r: (sum(r), r)
            )
            for row in rows[:PER_VARIABLE]:
                said = [c[i] for c, i in zip(columns, row, strict=True)]
                yield f"({' '.join((constructor, *said))})" if said else constructor


def _telescope(type_: Expression) -> tuple[list[tuple[Binder, int]], Expression]:
    """The binders of a type, each with how it is written."""
    infos = []
    at = type_
    while at[0] == "p":
        infos.append(int(at[4]))
        at = at[3]
    binders, conclusion = telescope(type_)
    return list(zip(binders, infos, strict=True)), conclusion


def _instantiated(type_: Expression, chosen: Sequence[Expression], depth: int = 0) -> Expression:
    """The type with what the binders around it stand for."""
    if type_[0] == "v":
        outer = type_[1] - depth
        return chosen[len(chosen) - 1 - outer] if 0 <= outer < len(chosen) else type_
    new = list(type_)
    for part, under in parts(type_):
        at = next(i for i, x in enumerate(type_) if x is part)
        new[at] = _instantiated(part, chosen, depth + under)
    return new
