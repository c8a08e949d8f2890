"""The audit chain: an append-only log in which every entry carries the hash of the one before.

hash = SHA-256 over the canonical JSON of sequence number, time, event, subject, detail and
previous hash. An edited, removed, inserted or moved entry breaks the chain at its place; an entry
removed at the end shows against the head, which is stored apart. A chain that was forged from
some entry on is found by whoever kept an earlier head.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from engine.model import Frozen
from engine.store.database import Database, encode_json

GENESIS: Final = "0" * 64


class AuditEntry(Frozen):
    """One event.

    Attributes:
        seq: Place in the chain, from 1 without gaps.
        time: ISO 8601 with offset, as it was hashed.
        subject: What it is about: a node, run or module id.
        detail: Canonical JSON text.
        prev: Hash of the entry before; 64 zeros for the first.
    """

    seq: int
    time: str
    event: str
    subject: str
    detail: str
    prev: str
    hash: str


class ChainFault(Frozen):
    """A place where the chain is broken, and how."""

    seq: int
    problem: str


class ChainReport(Frozen):
    """What a check of the chain found.

    Attributes:
        entries: Number of entries read.
        head: Hash of the last one, to be kept outside the database by whoever wants proof later.
    """

    entries: int
    head: str
    faults: tuple[ChainFault, ...]

    @property
    def intact(self) -> bool:
        """Whether nothing was edited, removed, inserted or moved."""
        return not self.faults


def entry_hash(seq: int, time: str, event: str, subject: str, detail: str, prev: str) -> str:
    """SHA-256 of an entry, hexadecimal."""
    content = {
        "seq": seq,
        "time": time,
        "event": event,
        "subject": subject,
        "detail": detail,
        "prev": prev,
    }
    return hashlib.sha256(encode_json(content).encode()).hexdigest()


def chain_faults(entries: Iterable[AuditEntry], head: str) -> Iterator[ChainFault]:
    """Every broken place of a chain, in order.

    Args:
        entries: The entries by sequence number.
        head: The hash that the last entry must have.
    """
    last, expected = GENESIS, 1
    for entry in entries:
        if entry.seq != expected:
            yield ChainFault(seq=expected, problem=f"entries up to {entry.seq - 1} are missing")
        if entry.prev != last:
            yield ChainFault(seq=entry.seq, problem="does not follow the entry before it")
        if entry.hash != entry_hash(**entry.model_dump(exclude={"hash"})):
            yield ChainFault(seq=entry.seq, problem="was edited: its hash is another one")
        last, expected = entry.hash, entry.seq + 1
    if last != head:
        yield ChainFault(seq=expected, problem="the end of the chain is missing or was replaced")


class AuditTrail(Database):
    """The part of the store that writes and checks the chain."""

    def audit(
        self, event: str, subject: str, detail: Mapping[str, Any] | None = None
    ) -> AuditEntry:
        """Append an event, durable with the transaction around it.

        Args:
            event: What happened, as ``thing.happened``: ``lemma.appended``.
            subject: The id that it happened to.
            detail: Further facts; anything that JSON can express.

        Raises:
            StorageError: It could not be written.
        """
        with self.transaction():
            seq, prev = self._chain_end()
            time, text = self._now(), encode_json(dict(detail or {}))
            entry = AuditEntry(
                seq=seq,
                time=time,
                event=event,
                subject=subject,
                detail=text,
                prev=prev,
                hash=entry_hash(seq, time, event, subject, text, prev),
            )
            self._write(
                "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)", *entry.model_dump().values()
            )
            self._write("INSERT OR REPLACE INTO meta VALUES ('audit_head', ?)", entry.hash)
            return entry

    def audit_entries(
        self, *, event: str | None = None, subject: str | None = None
    ) -> list[AuditEntry]:
        """The chain in order, or the part of it that concerns one event or subject."""
        rows = self._rows(
            "SELECT * FROM audit WHERE event = coalesce(?, event) "
            "AND subject = coalesce(?, subject) ORDER BY seq",
            event,
            subject,
        )
        return [_entry_of(row) for row in rows]

    def verify_chain(self, *, known_head: str | None = None) -> ChainReport:
        """Check every hash of the chain.

        Args:
            known_head: A head that was noted earlier; it must still be part of the chain.
        """
        with self._lock:
            entries = self.audit_entries()
            head = self._stored_head()
        faults = list(chain_faults(entries, head))
        if known_head is not None and known_head not in {GENESIS, *(e.hash for e in entries)}:
            faults.append(ChainFault(seq=0, problem="the noted head is not part of the chain"))
        last = entries[-1].hash if entries else GENESIS
        return ChainReport(entries=len(entries), head=last, faults=tuple(faults))

    def _stored_head(self) -> str:
        rows = self._rows("SELECT value FROM meta WHERE key = 'audit_head'")
        return str(rows[0][0]) if rows else GENESIS

    def _chain_end(self) -> tuple[int, str]:
        # Continues from the stored head, so that an entry cut off at the end leaves a break
        # that later entries cannot heal.
        rows = self._rows("SELECT coalesce(max(seq), 0) + 1 FROM audit")
        return int(rows[0][0]), self._stored_head()


def _entry_of(row: tuple[Any, ...]) -> AuditEntry:
    return AuditEntry.model_validate(dict(zip(AuditEntry.model_fields, row, strict=True)))
