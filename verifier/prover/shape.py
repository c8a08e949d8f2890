"""What a proof can hold on to in a statement: variables, hypotheses, recursive calls, definitions.

Everything is read off the elaborated type and the declarations of its constants. Nothing here
reads Lean text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from verifier.lean import Declaration, Environment, StatementFacts
from verifier.prover.expression import (
    Binder,
    Expression,
    applications,
    constants,
    head_constant,
    spine,
    telescope,
)

STRUCTURAL = (".brecOn", ".rec")
RECURSORS = ("._unary", "._mutual")
MATCHER = ".match_"
BRANCHING = frozenset({"ite", "dite", "cond"})
WELL_FOUNDED = "WellFounded."
MADE_FOR_TYPES = frozenset(
    {"rec", "recOn", "casesOn", "brecOn", "below", "noConfusion", "noConfusionType", "ctorIdx"}
    | {"binductionOn", "ibelow", "toCtorIdx", "elim", "ctorElim", "ctorElimType", "go"}
)
ARITHMETIC = frozenset({"Nat", "Int"})
QUANTIFIERS = frozenset({"Lean.Parser.Term.forall", "Lean.Parser.Term.depArrow"})
ARROW = "Lean.Parser.Term.arrow"
PROPOSITION = ["s", ["0"]]
CLOSURE_LIMIT = 40


class Describes(Protocol):
    """The part of a Lean that describes constants."""

    def declarations(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[Declaration | None, ...]:
        """Describes constants; ``None`` for a name that is not there."""


class Constants:
    """Constants by environment, described once.

    Args:
        lean: Describes constants.
    """

    def __init__(self, lean: Describes) -> None:
        self._lean = lean
        self._known: dict[tuple[str, str], Declaration | None] = {}

    def describe(self, environment: Environment, names: Iterable[str]) -> dict[str, Declaration]:
        """The constants of these names that there are."""
        keys = [link.key for link in reversed(environment.chain())]
        wanted = list(dict.fromkeys(names))
        missing = [name for name in wanted if not self._is_known(keys, name)]
        if missing:
            declarations = self._lean.declarations(environment, missing)
            for name, declaration in zip(missing, declarations, strict=True):
                self._known[environment.key, name] = declaration
        found = {name: self._remembered(keys, name) for name in wanted}
        return {name: d for name, d in found.items() if d is not None}

    def has_own_induction(self, environment: Environment, name: str) -> bool:
        """Whether a function recurses otherwise than by one case for each constructor.

        For the others structural induction does the same and reads better.
        """
        declaration = self.describe(environment, [name]).get(name)
        if declaration is None or declaration.kind != "definition":
            return False
        used = declaration.value_constants
        structural = [c.rpartition(".")[0] for c in used if c.endswith(STRUCTURAL)]
        if not structural:
            return any(c.endswith(RECURSORS) or c.startswith(WELL_FOUNDED) for c in used)
        known = self.describe(environment, [*structural, *used])
        cases = max(len(known[t].constructors) for t in structural if t in known)
        return bool(BRANCHING.intersection(used)) or any(
            _alternatives(known[c]) > cases for c in used if MATCHER in c and c in known
        )

    def is_definition(self, environment: Environment, name: str) -> bool:
        """Whether the theory defines it, and not Lean by itself beside a type."""
        declaration = self.describe(environment, [name]).get(name)
        return (
            declaration is not None
            and declaration.kind == "definition"
            and not (declaration.internal or declaration.reserved)
            and not self._is_made_for_type(environment, name)
            and self.is_local(environment, name)
        )

    def is_local(self, environment: Environment, name: str | None) -> bool:
        """Whether a constant is declared by the theory, and not by the installation."""
        base = environment.chain()[0]
        return name is not None and base != environment and not self.describe(base, [name])

    def _is_made_for_type(self, environment: Environment, name: str) -> bool:
        parent, _, last = name.rpartition(".")
        if last not in MADE_FOR_TYPES:
            return False
        owner = self.describe(environment, [parent]).get(parent)
        if owner is not None and owner.kind in ("inductive", "constructor"):
            return True
        return self._is_made_for_type(environment, parent)

    def _is_known(self, keys: Sequence[str], name: str) -> bool:
        return (keys[0], name) in self._known or self._remembered(keys, name) is not None

    def _remembered(self, keys: Sequence[str], name: str) -> Declaration | None:
        """A constant of an environment is the same in all environments above."""
        return next((d for key in keys if (d := self._known.get((key, name))) is not None), None)


@dataclass(frozen=True)
class Field:
    """An argument of a constructor. ``name`` is empty when it has none that can be said."""

    name: str
    recursive: bool


@dataclass(frozen=True)
class Constructor:
    """A constructor of an inductive type, by its short name."""

    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Variable:
    """A quantified variable that is no hypothesis and no type.

    Attributes:
        head: The constant that its type applies, or ``None``.
        constructors: Of its type, when that is inductive.
        inductive: Whether case analysis on it makes sense.
        recursive: Whether induction on it makes sense.
    """

    name: str
    head: str | None
    constructors: tuple[Constructor, ...] = ()
    inductive: bool = False
    recursive: bool = False


@dataclass(frozen=True)
class Hypothesis:
    """A quantified proposition. ``inductive``: it has introduction rules to do induction on."""

    name: str
    head: str | None
    inductive: bool = False


@dataclass(frozen=True)
class Call:
    """A recursive function applied to variables only: ``fun_induction function arguments``."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class GoalShape:
    """What the portfolio knows of a statement.

    Attributes:
        namespace: Prefix of names that can be left out in the statement's scope.
        names: All names that are taken.
        definitions: Definitions of the theory that occur, those of the statement first, then what
            they are defined by.
        constants: All constants of the statement and of those definitions.
        arithmetic: Whether core numbers occur.
        conclusion: The constant that the conclusion applies, or ``None``.
        quantified: The names of all binders, ``""`` for one that cannot be said, when some may
            stand behind the colon; else empty.
    """

    namespace: str
    variables: tuple[Variable, ...]
    hypotheses: tuple[Hypothesis, ...]
    calls: tuple[Call, ...]
    definitions: tuple[str, ...]
    constants: frozenset[str]
    names: frozenset[str]
    arithmetic: bool
    conclusion: str | None
    quantified: tuple[str, ...]


def shape_of(facts: StatementFacts, environment: Environment, lean: Constants) -> GoalShape:
    """The shape of an elaborated statement.

    Args:
        facts: What elaborating the statement has shown; its type must be there.
        environment: Where the statement lives.
        lean: Describes the constants.
    """
    binders, conclusion = telescope(facts.type)
    reader = _Reader(environment, lean)
    mentioned = constants(facts.type)
    reader.learn(mentioned)
    variables, hypotheses = reader.split(binders)
    definitions = reader.definitions(mentioned)
    names = frozenset(b.name for b in binders)
    return GoalShape(
        namespace=_namespace(facts.name or ""),
        variables=variables,
        hypotheses=hypotheses,
        calls=reader.calls(binders, conclusion, {v.name for v in variables}),
        definitions=definitions,
        constants=frozenset(mentioned) | frozenset(definitions),
        names=names,
        arithmetic=not ARITHMETIC.isdisjoint(mentioned),
        conclusion=head_constant(conclusion),
        quantified=_quantified(binders, facts.kinds),
    )


def _quantified(binders: Sequence[Binder], kinds: Sequence[str]) -> tuple[str, ...]:
    nameless = any(b.explicit and not b.accessible for b in binders)
    if QUANTIFIERS.isdisjoint(kinds) and not (nameless and ARROW in kinds):
        return ()
    return tuple(b.name if b.accessible else "" for b in binders)


def _namespace(full_name: str) -> str:
    prefix, dot, _ = full_name.rpartition(".")
    return prefix + dot


class _Reader:
    """Reads one statement."""

    def __init__(self, environment: Environment, lean: Constants) -> None:
        self._environment = environment
        self._lean = lean
        self._known: dict[str, Declaration] = {}

    def learn(self, names: Iterable[str]) -> None:
        unknown = [n for n in names if n not in self._known]
        self._known |= self._lean.describe(self._environment, unknown)

    def kind(self, name: str | None) -> str | None:
        declaration = self._known.get(name) if name is not None else None
        return declaration.kind if declaration else None

    def split(
        self, binders: Sequence[Binder]
    ) -> tuple[tuple[Variable, ...], tuple[Hypothesis, ...]]:
        """Variables and hypotheses that a proof can name."""
        variables: list[Variable] = []
        hypotheses: list[Hypothesis] = []
        last = {binder.name: at for at, binder in enumerate(binders)}
        for at, binder in enumerate(binders):
            shadowed = last[binder.name] != at
            if shadowed or not binder.accessible or _is_type(binder.type):
                continue
            head = head_constant(binder.type)
            if self._is_proposition(binder.type, binders[:at]):
                inductive = self.kind(head) == "inductive" and self._lean.is_local(
                    self._environment, head
                )
                hypotheses.append(Hypothesis(binder.name, head, inductive))
            else:
                variables.append(self._variable(binder.name, head))
        return tuple(variables), tuple(hypotheses)

    def _variable(self, name: str, head: str | None) -> Variable:
        if head is None or self.kind(head) != "inductive":
            return Variable(name, head)
        declaration = self._known[head]
        self.learn(declaration.constructors)
        constructors = tuple(self._constructor(head, c) for c in declaration.constructors)
        recursive = any(f.recursive for c in constructors for f in c.fields)
        return Variable(name, head, constructors, True, recursive)

    def _constructor(self, type_name: str, name: str) -> Constructor:
        declaration = self._known[name]
        binders, _ = telescope(declaration.type)
        fields = binders[declaration.parameters or 0 :]
        return Constructor(
            name.removeprefix(f"{type_name}."),
            tuple(
                Field(
                    f.name if f.accessible else "",
                    head_constant(telescope(f.type)[1]) == type_name,
                )
                for f in fields
            ),
        )

    def _is_proposition(self, type_: Expression, outer: Sequence[Binder]) -> bool:
        binders, conclusion = telescope(type_)
        context = [*outer, *binders]
        head, _ = spine(conclusion)
        if head[0] == "v":
            if head[1] >= len(context):
                return False
            sort = context[len(context) - 1 - head[1]].type
        elif head[0] == "c":
            self.learn([head[1]])
            declaration = self._known.get(head[1])
            sort = declaration.type if declaration else None
        else:
            return False
        return sort is not None and telescope(sort)[1] == PROPOSITION

    def calls(
        self, binders: Sequence[Binder], conclusion: Expression, named: set[str]
    ) -> tuple[Call, ...]:
        """Recursive functions of the theory on variables, the innermost calls included."""
        found: dict[Call, None] = {}
        for at, binder in enumerate(binders):
            self._calls_in(binder.type, binders[:at], named, found)
        self._calls_in(conclusion, binders, named, found)
        return tuple(found)

    def _calls_in(
        self,
        expression: Expression,
        binders: Sequence[Binder],
        named: set[str],
        found: dict[Call, None],
    ) -> None:
        for part, depth in applications(expression):
            head, arguments = spine(part)
            if head[0] != "c" or not self._lean.has_own_induction(self._environment, head[1]):
                continue
            explicit = self._explicit(head[1], arguments)
            indices = [a[1] - depth if a[0] == "v" else -1 for a in explicit]
            if not explicit or any(not 0 <= i < len(binders) for i in indices):
                continue
            names = [binders[len(binders) - 1 - i].name for i in indices]
            if all(n in named for n in names) and len(set(names)) == len(names):
                found.setdefault(Call(head[1], tuple(names)))

    def _explicit(self, function: str, arguments: Sequence[Expression]) -> list[Expression]:
        binders, _ = telescope(self._known[function].type)
        if len(arguments) < len(binders):
            return []
        return [a for a, b in zip(arguments, binders, strict=False) if b.explicit]

    def definitions(self, mentioned: Sequence[str]) -> tuple[str, ...]:
        """Definitions of the theory, breadth first from the statement."""
        found: dict[str, None] = {}
        level = list(mentioned)
        while level and len(found) < CLOSURE_LIMIT:
            self.learn(level)
            fresh = [
                n
                for n in level
                if n not in found and self._lean.is_definition(self._environment, n)
            ]
            found |= dict.fromkeys(fresh)
            level = [c for n in fresh for c in self._known[n].value_constants if c not in found]
        return tuple(found)


def _is_type(type_: Expression) -> bool:
    """Whether a variable of this type is itself a type, or a family of types."""
    conclusion = telescope(type_)[1]
    return bool(conclusion[0] == "s" and conclusion != PROPOSITION)


def _alternatives(matcher: Declaration) -> int:
    """The number of alternatives of a ``match``: the arguments that yield its motive."""
    binders, conclusion = telescope(matcher.type)
    motive = len(binders) - 1 - spine(conclusion)[0][1]
    return sum(
        spine(inner)[0] == ["v", at + len(telescope(binder.type)[0]) - 1 - motive]
        for at, binder in enumerate(binders)
        if at > motive
        for inner in [telescope(binder.type)[1]]
    )
