"""Runs, the log of what they drafted, and the memory of it across runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from engine.model import Candidate, Label, Stage
from engine.store.clusters import ClusterTable
from engine.store.database import decode_model, encode_json, encode_model
from engine.store.records import CandidateRecord, RunRecord, Trial
from verifier.errors import InputError

_RECORD = (
    "body, theory, stage, outcome, reason, counterexample, attempts, seconds, run, node, "
    "library_version, first_seen, last_seen"
)


class CandidateTable(ClusterTable):
    """The part of the store that remembers runs and candidates."""

    def start_run(
        self,
        goal: str,
        theory: str,
        settings: Mapping[str, Any] | None = None,
        *,
        run_id: str | None = None,
    ) -> RunRecord:
        """Note that a run begins.

        Args:
            goal: What is looked for, in the user's words or as Lean.
            theory: The theory that it works in.
            settings: ``Settings.model_dump(mode="json")`` of the run.
            run_id: An id of the caller's; otherwise a fresh one.

        Raises:
            StorageError: The id is taken, or a write failed.
        """
        name = run_id or self._ids()
        with self.transaction():
            self._write(
                "INSERT INTO runs (id, goal, theory, settings, started) VALUES (?, ?, ?, ?, ?)",
                name,
                goal,
                theory,
                encode_json(dict(settings or {})),
                self._now(),
            )
            self.audit("run.started", name, {"goal": goal, "theory": theory})
        return self.run(name)

    def finish_run(self, run_id: str, counts: Mapping[str, int]) -> RunRecord:
        """Note that a run ended, with how many candidates met which fate.

        Raises:
            InputError: There is no such run.
        """
        with self.transaction():
            self.run(run_id)
            self._write(
                "UPDATE runs SET ended = ?, counts = ? WHERE id = ?",
                self._now(),
                encode_json(dict(counts)),
                run_id,
            )
            self.audit("run.finished", run_id, {"counts": dict(counts)})
        return self.run(run_id)

    def run(self, run_id: str) -> RunRecord:
        """One run.

        Raises:
            InputError: There is no such run.
        """
        for record in self._runs("id = ?", run_id):
            return record
        raise InputError(f"there is no run {run_id!r}", "list the runs with `lemmata library`")

    def runs(self, *, unfinished: bool = False) -> list[RunRecord]:
        """All runs in the order of their start, or those that never ended."""
        return self._runs("ended IS NULL" if unfinished else "1")

    def remember_candidate(
        self,
        candidate: Candidate,
        *,
        theory: str,
        stage: Stage,
        outcome: Label | None = None,
        reason: str = "",
        counterexample: str = "",
        attempts: int = 0,
        seconds: float = 0.0,
        run: str | None = None,
        node: str | None = None,
        library_version: int | None = None,
    ) -> CandidateRecord:
        """Log what was decided about a candidate, and remember it for later runs.

        Attempts and seconds add up over the calls. A decision replaces the one before, but no
        decision (``outcome=None``, a pruning) never erases a decision: a refuted statement that
        is drafted and pruned again stays refuted.

        Args:
            candidate: The candidate; its canonical key identifies it within the theory.
            theory: The theory that it was drafted for.
            stage: Where the decision fell.
            outcome: The standing decided on, if any.
            reason: Why; required in spirit for everything that is pruned.
            counterexample: The values that refute it.
            attempts: Proof attempts since the last call.
            seconds: Time spent since the last call.
            run: The run that drafted it.
            node: The node that it became.
            library_version: The version under which it was decided; the present one if omitted.

        Raises:
            StorageError: Run or node do not exist, or a write failed.
        """
        with self.transaction():
            known = self.candidate_by_key(theory, candidate.canonical)
            now = self._clock()
            fresh = CandidateRecord(
                candidate=candidate,
                theory=theory,
                stage=stage,
                outcome=outcome,
                reason=reason,
                counterexample=counterexample,
                attempts=attempts,
                seconds=seconds,
                run=run,
                node=node,
                library_version=(
                    self.library_version() if library_version is None else library_version
                ),
                first_seen=now,
                last_seen=now,
            )
            record = fresh if known is None else _joined(known, fresh)
            self._put(record)
            self._log(fresh)
            return record

    def candidate_by_key(self, theory: str, canonical: str) -> CandidateRecord | None:
        """What is remembered of a statement, or ``None`` if it was never drafted."""
        for record in self._candidates("theory = ? AND canonical = ?", theory, canonical):
            return record
        return None

    def worth_trying(self, theory: str, canonical: str) -> bool:
        """Whether a proof attempt can still teach something (``CandidateRecord.worth_trying``)."""
        known = self.candidate_by_key(theory, canonical)
        return known is None or known.worth_trying(self.library_version())

    def open_conjectures(
        self, theory: str | None = None, *, retry_only: bool = False
    ) -> list[CandidateRecord]:
        """The statements that are neither proved nor refuted, oldest first.

        Args:
            theory: Only those of one theory.
            retry_only: Only those that last failed under a smaller library.
        """
        return self._candidates(
            "outcome = ? AND theory = coalesce(?, theory) AND library_version < ?",
            Label.CONJECTURE,
            theory,
            self.library_version() if retry_only else 2**62,
        )

    def candidates(
        self, theory: str | None = None, *, outcome: Label | None = None
    ) -> list[CandidateRecord]:
        """Everything remembered, oldest first, or the part with one theory or outcome."""
        return self._candidates(
            "theory = coalesce(?, theory) AND (?2 IS NULL OR outcome = ?2)", theory, outcome
        )

    def trials(self, run: str | None = None) -> list[Trial]:
        """The log of every decision, in order, or that of one run."""
        rows = self._rows(
            "SELECT c.theory, c.canonical, c.statement, t.operator, t.stage, t.outcome, t.reason, "
            "t.seconds, t.run, t.time FROM trials t JOIN candidates c ON c.serial = t.candidate "
            "WHERE ?1 IS NULL OR t.run = ?1 ORDER BY t.serial",
            run,
        )
        return [Trial.model_validate(dict(zip(Trial.model_fields, r, strict=True))) for r in rows]

    def library_version(self, module: str | None = None) -> int:
        """A number that grows with every lemma that joins the library, or one module of it."""
        rows = self._rows(
            "SELECT coalesce(max(serial), 0) FROM lemmas WHERE module = coalesce(?, module)",
            module,
        )
        return int(rows[0][0])

    def _put(self, record: CandidateRecord) -> None:
        values = {
            "canonical": record.candidate.canonical,
            "statement": record.candidate.statement,
            "operator": record.candidate.operator,
            "body": encode_model(record.candidate),
            **record.model_dump(mode="json", exclude={"candidate"}),
        }
        columns, marks = ", ".join(values), ", ".join("?" * len(values))
        updates = ", ".join(f"{column} = excluded.{column}" for column in values)
        self._write(
            f"INSERT INTO candidates ({columns}) VALUES ({marks}) "
            f"ON CONFLICT (theory, canonical) DO UPDATE SET {updates}",
            *values.values(),
        )

    def _log(self, record: CandidateRecord) -> None:
        self._write(
            "INSERT INTO trials (candidate, run, operator, stage, outcome, reason, seconds, time) "
            "SELECT serial, ?, ?, ?, ?, ?, ?, ? FROM candidates "
            "WHERE theory = ? AND canonical = ?",
            record.run,
            record.candidate.operator,
            record.stage,
            record.outcome,
            record.reason,
            record.seconds,
            record.last_seen.isoformat(),
            record.theory,
            record.candidate.canonical,
        )

    def _candidates(self, where: str, *values: Any) -> list[CandidateRecord]:
        rows = self._rows(
            f"SELECT {_RECORD} FROM candidates WHERE {where} ORDER BY serial", *values
        )
        names = _RECORD.split(", ")[1:]
        return [
            CandidateRecord.model_validate(
                {
                    "candidate": decode_model(Candidate, body),
                    **dict(zip(names, rest, strict=True)),
                }
            )
            for body, *rest in rows
        ]

    def _runs(self, where: str, *values: Any) -> list[RunRecord]:
        rows = self._rows(f"SELECT * FROM runs WHERE {where} ORDER BY started, id", *values)
        return [
            RunRecord.model_validate(
                dict(zip(RunRecord.model_fields, row, strict=True))
                | {"counts": orjson.loads(row[-1])}
            )
            for row in rows
        ]


def _joined(known: CandidateRecord, fresh: CandidateRecord) -> CandidateRecord:
    """The later record with the sums of both, and the earlier decision where it made none.

    A conjecture is no decision: what follows from lemmas found meanwhile is not open any more.
    """
    update: dict[str, Any] = {
        "first_seen": known.first_seen,
        "attempts": known.attempts + fresh.attempts,
        "seconds": known.seconds + fresh.seconds,
        "node": fresh.node or known.node,
        "run": fresh.run or known.run,
    }
    if fresh.outcome is None and known.outcome not in (None, Label.CONJECTURE):
        for field in ("stage", "outcome", "reason", "counterexample", "library_version"):
            update[field] = getattr(known, field)
    return fresh.model_copy(update=update)
