"""The attempts at a statement, the cheap and the likely first. Plain data, no Lean is asked.

An attempt is one elaboration that tries many closers. Its bounds are in the text: Lean's own
limits end it, since ending it from outside costs the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from verifier.prover.proof import Branch, Cases, Closer, Leaf, Proof, Spread, Step
from verifier.prover.rules import Rules
from verifier.prover.shape import Constructor, GoalShape, Variable

SIMP_BOUND = " (maxSteps := 1000)"
GRIND_BOUNDS = {
    1: " (splits := 4) (ematch := 3) (gen := 3) (instances := 150)",
    2: " (splits := 9) (ematch := 5) (gen := 5) (instances := 400)",
}
"""By depth. The wide search finds proofs with many conditions, and fails slowly."""
DEEPENED, WIDENED = 2, 6
"""How many attempts are made again with search, and with wide search."""
SPLIT_TOGETHER = 2


@dataclass(frozen=True)
class Attempt:
    """One elaboration.

    Attributes:
        name: For the report. proof: To try.
        depth: How deep it searches.
        alone: Whether it has the definitions only: a lemma can send a tactic off the way.
    """

    name: str
    proof: Proof
    depth: int = 0
    alone: bool = False

    @property
    def deep(self) -> bool:
        """Whether it searches at all."""
        return self.depth > 0


class Portfolio:
    """The attempts at one statement: first the light ones, then the promising ones with search.

    The depth of an attempt is 0 for the light ones, 1 with search and 2 with wide search.

    Args:
        shape: What the statement offers.
        rules: What the closers may use.
    """

    def __init__(self, shape: GoalShape, rules: Rules) -> None:
        self._shape = shape
        self._rules = rules
        self._recursive = [v for v in shape.variables if v.recursive]

    def at_once(self) -> Attempt:
        """One attempt with all closers, without induction or case analysis."""
        return Attempt("direct", Leaf(self._named((), (), 1)), depth=1)

    def light(self) -> Iterator[Attempt]:
        """Attempts whose closers succeed or fail fast."""
        yield from self._attempts(0)

    def deep(self, progress: Mapping[str, int]) -> Iterator[Attempt]:
        """Attempts that search, where the light ones came farthest.

        Args:
            progress: By the name of a light attempt, the number of goals that it closed.
        """
        names = sorted(progress, key=lambda name: -progress[name])
        chosen = [name for name in names if progress[name] > 0][:DEEPENED]
        attempts = {a.name: a for a in self._attempts(1)}
        for name in dict.fromkeys(["direct", *chosen]):
            if name in attempts:
                yield Attempt(f"{name}, searching", attempts[name].proof, depth=1)

    def wide(self, progress: Mapping[str, int]) -> Iterator[Attempt]:
        """Attempts that search wide: inductions, those that came farthest first.

        Args:
            progress: As for :meth:`deep`; what hung when it was light is not there.
        """
        attempts = [a for a in self._attempts(2) if a.name in progress and a.name != "direct"]
        attempts.sort(key=lambda a: -progress[a.name])
        for attempt in attempts[:WIDENED]:
            yield Attempt(f"{attempt.name}, searching wide", attempt.proof, depth=2)

    def _attempts(self, depth: int) -> Iterator[Attempt]:
        yield Attempt("direct", Leaf(self._named((), (), depth)))
        for variable in self._shape.variables:
            if variable.inductive and not variable.recursive:
                yield self._spread(f"cases {variable.name}", depth)
        for variable in self._recursive:
            yield self._induction(variable, (), depth)
        for call in self._shape.calls:
            yield self._spread(f"fun_induction {call.function} {' '.join(call.arguments)}", depth)
        for variable in self._recursive:
            others = [v.name for v in self._shape.variables if v is not variable and v.head]
            if others:
                yield self._induction(variable, others, depth)
        for hypothesis in self._shape.hypotheses:
            if hypothesis.inductive:
                yield self._spread(f"induction {hypothesis.name}", depth)

    def _spread(self, header: str, depth: int) -> Attempt:
        return Attempt(header, Spread(header, Leaf(self._anonymous((), depth))))

    def _induction(self, variable: Variable, others: Sequence[str], depth: int) -> Attempt:
        """Structural induction with named cases."""
        header = f"induction {variable.name}"
        if others:
            header += f" generalizing {' '.join(others)}"
        splits = self._splits(variable) if others else ()
        taken = set(self._shape.names) - {variable.name}
        branches = []
        for constructor in variable.constructors:
            names, hypotheses = case_names(variable.name, constructor, taken)
            pattern = " ".join((constructor.name, *names, *hypotheses))
            branches.append(Branch(pattern, Leaf(self._named(hypotheses, splits, depth))))
        return Attempt(header, Cases(header, tuple(branches)))

    def _splits(self, variable: Variable) -> tuple[str, ...]:
        """Variables to look into as well, since a function matches on them at the same time."""
        together = {
            name
            for call in self._shape.calls
            if variable.name in call.arguments
            for name in call.arguments
        }
        others = [v.name for v in self._recursive if v is not variable and v.name in together]
        return tuple(others[:SPLIT_TOGETHER])

    def _named(
        self, hypotheses: Sequence[str], splits: Sequence[str], depth: int
    ) -> tuple[Closer, ...]:
        """Closers of a goal whose induction hypotheses have names."""
        closers = [] if hypotheses else [Closer((Step("rfl"),))]
        closers.append(Closer((self._simp("simp", hypotheses),)))
        if self._rules.permute:
            closers.append(Closer((self._simp("simp", hypotheses, permute=False),)))
        return (*closers, *self._anonymous(splits, depth))

    def _anonymous(self, splits: Sequence[str], depth: int) -> tuple[Closer, ...]:
        """Closers of a goal whose hypotheses cannot be named."""
        simp_all = self._simp("simp_all", (), permute=False)
        grind = Step("grind", self._rules.grind, (), GRIND_BOUNDS.get(depth, ""))
        cases = [Step(f"cases {name}") for name in splits]
        steps: list[tuple[Step, ...]] = [(simp_all,)]
        if self._shape.arithmetic:
            steps += [(Step("omega"),), (simp_all, Step("omega"))]
        if splits:
            steps.append((*cases, simp_all))
        if depth:
            steps.append((grind,))
        if depth and splits:
            steps.append((*cases, grind))
        return tuple(map(Closer, steps))

    def _simp(self, tactic: str, hypotheses: Sequence[str], permute: bool = True) -> Step:
        rules = self._rules
        if permute:
            return Step(tactic, (*rules.simp, *hypotheses), tuple(hypotheses), SIMP_BOUND)
        left_out = [f"- {name}" for name in rules.permute]
        arguments = [a for a in rules.simp if a not in rules.permute]
        return Step(tactic, (*arguments, *hypotheses), (*left_out, *hypotheses), SIMP_BOUND)


def case_names(
    variable: str, constructor: Constructor, taken: set[str]
) -> tuple[list[str], list[str]]:
    """Names for the fields of a case and for its induction hypotheses.

    A single recursive field keeps the variable's name: the case ``cons x xs ih`` of ``xs``.
    """
    used = set(taken)

    def fresh(wanted: Sequence[str]) -> str:
        name = next(n for n in _suffixed(wanted) if n not in used)
        used.add(name)
        return name

    recursive = sum(field.recursive for field in constructor.fields)
    numbers = [""] if recursive == 1 else [*"₁₂₃₄₅₆₇₈₉"]
    if recursive == 1:
        used.add(variable)
    fields = []
    for field in constructor.fields:
        if not field.recursive:
            fields.append(fresh([*_element_of(variable), "x", "y", "z", "w"]))
        elif recursive == 1:
            fields.append(variable)
        else:
            fields.append(fresh([f"{variable}{number}" for number in numbers]))
    return fields, [fresh([f"ih{number}" for number in numbers]) for _ in range(recursive)]


def _element_of(variable: str) -> list[str]:
    return [variable[:-1]] if len(variable) > 1 and variable.endswith("s") else []


def _suffixed(names: Sequence[str]) -> Iterator[str]:
    yield from names
    for number in range(1_000):
        for name in names:
            yield f"{name}{number}"
