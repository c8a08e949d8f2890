"""The journal: what is settled stays, whatever happens to the last line."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.proving.filling import Fill
from engine.proving.result import Attempted, Label, Result
from engine.proving.resume import Journal
from verifier.errors import StorageError


def attempted(label: Label = Label.VERIFIED) -> Attempted:
    result = Result(
        id="f:1", document="f", line=1, name="α", statement=": True", label=label, reason="proved"
    )
    return Attempted(result=result, fills=(Fill(3, 8, "by\n  trivial"),))


def test_it_remembers(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("k", 5.0, attempted())
        assert journal.settled("other", 5.0) is None
    with Journal(path) as journal:
        known = journal.settled("k", 5.0)
        assert known is not None
        assert known.fills == attempted().fills
        assert known.result.resumed


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_half_a_line_at_the_end_is_dropped(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", 5.0, attempted())
        journal.add("b", 5.0, attempted())
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal(path) as journal:
        assert journal.settled("a", 5.0) is not None
        assert journal.settled("b", 5.0) is None
        journal.add("c", 5.0, attempted())
    with Journal(path) as journal:
        assert journal.settled("a", 5.0) is not None
        assert journal.settled("c", 5.0) is not None


def test_a_damaged_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", 5.0, attempted())
    path.write_bytes(b'{"key": 3}\n' + path.read_bytes())
    with Journal(path) as journal:
        assert journal.settled("a", 5.0) is not None


def test_what_stayed_open_is_tried_again_with_more_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal.add("k", 5.0, attempted(Label.OPEN))
        assert journal.settled("k", 5.0) is not None
        assert journal.settled("k", 6.0) is None


def test_fresh_forgets(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("k", 5.0, attempted())
    with Journal(path, fresh=True) as journal:
        assert journal.settled("k", 5.0) is None


def test_two_runs_do_not_share_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path), pytest.raises(StorageError, match="another run"), Journal(path):
        pass
