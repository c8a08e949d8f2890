"""Whether an exported theorem says a statement, as the session described its type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifier.kernel import format as fmt
from verifier.kernel.format import Export


def says(export: Export, theorem: str, type_: Any, levels: Sequence[str]) -> str:
    """Why a theorem of an export is not the statement, or an empty string.

    Args:
        export: Has the theorem.
        theorem: Its full name.
        type_: JSON of the statement's type, see ``session/expr.js``; ``None`` when it is too large
            to print: then the session's own comparison must do.
        levels: Universe parameters of the statement.
    """
    found = next(
        d
        for d in export.declarations
        if isinstance(d, fmt.Theorem) and fmt.name_text(d.name) == theorem
    )
    if [fmt.name_text(n) for n in found.levels] != list(levels):
        return f"{theorem}: the exported theorem has other universe parameters"
    if type_ is not None and not _equal(export, found.type, type_):
        return f"{theorem}: the exported theorem says something else"
    return ""


def _equal(export: Export, root: int, type_: Any) -> bool:
    pending = [(root, type_)]
    while pending:
        number, json = pending.pop()
        parts = _parts(export, export.expressions[number], json)
        if parts is None:
            return False
        pending += parts
    return True


def _parts(export: Export, e: fmt.Expression, json: Any) -> list[tuple[int, Any]] | None:
    """Pairs that must be equal for two expressions to be so, or ``None`` if they are not."""
    match e[0], json:
        case (fmt.APP, ["a", f, x]):
            return [(e[1], f), (e[2], x)]
        case (fmt.CONST, ["c", name, levels]) if name == fmt.name_text(e[1]):
            same = len(levels) == len(e[2]) and all(
                _same_level(export, u, j) for u, j in zip(e[2], levels, strict=True)
            )
            return [] if same else None
        case (fmt.BVAR, ["v", index]):
            return [] if index == e[1] else None
        case (fmt.SORT, ["s", level]):
            return [] if _same_level(export, e[1], level) else None
        case (fmt.LAM, ["l", _, domain, body, info]) | (fmt.PI, ["p", _, domain, body, info]):
            return [(e[2], domain), (e[3], body)] if info == e[4] else None
        case (fmt.LET, ["let", _, domain, value, body]):
            return [(e[2], domain), (e[3], value), (e[4], body)]
        case (fmt.LIT_NAT, ["n", digits]) | (fmt.LIT_STR, ["t", digits]):
            return [] if digits == e[1] else None
        case (fmt.PROJ, ["proj", structure, index, of]):
            return [(e[3], of)] if (structure, index) == (fmt.name_text(e[1]), e[2]) else None
        case _:
            return None


def _same_level(export: Export, number: int, json: Any) -> bool:
    level = export.levels[number]
    match level[0], json:
        case ("zero", ["0"]):
            return True
        case ("succ", ["+", below]):
            return _same_level(export, level[1], below)
        case ("max", ["max", one, other]) | ("imax", ["imax", one, other]):
            return _same_level(export, level[1], one) and _same_level(export, level[2], other)
        case ("param", ["u", name]):
            return bool(name == fmt.name_text(level[1]))
        case _:
            return False
