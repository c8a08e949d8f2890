"""A library for a reader: its lemmas, one lemma, and what a check has shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine.judgement.applicability import Service, services
from engine.library.library import Library
from engine.library.records import CheckReport
from engine.library.retraction import RetractionReport
from engine.store import LemmaRecord


def summaries(library: Library, module: str | None, retracted: bool) -> list[dict[str, Any]]:
    """The lemmas as rows, in the order in which they compile.

    Args:
        library: Open.
        module: Only those of one library module.
        retracted: Also those that are no longer verified.
    """
    served = services(library.store.nodes())
    records = library.store.lemmas(module, retracted=retracted)
    return [_summary(library, record, served) for record in records]


def _summary(
    library: Library, record: LemmaRecord, served: Mapping[str, Service]
) -> dict[str, Any]:
    node = library.store.node(record.node)
    again = library.store.last_recheck(record.node)
    return {
        "name": record.name,
        "module": record.module,
        "statement": node.statement,
        "label": record.label.value,
        "operator": node.operator,
        "axioms": list(node.axioms),
        "verified": record.appended.isoformat(),
        "checked": again.time.isoformat() if again else record.appended.isoformat(),
        "users": list(served.get(record.node, Service()).users),
    }


def details(library: Library, record: LemmaRecord) -> dict[str, Any]:
    """One lemma with all that a reader may ask of it."""
    node = library.store.node(record.node)
    return {
        **_summary(library, record, services(library.store.nodes())),
        "id": record.node,
        "text": record.text,
        "summary": node.summary,
        "premises": list(node.premises),
        "toolchain": node.toolchain,
        "kernels": list(node.kernels),
        "assumed": list(node.assumed),
        "file": str(library.package.path_of(record.module)),
        "parents": [
            {"node": edge.parent, "rating": edge.rating, "explanation": edge.explanation}
            for edge in library.store.contributions_into(record.node)
        ],
    }


def print_list(rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints the lemmas as a table; those that no longer hold are struck through."""
    table = Table("lemma", "statement", "found by", "used", box=None, pad_edge=False)
    for row in rows:
        fallen = row["label"] != "verified"
        name = Text(row["name"], style="red strike" if fallen else "green")
        label = f" ({row['label']})" if fallen else ""
        used = str(len(row["users"]) or "-")
        table.add_row(name, Text(row["statement"] + label), Text(row["operator"]), used)
    Console(highlight=False).print(table)
    idle = sum(not row["users"] for row in rows)
    told = f", {idle} of which no proof has used yet" if idle else ""
    Console(highlight=False).print(f"{len(rows)} lemmas{told}")


def print_details(shown: Mapping[str, Any]) -> None:
    """Prints one lemma."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(shown["text"]))
    facts = {
        "label": shown["label"],
        "file": shown["file"],
        "axioms": ", ".join(shown["axioms"]) or "none",
        "premises": ", ".join(shown["premises"]) or "none",
        "use": str(Service(tuple(shown["users"]))),
        "found by": shown["operator"] or "nobody recorded",
        "checked by": shown["toolchain"],
        "checked on": shown["checked"],
    }
    console.print()
    for key, value in facts.items():
        console.print(Text.assemble((f"{key:<11}", "bold"), value))
    for parent in shown["parents"]:
        line = f"from       {parent['node']} ({parent['rating']}/5): {parent['explanation']}"
        console.print(Text(line))


def check_json(
    report: CheckReport, changed: RetractionReport, kept: Sequence[Path]
) -> dict[str, Any]:
    """A check as one document."""
    return {
        "ok": report.ok,
        "kept": [str(path) for path in kept],
        "retracted": _named(changed.retracted),
        "demoted": _named(changed.demoted),
        "reproved": [{"name": name, "by": how} for name, how in changed.reproved],
        **report.model_dump(mode="json"),
    }


def _named(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "reason": reason} for name, reason in pairs]


def print_check(report: CheckReport, changed: RetractionReport) -> None:
    """Prints what a check has shown, and before it what was retracted."""
    console = Console(highlight=False, soft_wrap=True)
    for name, reason in changed.retracted:
        console.print(Text.assemble(("retracted", "red"), f"  {name}: {reason}"))
    for name, reason in changed.demoted:
        console.print(Text.assemble(("demoted", "yellow"), f"  {name} is a conjecture: {reason}"))
    for name, how in changed.reproved:
        console.print(Text.assemble(("kept", "green"), f"  {name} is proved without them by {how}"))
    for each in report.findings:
        style = "red" if each.severity == "error" else "yellow"
        console.print(Text.assemble((each.code, style), f"  {each.where}: {each.message}"))
        console.print(Text(f"    {each.remedy}", style="dim"))
    verdict = ("sound", "green") if report.ok else ("not sound", "red")
    counted = f"  {report.proved} lemmas in {report.modules} modules proved again by "
    kernels = " and ".join(f"Lean {kernel}" for kernel in report.kernels)
    tail = f"{counted}{kernels} in {report.seconds:.1f} s"
    console.print(Text.assemble(verdict, tail))
