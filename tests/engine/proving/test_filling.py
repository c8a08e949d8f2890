"""Filling changes the holes and not one byte beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.proving.filling import (
    BYTE_ORDER_MARK,
    Fill,
    as_lean_sees,
    filled,
    filled_file,
    indented,
    line_end_at,
    tactics,
)

WORDS = st.sampled_from(["theorem", "α", "«x y»", "𝔸", " ", "sorry", "\t", "\r", "·", ""])
ENDS = st.sampled_from(["\n", "\r\n"])
PROOFS = st.sampled_from(["rfl", "by\n  simp\n  omega", "by\n  · α\n  · β"])


@st.composite
def texts(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    """Pieces: what stays, what is replaced, and by what. Line ends are as they come."""
    piece = st.lists(st.tuples(WORDS, st.one_of(st.just(""), ENDS)), max_size=4)
    joined = piece.map(lambda parts: "".join(a + b for a, b in parts))
    hole = st.sampled_from(["sorry", "by sorry", "by\n  sorry", "by\r\n  sorry"])
    return draw(st.lists(st.tuples(joined, hole, PROOFS), max_size=5))


def places(pieces: list[tuple[str, str, str]]) -> list[Fill]:
    """The fills, at the bytes at which Lean sees the holes."""
    fills, raw = [], b""
    for kept, hole, proof in pieces:
        raw += kept.encode()
        # A lone CR before the hole's text cannot join with it: no hole begins with LF.
        start = len(raw.replace(b"\r\n", b"\n"))
        raw += hole.encode()
        fills.append(Fill(start, len(raw.replace(b"\r\n", b"\n")), proof))
    return fills


@given(texts(), st.booleans())
def test_all_bytes_beside_the_holes_stay(pieces: list[tuple[str, str, str]], mark: bool) -> None:
    raw = (BYTE_ORDER_MARK if mark else b"") + "".join(a + b for a, b, _ in pieces).encode()
    new = filled_file(raw, places(pieces))
    rest = new
    assert rest.startswith(BYTE_ORDER_MARK) == mark
    rest = rest.removeprefix(BYTE_ORDER_MARK)
    for kept, _, proof in pieces:
        assert rest.startswith(kept.encode())
        rest = rest[len(kept.encode()) :]
        forms = [proof.encode().replace(b"\n", end) for end in (b"\r\n", b"\n")]
        form = next(f for f in forms if rest.startswith(f))
        rest = rest[len(form) :]
    assert rest == b""


@given(texts())
def test_lean_sees_the_same_in_the_file_as_in_its_own_text(
    pieces: list[tuple[str, str, str]],
) -> None:
    raw = "".join(a + b for a, b, _ in pieces).encode()
    fills = places(pieces)
    lean = filled(as_lean_sees(raw), fills)
    assert as_lean_sees(filled_file(raw, fills)) == lean


@given(st.binary(max_size=60))
def test_no_fill_no_change(raw: bytes) -> None:
    assert filled_file(raw, []) == raw


def test_a_proof_gets_the_line_ends_of_its_line() -> None:
    raw = b"a sorry\r\nb sorry\nc sorry"
    fills = [Fill(2, 7, "x\ny"), Fill(10, 15, "x\ny"), Fill(18, 23, "x\ny")]
    assert filled_file(raw, fills) == b"a x\r\ny\r\nb x\ny\nc x\ny"


def test_the_last_line_follows_the_one_before() -> None:
    assert line_end_at(b"a\r\nb", 3) == b"\r\n"
    assert line_end_at(b"a", 0) == b"\n"


def test_overlapping_fills_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        filled(b"abcdef", [Fill(0, 3, "x"), Fill(2, 4, "y")])


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        ("by simp", "simp"),
        ("by\n  intro h\n  exact h", "intro h\nexact h"),
        ("by\n    cases x with\n    | a => rfl", "cases x with\n| a => rfl"),
        ("rfl", None),
        ("byte", None),
    ],
)
def test_tactics_of_a_proof(proof: str, expected: str | None) -> None:
    assert tactics(proof) == expected


def test_indented_leaves_the_first_line() -> None:
    assert indented("a\nb\n  c", 2) == "a\n  b\n    c"
