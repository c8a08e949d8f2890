"""What Lemmata remembers: one SQLite database with an audit chain.

Typed methods go in and come out as frozen models; no caller sees a row.
"""

from engine.store.audit import AuditEntry, ChainFault, ChainReport
from engine.store.records import (
    Alias,
    CandidateRecord,
    LemmaRecord,
    ModuleRecord,
    RunRecord,
    Trial,
)
from engine.store.store import Store

__all__ = [
    "Alias",
    "AuditEntry",
    "CandidateRecord",
    "ChainFault",
    "ChainReport",
    "LemmaRecord",
    "ModuleRecord",
    "RunRecord",
    "Store",
    "Trial",
]
