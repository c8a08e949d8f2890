"""When each lemma was last proved again."""

from __future__ import annotations

from engine.model import MethodNode
from engine.store.lemmas import LemmaTable
from engine.store.records import LemmaRecord, RecheckRecord


class RecheckTable(LemmaTable):
    """The part of the store that knows which lemma is due for another look."""

    def note_recheck(
        self, node: MethodNode, outcome: str, toolchain: str, seconds: float
    ) -> RecheckRecord:
        """Note that a lemma was proved again, or not.

        Args:
            node: The lemma's node.
            outcome: ``verified``, ``rejected`` or ``undetermined``.
            toolchain: The Lean that was asked.
            seconds: How long it took.
        """
        record = RecheckRecord(
            node=node.id, outcome=outcome, toolchain=toolchain, seconds=seconds, time=self._clock()
        )
        values = record.model_dump(mode="json").values()
        with self.transaction():
            self._write("INSERT OR REPLACE INTO rechecks VALUES (?, ?, ?, ?, ?)", *values)
        return record

    def last_recheck(self, node_id: str) -> RecheckRecord | None:
        """The latest look at a lemma, or ``None`` if it was proved once only."""
        rows = self._rows("SELECT * FROM rechecks WHERE node = ?", self.resolve(node_id))
        if not rows:
            return None
        return RecheckRecord.model_validate(
            dict(zip(RecheckRecord.model_fields, rows[0], strict=True))
        )

    def due_for_recheck(self, count: int, module: str | None = None) -> list[LemmaRecord]:
        """Verified lemmas whose last proof is the oldest, at most ``count`` of them.

        A lemma that was never proved again counts from the day that it joined.

        Args:
            count: How many.
            module: Only those of one library module.
        """
        records = self.lemmas(module)
        seen = {node: time for node, time in self._rows("SELECT node, time FROM rechecks")}
        records.sort(key=lambda r: (seen.get(r.node, r.appended.isoformat()), r.serial))
        return records[:count]
