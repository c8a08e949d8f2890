"""What can be wrong with a library: stable codes, each with what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.library.records import Finding
from verifier.errors import StorageError

_RESTORE = (
    "`lemmata library check --restore` writes the file as the database says and keeps yours "
    "beside it, its name ending in .edited. To keep a change, move it into a theory of your own."
)
_BACKUP = "Restore lemmata.sqlite from a backup; an export of the Lean package is not affected."
_RETRACT = (
    "`lemmata library check --retract` takes it out of the library; what was proved from it is "
    "proved without it, or becomes a conjecture."
)

REMEDIES = {
    "database_damaged": _BACKUP,
    "chain_broken": _BACKUP,
    "row_edited": _BACKUP,
    "row_missing": _BACKUP,
    "label_unwitnessed": _BACKUP,
    "module_edited": _RESTORE,
    "module_missing": _RESTORE,
    "module_stray": "Delete it or move it away: the library's folder Lemmata holds only its own.",
    "snapshot_edited": _RESTORE
    + " To take a change in, change the original and run `lemmata discover` on it.",
    "snapshot_missing": _RESTORE,
    "snapshot_fails": "The theory does not compile with this Lean; check it with the Lean of "
    "lean-toolchain, or adopt a corrected theory.",
    "module_fails": _RESTORE,
    "not_a_theorem": _RESTORE,
    "unsound": _RESTORE,
    "lemma_missing": _RESTORE,
    "lemma_unknown": _RESTORE,
    "statement_differs": _RESTORE,
    "lemma_fails": _RETRACT,
    "lemma_undetermined": "Repeat the check with less load or more memory: nothing is known of it.",
    "duplicate_statement": "Keep one of them; both are true, so nothing is at risk.",
    "installation_damaged": "Run `lemmata doctor --repair`, and check again: what a damaged Lean "
    "says is worth nothing.",
    "lakefile_edited": "Compare it with the one in an export if `lake build` fails.",
}
_WARNINGS = frozenset({"duplicate_statement", "lakefile_edited"})


def finding(code: str, where: str, message: str) -> Finding:
    """A finding with the severity and the remedy of its code."""
    severity = "warning" if code in _WARNINGS else "error"
    return Finding.model_validate(
        {
            "code": code,
            "severity": severity,
            "where": where,
            "message": message,
            "remedy": REMEDIES[code],
        }
    )


def refusal(findings: Sequence[Finding]) -> StorageError:
    """The error for findings that forbid to go on."""
    shown = "; ".join(f"{f.where}: {f.message}" for f in findings[:3])
    more = f" ({len(findings) - 3} more)" if len(findings) > 3 else ""
    return StorageError(f"the library was changed by hand: {shown}{more}", findings[0].remedy)
