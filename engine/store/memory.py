"""What was learnt in earlier runs: refuted laws, failed proofs, contradictions, costs, yields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from engine.model import Label, Stage
from engine.store.candidates import CandidateTable
from engine.store.database import encode_json
from engine.store.records import (
    ContradictionRecord,
    FailureRecord,
    OperatorYield,
    ProofSearch,
    RefutationRecord,
    WitnessValue,
)
from verifier.errors import InputError


class MemoryTable(CandidateTable):
    """The part of the store that later runs learn from."""

    def remember_refutation(
        self, theory: str, canonical: str, law: str, assignment: Iterable[WitnessValue]
    ) -> None:
        """Keep a refuted law with the values at which it fails.

        Args:
            theory: The theory of the law.
            canonical: The key under which its candidate was remembered.
            law: The law as JSON text.
            assignment: A value for each of its variables.

        Raises:
            InputError: The candidate is not remembered.
        """
        values = [value.model_dump() for value in assignment]
        with self.transaction():
            self._write(
                "INSERT INTO refutations (candidate, law, assignment) VALUES (?, ?, ?) "
                "ON CONFLICT (candidate) DO UPDATE SET law = excluded.law, "
                "assignment = excluded.assignment",
                self._serial(theory, canonical),
                law,
                encode_json(values),
            )

    def refutations(self, theory: str, limit: int = 500) -> list[RefutationRecord]:
        """Refuted laws of a theory: those whose values refuted most first, then the newest."""
        rows = self._rows(
            "SELECT c.theory, c.canonical, c.statement, c.counterexample, r.law, r.assignment, "
            "r.kills FROM refutations r JOIN candidates c ON c.serial = r.candidate "
            "WHERE c.theory = ? ORDER BY r.kills DESC, r.candidate DESC LIMIT ?",
            theory,
            limit,
        )
        return [
            RefutationRecord(
                theory=theory,
                canonical=canonical,
                statement=statement,
                counterexample=counterexample,
                law=law,
                assignment=tuple(WitnessValue.model_validate(v) for v in orjson.loads(values)),
                kills=kills,
            )
            for theory, canonical, statement, counterexample, law, values, kills in rows
        ]

    def count_kill(self, theory: str, canonical: str) -> None:
        """Note that the values of a refuted law have refuted another one."""
        with self.transaction():
            self._write(
                "UPDATE refutations SET kills = kills + 1 WHERE candidate = ?",
                self._serial(theory, canonical),
            )

    def remember_failure(
        self,
        theory: str,
        canonical: str,
        *,
        offered: Iterable[str],
        stuck: str,
        seconds: float,
        run: str | None = None,
    ) -> None:
        """Keep what a fruitless proof search had at hand, and where it was stuck.

        Args:
            theory: The theory of the candidate.
            canonical: The key under which it was remembered.
            offered: Names of the lemmas that the search could use.
            stuck: Why it ended, in one line.
            seconds: Time of this search alone.
            run: The run that made it.

        Raises:
            InputError: The candidate is not remembered.
        """
        with self.transaction():
            self._write(
                "INSERT INTO failures (candidate, run, library_version, offered, stuck, seconds, "
                "time) VALUES (?, ?, ?, ?, ?, ?, ?)",
                self._serial(theory, canonical),
                run,
                self.library_version(),
                encode_json(sorted(offered)),
                stuck,
                seconds,
                self._now(),
            )

    def failures(self, theory: str, canonical: str) -> list[FailureRecord]:
        """The fruitless proof searches for a candidate, oldest first."""
        rows = self._rows(
            "SELECT f.run, f.library_version, f.offered, f.stuck, f.seconds, f.time "
            "FROM failures f JOIN candidates c ON c.serial = f.candidate "
            "WHERE c.theory = ? AND c.canonical = ? ORDER BY f.serial",
            theory,
            canonical,
        )
        return [
            FailureRecord.model_validate(
                dict(zip(FailureRecord.model_fields, row, strict=True))
                | {"offered": orjson.loads(row[2])}
            )
            for row in rows
        ]

    def lemmas_not_offered(
        self, theory: str, canonical: str, available: Sequence[str]
    ) -> tuple[str, ...]:
        """The lemmas that no earlier search for a candidate could use, in the given order.

        None of them means that another search would repeat the last one.
        """
        offered = {name for failure in self.failures(theory, canonical) for name in failure.offered}
        return tuple(name for name in available if name not in offered)

    def remember_contradiction(
        self,
        theory: str,
        one: str,
        other: str | None,
        *,
        premises: Iterable[str],
        statement: str,
        proof: str,
    ) -> None:
        """Keep that Lean proved two conjectures, or one and the library, incompatible.

        Args:
            theory: Their theory.
            one: Key of the conjecture.
            other: Key of the other one; ``None`` where the library alone contradicts the first.
            premises: Names of the lemmas that the proof uses.
            statement: What Lean proved, as a signature.
            proof: Its proof.

        Raises:
            InputError: A conjecture is not remembered.
        """
        premises = sorted(premises)
        with self.transaction():
            self._write(
                "INSERT INTO contradictions (one, other, premises, statement, proof, time) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                self._serial(theory, one),
                None if other is None else self._serial(theory, other),
                encode_json(premises),
                statement,
                proof,
                self._now(),
            )
            detail = {"one": one, "other": other, "premises": premises, "statement": statement}
            self.audit("conjecture.contradicted", theory, detail)

    def contradictions(self, theory: str | None = None) -> list[ContradictionRecord]:
        """The contradictions that were found, in order, of one theory or of all."""
        rows = self._rows(
            "SELECT a.theory, a.statement, b.statement, x.premises, x.statement, x.proof, x.time "
            "FROM contradictions x JOIN candidates a ON a.serial = x.one "
            "LEFT JOIN candidates b ON b.serial = x.other "
            "WHERE a.theory = coalesce(?, a.theory) ORDER BY x.serial",
            theory,
        )
        return [
            ContradictionRecord.model_validate(
                dict(zip(ContradictionRecord.model_fields, row, strict=True))
                | {"premises": orjson.loads(row[3])}
            )
            for row in rows
        ]

    def operator_yields(self, theory: str | None = None) -> dict[str, OperatorYield]:
        """What each operator has brought over all runs, in one theory or in all.

        A statement that two operators drafted counts for both.
        """
        rows = self._rows(
            "SELECT t.operator, count(*), sum(l.outcome IS 'verified'), "
            "sum(l.outcome IS 'refuted'), sum(l.outcome IS 'conjecture'), sum(l.outcome IS NULL), "
            "sum(t.seconds) FROM (SELECT operator, candidate, max(serial) AS last, "
            "sum(seconds) AS seconds FROM trials GROUP BY operator, candidate) t "
            "JOIN trials l ON l.serial = t.last JOIN candidates c ON c.serial = t.candidate "
            "WHERE c.theory = coalesce(?, c.theory) GROUP BY t.operator ORDER BY t.operator",
            theory,
        )
        names = list(OperatorYield.model_fields)
        return {
            operator: OperatorYield.model_validate(dict(zip(names, values, strict=True)))
            for operator, *values in rows
        }

    def proof_searches(self, theory: str | None = None) -> list[ProofSearch]:
        """Every proof search of earlier runs with its length and outcome, in order."""
        rows = self._rows(
            "SELECT t.operator, coalesce(c.size, 0), coalesce(c.hypotheses, 0), t.outcome = ?, "
            "t.seconds FROM trials t JOIN candidates c ON c.serial = t.candidate "
            "WHERE t.stage = ? AND t.outcome IN (?, ?) AND c.theory = coalesce(?, c.theory) "
            "ORDER BY t.serial",
            Label.VERIFIED,
            Stage.VERIFIER,
            Label.VERIFIED,
            Label.CONJECTURE,
            theory,
        )
        return [_search_of(row) for row in rows]

    def _serial(self, theory: str, canonical: str) -> int:
        """Number of a candidate's row."""
        rows = self._rows(
            "SELECT serial FROM candidates WHERE theory = ? AND canonical = ?", theory, canonical
        )
        if not rows:
            raise InputError(
                f"there is no candidate {canonical!r} in {theory}",
                "remember the candidate before what is known of it",
            )
        return int(rows[0][0])


def _search_of(row: tuple[Any, ...]) -> ProofSearch:
    values = dict(zip(ProofSearch.model_fields, row, strict=True))
    return ProofSearch.model_validate(values | {"proved": bool(values["proved"])})
