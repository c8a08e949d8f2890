"""Lean's proof that a statement fails at given values."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from verifier.lean import Declaration, Environment, Statement
from verifier.session import STRICT, Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Verdict
from verifier.verifier import Verifier

NAME = "refuted_statement"
NEGATION = "refutation"
SECONDS = 6.0
ALL_SECONDS = 12.0
MADE = ("match_", "casesOn", "recOn", "brecOn", "below", "ctorIdx", "noConfusion", "instDecidable")
FEW = 2  # proofs for a row that is only suspected
BOUND = "set_option maxHeartbeats 40000"  # an attempt that runs out of time costs the session
DECIDED = "decide +kernel"
DEEPER = "all_goals repeat (first | contradiction | (rename_i e; cases e))"
DERIVED = f"((repeat' first | {DECIDED} | constructor); done)"


@dataclass(frozen=True)
class Row:
    """Arguments of a statement at which it is to fail, as Lean text.

    Attributes:
        arguments: For each binder; a hypothesis has ``None``, its proof is to be found.
        certain: Whether the search has seen it fail, or could not tell.
        sides: Normal forms of both sides of the conclusion, or ``None``.
    """

    arguments: tuple[str | None, ...]
    certain: bool
    sides: tuple[str, str] | None = None


@dataclass(frozen=True)
class Proved:
    """A statement's negation with a proof that Lean accepted."""

    row: Row
    statement: Statement
    proof: str
    verdict: Verdict


class Negations:
    """Proves negations of one statement.

    Args:
        session: Elaborates.
        verifier: Gives the verdicts.
        statement: What is to fail.
        levels: Lean text of its universe levels.
    """

    def __init__(
        self, session: Session, verifier: Verifier, statement: Statement, levels: Sequence[str]
    ) -> None:
        self._session = session
        self._verifier = verifier
        self._of = statement
        self._levels = f".{{{', '.join(levels)}}}" if levels else ""
        self._negation: Statement | None = None

    def prove(self, rows: Sequence[Row]) -> Proved | None:
        """The first of the rows for which a proof is found."""
        try:
            negation = self._stated()
            if negation is None:
                return None
            end = time.monotonic() + ALL_SECONDS
            for row in rows:
                proofs = self._proofs(negation, row)
                for proof in proofs if row.certain else islice(proofs, FEW):
                    if time.monotonic() > end:
                        return None
                    if found := self._checked(negation, row, proof):
                        return found
        except SessionLost:
            return None
        return None

    def _checked(self, negation: Statement, row: Row, proof: str) -> Proved | None:
        verdict = self._verifier.check(negation, proof, SECONDS)
        return Proved(row, negation, proof, verdict) if verdict.verified else None

    def _stated(self) -> Statement | None:
        """The negation, in an environment that has the statement under a name."""
        if self._negation is None:
            of = self._of
            text = f"{STRICT}{of.context}\n{STRICT}theorem {NAME} {of.signature} := sorry\n"
            place = self._session.extend(of.environment, text).environment
            signature = f": ¬ (type_of% @{NAME}{self._levels})"
            self._negation = Statement(place, NEGATION, signature, f"{of.context}\n{BOUND}")
            finding, _ = self._verifier.check_statement(self._negation)
            if finding is not None:
                return None
        return self._negation

    def _proofs(self, negation: Statement, row: Row) -> Iterator[str]:
        """Proofs to try: by computation first, then by unfolding definitions."""
        arguments = " ".join(f"(by {DECIDED})" if a is None else a for a in row.arguments)
        call = f"@h {arguments}" if arguments else "h"
        yield f"by\n  intro h\n  exact absurd ({call}) (by {DECIDED})"
        hypotheses = None in row.arguments
        definitions = self._definitions(negation)
        rules = f" [{', '.join(definitions)}]" if definitions else ""
        if hypotheses:
            # Rules are tried only where the search has found a derivation: they may go on for ever.
            derived = f" | {DERIVED}" if row.certain else ""
            proof = f"(by first | {DECIDED} | (intros; rfl){derived} | (simp{rules}; done))"
            arguments = " ".join(proof if a is None else a for a in row.arguments)
            call = f"@h {arguments}"
        for way in self._ways(row, rules):
            yield f"by\n  intro h\n  have e := {call}\n  {way}"

    def _ways(self, row: Row, rules: str) -> Iterator[str]:
        """How a conclusion `e` ends; no `by` inside of `first`, its failure would not be caught."""
        ends = [f"(refine absurd e ?_; {DECIDED})", "(cases e; done)"]
        if row.sides is not None:
            left, right = row.sides
            ends.append(f"((with_unfolding_all change {left} = {right} at e); cases e; done)")
        ends.append(f"(simp{rules} at e; done)")
        if row.certain:
            ends += [f"(cases e; {DEEPER}; done)", "grind"]
        yield "\n    | ".join(("first", *ends))
        if row.certain:
            yield f"cases e.mp (by {DERIVED})"
            yield f"cases e.mpr (by {DERIVED})"

    def _definitions(self, negation: Statement) -> list[str]:
        """The functions of the theory on which the statement rests."""
        imported = Environment(negation.environment.imports)
        _, facts = self._verifier.check_statement(negation)
        pending = list(facts.constants) if facts is not None else []
        seen: dict[str, bool] = {}
        while pending:
            new = [n for n in dict.fromkeys(pending) if n not in seen]
            core = self._session.declarations(imported, new)
            local = [n for n, known in zip(new, core, strict=True) if known is None]
            found = self._session.declarations(negation.environment, local)
            seen.update((n, False) for n in new)
            functions = [d for d in found if d is not None and d.kind == "definition"]
            seen.update((d.name, _is_written(d)) for d in functions)
            pending = [n for d in functions for n in (*d.together, *d.value_constants)]
        return [name for name, written in seen.items() if written]


def _is_written(declaration: Declaration) -> bool:
    """Whether a definition stands in the text, and is not one that Lean has made beside it."""
    made = any(part.startswith(MADE) for part in declaration.name.split("."))
    return not (declaration.internal or declaration.reserved or made)
