"""The attempts at a statement, the cheap and the likely first. Plain data, no Lean is asked.

An attempt is one elaboration that tries many closers. Its bounds are in the text: Lean's own
limits end it, since ending it from outside costs the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifier.prover.proof import (
    Branch,
    Cases,
    Closer,
    Introduced,
    Leaf,
    Proof,
    Spread,
    Step,
)
from verifier.prover.shape import Constructor, GoalShape, Variable

SIMP_BOUND = " (maxSteps := 2000)"
GRIND_BOUND = " (splits := 5) (ematch := 4) (instances := 300)"


@dataclass(frozen=True)
class Rules:
    """What the closers may use.

    Attributes:
        unfold: Definitions. rewrite: Lemmas that are safe to rewrite with, ``← `` before some.
        search: All lemmas, for tactics that do not loop.
    """

    unfold: tuple[str, ...] = ()
    rewrite: tuple[str, ...] = ()
    search: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One elaboration: a name for the report, and the proof to try."""

    name: str
    proof: Proof


def portfolio(shape: GoalShape, rules: Rules) -> Iterator[Attempt]:
    """The attempts at a statement, in order."""
    tactics = _Tactics(shape, rules)
    yield Attempt("direct", Leaf(tactics.light(direct=True)))
    recursive = [v for v in shape.variables if v.recursive]
    for heavy in (False, True):
        effort = "+" if heavy else ""
        if heavy:
            yield Attempt("direct+", Leaf((tactics.grind(),)))
        for variable in recursive:
            yield Attempt(f"induction {variable.name}{effort}", tactics.induction(variable, heavy))
        for call in shape.calls:
            header = f"fun_induction {call.function} {' '.join(call.arguments)}"
            yield Attempt(header + effort, Spread(header, Leaf(tactics.closers((), heavy))))
        for variable in recursive:
            others = tactics.others(variable)
            if others:
                name = f"induction {variable.name} generalizing{effort}"
                yield Attempt(name, tactics.induction(variable, heavy, others))


class _Tactics:
    """Closers and case distinctions for one statement."""

    def __init__(self, shape: GoalShape, rules: Rules) -> None:
        self._shape = shape
        self._rules = rules
        self._simp = (*rules.unfold, *rules.rewrite)
        self._grind = (*rules.unfold, *rules.search)

    def light(self, hypotheses: Sequence[str] = (), direct: bool = False) -> tuple[Closer, ...]:
        """Closers that succeed or fail fast."""
        simp = Step("simp", (*self._simp, *hypotheses), SIMP_BOUND)
        simp_all = Step("simp_all", self._simp, SIMP_BOUND)
        closers = [Closer((simp,)), Closer((simp_all,))]
        if not hypotheses:
            closers.insert(0, Closer((Step("rfl"),)))
        if self._shape.arithmetic:
            closers.append(Closer((simp_all, Step("omega"))))
        return tuple(closers)

    def grind(self) -> Closer:
        """The closer that searches."""
        return Closer((Step("grind", self._grind, GRIND_BOUND),))

    def closers(self, hypotheses: Sequence[str], heavy: bool) -> tuple[Closer, ...]:
        """All closers of an effort."""
        return self.light(hypotheses) + ((self.grind(),) if heavy else ())

    def others(self, variable: Variable) -> tuple[str, ...]:
        """Variables that an induction hypothesis may want to vary."""
        return tuple(v.name for v in self._shape.variables if v is not variable and v.head)

    def induction(
        self, variable: Variable, heavy: bool, generalizing: Sequence[str] = ()
    ) -> Proof:
        """Structural induction with named cases."""
        header = f"induction {variable.name}"
        if generalizing:
            header += f" generalizing {' '.join(generalizing)}"
        taken = set(self._shape.names) - {variable.name}
        branches = []
        for constructor in variable.constructors:
            names, hypotheses = case_names(variable.name, constructor, taken)
            pattern = " ".join((constructor.name, *names, *hypotheses))
            branches.append(Branch(pattern, Leaf(self.closers(hypotheses, heavy))))
        return Cases(header, tuple(branches))


def case_names(
    variable: str, constructor: Constructor, taken: set[str]
) -> tuple[list[str], list[str]]:
    """Names for the fields of a case and for its induction hypotheses.

    A single recursive field keeps the variable's name: the case ``cons x xs ih`` of ``xs``.
    """
    used = set(taken)
    recursive = sum(field.recursive for field in constructor.fields)

    def fresh(wanted: Sequence[str]) -> str:
        name = next(n for n in _suffixed(wanted) if n not in used)
        used.add(name)
        return name

    if recursive == 1:
        used.add(variable)
    fields = []
    for field in constructor.fields:
        if field.recursive and recursive == 1:
            fields.append(variable)
        elif field.recursive:
            fields.append(fresh([f"{variable}{i}" for i in "₁₂₃₄₅₆₇₈₉"]))
        else:
            fields.append(fresh([*_element_of(variable), "x", "y", "z", "w"]))
    hypotheses = [fresh(["ih"] if recursive == 1 else [f"ih{i}" for i in "₁₂₃₄₅₆₇₈₉"])
                  for field in constructor.fields if field.recursive]
    return fields, hypotheses


def _element_of(variable: str) -> list[str]:
    return [variable[:-1]] if len(variable) > 1 and variable.endswith("s") else []


def _suffixed(names: Sequence[str]) -> Iterator[str]:
    yield from names
    for number in range(1_000):
        for name in names:
            yield f"{name}{number}"
