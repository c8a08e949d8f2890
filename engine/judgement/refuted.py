"""Refuted laws of earlier runs: whatever falls for the same reason falls without work.

A law of which a refuted one is an instance is refuted by the same values, by calculation alone.
For any other law the values that refuted something before are tried first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from engine.language.core import LOGIC
from engine.language.printing import term_text, type_text
from engine.language.rewriting import is_instance
from engine.language.semantics import Interpretation, at_test_type
from engine.language.term import Equation, Law, Symbol, Term, Type, match
from engine.store import RefutationRecord, Store, WitnessValue
from verifier.errors import InputError

ROWS = 40
"""Rows of stored values that are tried on a law."""


@dataclass(frozen=True)
class Killed:
    """A law that falls for the reason for which another one fell before.

    Attributes:
        canonical: Key of the earlier law.
        values: Lean text of each variable's value, at the test type.
        left: Value of the left side there. right: Of the right side.
        by: How it was found: the earlier law is an ``instance``, or its ``values`` were tried.
    """

    canonical: str
    values: tuple[tuple[str, str], ...]
    left: str
    right: str
    by: str

    @property
    def reason(self) -> str:
        """The same in words."""
        if self.by == "instance":
            return f"a refuted law is an instance of it: {self.canonical}"
        return f"the values that refuted {self.canonical} refute it"


@dataclass(frozen=True)
class _Shape:
    law: Law
    record: RefutationRecord


class RefutedLaws:
    """The refuted laws of a theory, from all runs.

    Args:
        store: Where they are kept; open for writing where :meth:`add` is called.
        theory: Name of the theory.
        symbols: Its symbols by Lean name; laws with others are left out.
    """

    def __init__(self, store: Store, theory: str, symbols: Mapping[str, Symbol]) -> None:
        self._store = store
        self._theory = theory
        self._symbols = {**LOGIC, **symbols}
        self._shapes = [s for r in store.refutations(theory) if (s := self._shape(r))]

    def __len__(self) -> int:
        return len(self._shapes)

    @property
    def laws(self) -> list[Law]:
        """The refuted laws."""
        return [shape.law for shape in self._shapes]

    def kill(self, law: Law, interpretation: Interpretation) -> Killed | None:
        """Values at which a law fails, if one that fell before shows them.

        Args:
            law: The law.
            interpretation: Evaluates the law at stored values.
        """
        killed = self.by_instance(law) or self._by_values(law, interpretation)
        if killed is not None:
            self._store.count_kill(self._theory, killed.canonical)
        return killed

    def by_instance(self, law: Law) -> Killed | None:
        """The same, by calculation alone: a refuted law that the law would imply."""
        for shape in self._shapes:
            if not is_instance(shape.law, law):
                continue
            values = _transported(law, shape)
            if values is not None:
                record = shape.record
                left, right = _sides(record.counterexample)
                return Killed(record.canonical, values, left, right, "instance")
        return None

    def rows(self, law: Law) -> Iterator[tuple[RefutationRecord, tuple[str, ...]]]:
        """Stored values that fit the variables of a law, as Lean text, each row once."""
        wanted = [type_text(at_test_type(t)) for _, t in law.types]
        seen: set[tuple[str, ...]] = set()
        for shape in self._shapes:
            for row in _fitting(wanted, shape.record.assignment):
                if row not in seen:
                    seen.add(row)
                    yield shape.record, row
                if len(seen) >= ROWS:
                    return

    def add(self, canonical: str, law: Law, values: Sequence[tuple[str, str]]) -> None:
        """Keeps a refuted law; its candidate must be remembered already.

        Args:
            canonical: Key of the law.
            law: The law.
            values: Lean text of the value of each of its variables, at the test type.
        """
        given = dict(values)
        types = {name: type_text(at_test_type(t)) for name, t in law.types}
        if not set(types) <= set(given):
            return  # a variable without a value: nothing to try again
        assignment = tuple(
            WitnessValue(variable=name, type=types[name], value=given[name]) for name in types
        )
        self._store.remember_refutation(self._theory, canonical, law_json(law), assignment)
        known = self._store.candidate_by_key(self._theory, canonical)
        record = RefutationRecord(
            theory=self._theory,
            canonical=canonical,
            statement=known.candidate.statement if known else "",
            counterexample=known.counterexample if known else "",
            law=law_json(law),
            assignment=assignment,
            kills=0,
        )
        self._shapes.append(_Shape(law, record))

    def _shape(self, record: RefutationRecord) -> _Shape | None:
        law = law_from_json(record.law, self._symbols)
        return None if law is None else _Shape(law, record)

    def _by_values(self, law: Law, interpretation: Interpretation) -> Killed | None:
        found = list(self.rows(law))
        rows, records = [], []
        for record, texts in found:
            numbers = [
                _number(text, type_text(at_test_type(t)), interpretation)
                for text, (_, t) in zip(texts, law.types, strict=True)
            ]
            if None not in numbers:
                rows.append([n for n in numbers if n is not None])
                records.append((record, texts))
        if not rows or not law.types:
            return None
        columns = {
            name: (at_test_type(t), [row[i] for row in rows])
            for i, (name, t) in enumerate(law.types)
        }
        try:
            admitted = _all_equal(law.hypotheses, columns, interpretation)
            left = interpretation.evaluate(law.lhs, columns)
            right = interpretation.evaluate(law.rhs, columns)
        except KeyError:  # a symbol that Lean does not compile
            return None
        for case, (record, texts) in enumerate(records):
            if admitted[case] and left[case] >= 0 <= right[case] and left[case] != right[case]:
                names = [name for name, _ in law.types]
                shown = [interpretation.describe(v) for v in (left[case], right[case])]
                pairs = tuple(zip(names, texts, strict=True))
                return Killed(record.canonical, pairs, shown[0], shown[1], "values")
        return None


def _number(text: str, type_: str, interpretation: Interpretation) -> int | None:
    """The evaluator's number of a value that is given as Lean text."""
    index = interpretation.index(f"value {text} : {type_}", f"({text} : {type_})")
    if index is None:
        return None
    (number,) = interpretation.evaluator.apply([(index,)])
    return number if number >= 0 else None


def _all_equal(
    equations: Sequence[Equation],
    columns: Mapping[str, tuple[Type, Sequence[int]]],
    interpretation: Interpretation,
) -> list[bool]:
    """In which cases all equations hold."""
    cases = len(next(iter(columns.values()))[1])
    holds = [True] * cases
    for equation in equations:
        left = interpretation.evaluate(equation.lhs, columns)
        right = interpretation.evaluate(equation.rhs, columns)
        holds = [h and a == b >= 0 for h, a, b in zip(holds, left, right, strict=True)]
    return holds


def _fitting(wanted: Sequence[str], values: Sequence[WitnessValue]) -> Iterator[tuple[str, ...]]:
    """The values by type, in their order and in the reverse one."""
    by_type: dict[str, list[str]] = {}
    for value in values:
        by_type.setdefault(value.type, []).append(value.value)
    if not set(wanted) <= set(by_type):
        return
    for turn in (1, -1):
        used = dict.fromkeys(by_type, 0)
        row = []
        for type_ in wanted:
            pool = by_type[type_][::turn]
            row.append(pool[used[type_] % len(pool)])
            used[type_] += 1
        yield tuple(row)


def _transported(law: Law, shape: _Shape) -> tuple[tuple[str, str], ...] | None:
    """The values of a law's variables at which it is the refuted instance at its values."""
    for side in (law, law.flipped()):
        bound = match(side.lhs, shape.law.lhs)
        if bound is None or match(side.rhs, shape.law.rhs, bound) is None:
            continue
        types = dict(shape.law.types)
        at = {
            v.variable: value_term(v.value, at_test_type(types[v.variable]))
            for v in shape.record.assignment
        }
        terms = {name: bound[name].substitute(at) for name, _ in law.types if name in bound}
        if len(terms) == len(law.types):
            return tuple((name, term_text(term)) for name, term in terms.items())
    return None


def value_term(text: str, type_: Type) -> Term:
    """A value of a closed type that is given as Lean text, as a term without arguments."""
    closed = f"({text} : {type_text(type_)})"
    return Term(Symbol(closed, (), type_, f"({text})", closed))


def _sides(counterexample: str) -> tuple[str, str]:
    """Left and right value of a printed counterexample, ``…: left ≠ right``."""
    left, _, right = counterexample.rpartition(": ")[2].partition(" ≠ ")
    return left, right


# -- laws as JSON -------------------------------------------------------------------------------


def law_json(law: Law) -> str:
    """A law as canonical JSON text."""
    document = {
        "parts": [[_term_json(part.lhs), _term_json(part.rhs)] for part in law.parts()],
        "types": [[name, _type_json(t)] for name, t in law.types],
    }
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS).decode()


def law_from_json(text: str, symbols: Mapping[str, Symbol]) -> Law | None:
    """A law that was written by :func:`law_json`, or ``None`` if a symbol is not there any more.

    Raises:
        InputError: The text is nothing of the kind.
    """
    try:
        document = orjson.loads(text)
        parts = [
            Equation(_term(lhs, symbols), _term(rhs, symbols)) for lhs, rhs in document["parts"]
        ]
        types = tuple((str(name), _type(t)) for name, t in document["types"])
    except KeyError:
        return None
    except (ValueError, TypeError) as error:
        raise InputError(
            "a stored law cannot be read", "the database was edited by hand; restore a backup"
        ) from error
    conclusion, *hypotheses = parts
    law = Law(conclusion.lhs, conclusion.rhs, types)
    return replace(law, hypotheses=tuple(hypotheses))


def _term_json(term: Term) -> list[Any]:
    is_symbol = isinstance(term.head, Symbol)
    name = term.head.name if isinstance(term.head, Symbol) else term.head
    return ["s" if is_symbol else "v", name, *map(_term_json, term.args)]


def _term(document: Sequence[Any], symbols: Mapping[str, Symbol]) -> Term:
    kind, name, *args = document
    head = symbols[name] if kind == "s" else str(name)
    return Term(head, tuple(_term(a, symbols) for a in args))


def _type_json(t: Type) -> list[Any]:
    return ["v" if t.is_variable else "t", t.head, *map(_type_json, t.args)]


def _type(document: Sequence[Any]) -> Type:
    kind, head, *args = document
    return Type(str(head), tuple(_type(a) for a in args), is_variable=kind == "v")
