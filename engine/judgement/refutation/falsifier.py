"""Looks for values at which a statement fails, and has Lean prove that it does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.judgement.refutation.closing import Closed, Closing
from engine.judgement.refutation.negation import Negations, Proved, Row
from engine.language.explicit import level_text
from engine.language.values import EXISTING, PROOF, Writer, constants_of
from verifier.lean import Environment, Statement, StatementFacts
from verifier.narrowing import Found, Search, Shown
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Verdict
from verifier.verifier import Verifier

STEPS = 40_000
"""Steps of evaluation for each unit of depth: some tens of milliseconds."""
SECONDS = 2.0
SUSPECTS = 3  # rows that get a look where something could not be evaluated
LARGEST_SUSPECT = 64  # a number beyond it makes Lean's attempts long

Values = tuple[tuple[str, Shown], ...]


@dataclass(frozen=True)
class Refutation:
    """Values at which a statement fails.

    Attributes:
        values: Lean text of each variable's value.
        left: Value of the left side there, when the conclusion is an equation. right: Of the right.
        statement: The negation that was proved, in an environment that has the statement as the
            theorem ``refuted_statement``; ``None`` when no proof was found.
        proof: Its proof, or an empty string: the values differ as far as we have computed, and
            Lean has not confirmed it.
        verdict: On the proof.
    """

    values: tuple[tuple[str, str], ...]
    left: str = ""
    right: str = ""
    statement: Statement | None = None
    proof: str = ""
    verdict: Verdict | None = None

    @property
    def confirmed(self) -> bool:
        """Whether Lean has proved the negation."""
        return self.verdict is not None and self.verdict.verified

    def __str__(self) -> str:
        at = ", ".join(f"{name} := {value}" for name, value in self.values) or "no variables"
        return f"{at}: {self.left} ≠ {self.right}" if self.left else at


class Falsifier:
    """Refutes statements of one environment.

    Args:
        session: Searches and elaborates.
        verifier: Gives the verdicts on negations.
        environment: Where the statements are.
        context: Commands that open their scope.
        seed: Of the random choices.
        steps: Of evaluation, for each unit of depth; they decide what is found.
        seconds: Wall-clock limit of a search, against what takes long in one step.

    Attributes:
        environment: As given.
    """

    def __init__(
        self,
        session: Session,
        verifier: Verifier,
        environment: Environment,
        context: str = "",
        *,
        seed: int = 0,
        steps: int = STEPS,
        seconds: float = SECONDS,
    ) -> None:
        self._session = session
        self._verifier = verifier
        self.environment = environment
        self._context = context
        self._seed = seed
        self._steps = steps
        self._seconds = seconds
        self._closing = Closing(session, environment, context)
        self._names: dict[str, str] = {}

    def refute(self, statement: Statement, depth: int = 1) -> Refutation | None:
        """Values at which a statement fails, or ``None`` when none were found.

        Args:
            statement: In the falsifier's environment and scope.
            depth: Evaluation depth d_i (:func:`engine.judgement.rubric.evaluation_depth`).

        Returns:
            With a proof of the negation, unless Lean did not find it (``confirmed`` says so).
        """
        finding, facts = self._verifier.check_statement(statement)
        if finding is not None or facts is None or facts.type is None:
            return None
        try:
            return self._refuted(statement, facts, depth)
        except SessionLost:
            return None

    def _refuted(
        self, statement: Statement, facts: StatementFacts, depth: int
    ) -> Refutation | None:
        closed = self._closing.close(facts.type, facts.level_params)
        if closed is None:
            return None
        search = Search(closed.type, self._steps * depth, self._seconds, self._seed, depth)
        narrowed = self._session.narrow(self.environment, search)
        found = narrowed.found
        small = [
            row
            for row in narrowed.candidates
            if all(_largest(value) <= LARGEST_SUSPECT for _, value in row)
        ]
        rows = ([found.values] if found else []) + small[:SUSPECTS]
        if not rows:
            return None
        self._look_up(rows, found)
        shown = [self._row(closed, r, found if i == 0 else None) for i, r in enumerate(rows)]
        levels = [level_text(level) for level in closed.levels]
        negations = Negations(self._session, self._verifier, statement, levels)
        proved = negations.prove([row for row in shown if row is not None])
        if proved is not None:
            at = shown.index(proved.row)
            return self._refutation(rows[at], found if at == 0 else None, proved)
        return self._refutation(found.values, found, None) if found else None

    def _row(self, closed: Closed, values: Values, found: Found | None) -> Row | None:
        """The arguments for all binders of a statement, those that were given among them."""
        writer = Writer(self._names)
        texts = iter([writer.text(value) for _, value in values])
        arguments: list[str | None] = []
        for given in closed.given:
            text = given if given is not None else next(texts, "")
            if text is None:
                return None
            if text:
                arguments.append(None if text == PROOF else text)
        for text in texts:
            if text is None:
                return None
            arguments.append(None if text == PROOF else text)
        sides = None
        if found is not None and found.sides is not None:
            left, right = map(writer.text, found.sides)
            sides = (left, right) if left and right else None
        return Row(tuple(arguments), found is not None, sides)

    def _refutation(self, values: Values, found: Found | None, proved: Proved | None) -> Refutation:
        writer = Writer(self._names)
        pairs = tuple(
            (name, bare(text))
            for name, value in values
            if name and "«_@»" not in name and (text := writer.text(value)) not in (None, EXISTING)
        )
        sides = found.sides if found is not None and found.sides is not None else ()
        left, right = [writer.text(side) or "" for side in sides] or ["", ""]
        return Refutation(
            values=pairs,
            left=bare(left),
            right=bare(right),
            statement=proved.statement if proved else None,
            proof=proved.proof if proved else "",
            verdict=proved.verdict if proved else None,
        )

    def _look_up(self, rows: Sequence[Values], found: Found | None) -> None:
        """Asks Lean how constructors are called in this scope."""
        shown = [value for row in rows for _, value in row]
        if found is not None and found.sides is not None:
            shown += found.sides
        wanted = sorted({c for v in shown for c in constants_of(v)} - self._names.keys())
        self._names.update(self._short(wanted))

    def _short(self, names: Sequence[str]) -> Iterable[tuple[str, str]]:
        if not names:
            return ()
        commands = "\n".join(f"#check @{name}" for name in names)
        messages = self._session.messages(self.environment, self._context, commands)
        said = [m.text for m in messages if m.severity == "information"]
        heads = [text.partition(" : ")[0].strip().lstrip("@") for text in said]
        if len(heads) != len(names):
            return ((name, name) for name in names)
        return zip(names, (h.partition(".{")[0] for h in heads), strict=True)


def _largest(shown: Any) -> int:
    """The largest number in a value."""
    if not isinstance(shown, list | tuple):
        return 0
    if len(shown) == 2 and shown[0] == "n":
        return int(shown[1])
    return max(map(_largest, shown), default=0)


def bare(text: str | None) -> str:
    """Text without parentheses around the whole; those of a pair stay."""
    text = text or ""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    level = 0
    for i, c in enumerate(text):
        level += (c in "([⟨") - (c in ")]⟩")
        closed_before = level == 0 and i < len(text) - 1
        if closed_before or (level == 1 and c == ","):
            return text
    return text[1:-1]
