"""Puts proofs into a text and changes nothing else, to the byte.

Lean sees a text without byte order mark and with LF line ends; positions that it reports are
carried back to the bytes of the file, and a proof gets the line ends of the line that it is put
in. These are pure functions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 100
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, order=True)
class Fill:
    """Bytes ``start`` to ``end`` of the text with LF line ends become ``text``."""

    start: int
    end: int
    text: str


def as_lean_sees(raw: bytes) -> bytes:
    """The bytes of a file without byte order mark and with LF line ends."""
    return raw.removeprefix(BYTE_ORDER_MARK).replace(b"\r\n", b"\n")


def filled(text: bytes, fills: Sequence[Fill]) -> bytes:
    """The text as Lean sees it with all fills, which must not overlap."""
    return _replaced(text, [(f.start, f.end, f.text.encode()) for f in sorted(fills)])


def filled_file(raw: bytes, fills: Sequence[Fill]) -> bytes:
    """The file's own bytes with all fills."""
    places = _Places(raw)
    changes = []
    for fill in sorted(fills):
        start, end = places.in_file(fill.start), places.in_file(fill.end)
        proof = fill.text.encode().replace(b"\n", line_end_at(raw, start))
        changes.append((start, end, proof))
    return _replaced(raw, changes)


def line_end_at(raw: bytes, position: int) -> bytes:
    """The line end of the line that a byte is on; on the last line that of the one before."""
    at = raw.find(b"\n", position)
    if at < 0:
        at = raw.rfind(b"\n", 0, position)
    return b"\r\n" if at > 0 and raw[at - 1 : at] == b"\r" else b"\n"


def tactics(proof: str) -> str | None:
    """The tactics of a proof ``by …`` without the ``by`` and its indentation."""
    if not proof.startswith("by") or not proof[2:3].isspace():
        return None
    if "\n" not in proof:
        return proof[3:].strip()
    first, *rest = proof.split("\n")
    if first.strip() != "by":
        return None
    depth = min(len(line) - len(line.lstrip(" ")) for line in rest if line.strip())
    return "\n".join(line[depth:] for line in rest)


def broken(proof: str, column: int) -> str:
    """A proof ``by …`` on two lines, if on one it would reach too far from where it begins."""
    if "\n" in proof or column + len(proof) <= WIDTH or not proof.startswith("by "):
        return proof
    return f"by\n  {proof[3:]}"


def indented(text: str, column: int) -> str:
    """The text with all lines but the first moved to the right."""
    return text.replace("\n", "\n" + " " * column)


def _replaced(content: bytes, changes: Sequence[tuple[int, int, bytes]]) -> bytes:
    out, at = [], 0
    for start, end, new in changes:
        if start < at or end < start:
            raise ValueError(f"the bytes {start} to {end} overlap with what stands before them")
        out += [content[at:start], new]
        at = end
    return b"".join((*out, content[at:]))


class _Places:
    """Positions in the text that Lean sees, as positions in the file."""

    def __init__(self, raw: bytes) -> None:
        self._mark = len(BYTE_ORDER_MARK) if raw.startswith(BYTE_ORDER_MARK) else 0
        self._ends: list[int] = []  # where a CR was dropped, in the text that Lean sees
        at = raw.find(b"\r\n", self._mark)
        while at >= 0:
            self._ends.append(at - self._mark - len(self._ends))
            at = raw.find(b"\r\n", at + 2)

    def in_file(self, position: int) -> int:
        return self._mark + position + bisect_left(self._ends, position)
