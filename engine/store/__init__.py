"""What Lemmata remembers: one SQLite database with an audit chain.

Typed methods go in and come out as frozen models; no caller sees a row.
"""

from engine.store.audit import AuditEntry, ChainFault, ChainReport
from engine.store.records import (
    Alias,
    CandidateRecord,
    ContradictionRecord,
    FailureRecord,
    LemmaRecord,
    ModuleRecord,
    OperatorYield,
    ProofSearch,
    RecheckRecord,
    RefutationRecord,
    RunRecord,
    Trial,
    WitnessValue,
)
from engine.store.store import Store

__all__ = [
    "Alias",
    "AuditEntry",
    "CandidateRecord",
    "ChainFault",
    "ChainReport",
    "ContradictionRecord",
    "FailureRecord",
    "LemmaRecord",
    "ModuleRecord",
    "OperatorYield",
    "ProofSearch",
    "RecheckRecord",
    "RefutationRecord",
    "RunRecord",
    "Store",
    "Trial",
    "WitnessValue",
]
