"""What LeanDojo leaves behind, in a knowledge base. Its traces: tests/engine/sources."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from engine.knowledge.base import KnowledgeBase
from engine.knowledge.index import update_index
from engine.knowledge.traced import read_traced
from verifier.errors import InputError
from verifier.progress import SilentProgress


def record(path: str, *names: str) -> bytes:
    premises = [
        {"full_name": n, "code": f"theorem {n} : {n} = {n}", "start": [1, 1], "end": [1, 9]}
        for n in names
    ]
    return orjson.dumps({"path": path, "imports": [], "premises": premises}) + b"\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(record("Pears/Basic.lean", "pear", "stem") + record("Plums.lean", "plum"))
    return path


def test_a_corpus_is_read_once_and_found(declarations, settings, corpus: Path) -> None:
    first = read_traced(declarations, corpus, SilentProgress())
    assert (first.read, first.declarations) == (2, 3)
    second = read_traced(declarations, corpus, SilentProgress())
    assert (second.modules, second.read) == (2, 0)

    base = declarations.path.parent
    update_index(base, declarations, settings, SilentProgress())
    with KnowledgeBase(base, settings) as opened:
        found = opened.search("plum", 1).found
    assert found[0].node.module == "Plums"


def test_modules_of_another_source_are_left_to_it(
    declarations, write, make_theorem, corpus: Path
) -> None:
    write("Plums", [make_theorem("Plums", "mine", "f")])
    report = read_traced(declarations, corpus, SilentProgress())
    assert report.read == 1
    known = declarations.keys()
    assert "Plums:mine" in known
    assert "Plums:plum" not in known


def test_a_changed_corpus_drops_what_is_gone(declarations, corpus: Path) -> None:
    read_traced(declarations, corpus, SilentProgress())
    corpus.write_bytes(record("Plums.lean", "plum", "stone"))
    report = read_traced(declarations, corpus, SilentProgress())
    assert (report.read, report.dropped) == (1, 1)
    assert set(declarations.keys()) == {"Plums:plum", "Plums:stone"}


def test_edges_of_a_source_are_kept_with_it(declarations, write, make_theorem) -> None:
    from engine.model import Contribution
    from verifier.reading.files import ModuleFile

    rows = [make_theorem("M", "a", "f"), make_theorem("M", "b", "f")]
    edge = Contribution(parent="M:a", child="M:b", rating=4, explanation="It rewrites with a.")
    declarations.replace_module("x", ModuleFile("M", Path("M"), 1, 1), "d", rows, [edge])

    assert list(declarations.contributions()) == [edge]
    assert list(declarations.contributions(["M:a"])) == []
    declarations.drop_modules(["M"])
    assert list(declarations.contributions()) == []


def test_no_trace(declarations, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no trace"):
        read_traced(declarations, tmp_path, SilentProgress())
