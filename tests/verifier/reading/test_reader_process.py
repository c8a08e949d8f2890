"""Our side of the wire, against a ``lean`` that misbehaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.errors import InputError, ToolchainError
from verifier.reading import reader
from verifier.reading.facts import ModuleContents
from verifier.reading.files import ModuleFile
from verifier.reading.reader import read_modules
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.toolchain.native.discovery import NativeToolchain

Peer = Callable[[str], NativeToolchain]

GOOD = """
tell({"ready": True})
for module in request["modules"]:
    tell({"name": module + ".t", "failure": "too deep"})
    tell({"end": module})
tell({"done": True})
"""


def read(
    toolchain: NativeToolchain, names: str = "AB", processes: int = 1, size: int = 10
) -> list[ModuleContents]:
    files = [ModuleFile(name, Path(f"{name}.olean"), size, 0) for name in names]
    return list(read_modules(toolchain, list(names), files, processes))


def test_module_after_module(peer: Peer) -> None:
    contents = read(peer(GOOD))
    assert [c.module for c in contents] == ["A", "B"]
    assert [f.name for c in contents for f in c.failures] == ["A.t", "B.t"]


def test_several_processes_share_the_modules(peer: Peer) -> None:
    script = GOOD.replace('"too deep"', '" ".join(request["modules"])')
    contents = read(peer(script), "ABCDE", processes=2, size=reader.SHARE_BYTES)
    assert sorted(c.module for c in contents) == list("ABCDE")
    assert len({f.failure for c in contents for f in c.failures}) > 1


def test_few_modules_are_not_shared_out(peer: Peer) -> None:
    script = GOOD.replace('"too deep"', '" ".join(request["modules"])')
    contents = read(peer(script), "ABC", processes=2)
    assert {f.failure for c in contents for f in c.failures} == {"A B C"}


def test_nothing_to_read(peer: Peer) -> None:
    assert read(peer("raise SystemExit(1)"), "") == []


def test_imports_that_lean_refuses(peer: Peer) -> None:
    script = 'tell({"ready": True}); tell({"fatal": "import B failed, x is declared twice"})'
    with pytest.raises(InputError, match="declared twice"):
        read(peer(script))


def test_what_was_read_before_a_crash_is_handed_over(peer: Peer) -> None:
    script = 'tell({"ready": True}); tell({"end": "A"}); import os; os._exit(3)'
    found = read_modules(peer(script), ["A", "B"], [ModuleFile(n, Path(n), 1, 0) for n in "AB"], 1)
    assert next(found).module == "A"
    with pytest.raises((SessionLost, ToolchainError)):
        next(found)


@pytest.mark.parametrize(
    "event",
    [
        '{"end": "B"}',
        '{"name": "x"}',
        '{"name": "x", "failure": 3, "more": 1}',
        '{"name": 3, "kind": "theorem"}',
    ],
)
def test_an_answer_that_is_none(peer: Peer, event: str) -> None:
    with pytest.raises(SessionLost) as lost:
        read(peer(f'import json\ntell({{"ready": True}})\ntell(json.loads({event!r}))'))
    assert lost.value.loss is Loss.CRASH


def test_lines_of_others_are_passed_over(peer: Peer) -> None:
    script = 'print(json.dumps({"end": "A"}), flush=True)\n' + GOOD
    assert [c.module for c in read(peer(script))] == ["A", "B"]


def test_garbage_behind_the_nonce(peer: Peer) -> None:
    with pytest.raises(SessionLost, match="not an answer"):
        read(peer('tell({"ready": True}); print(request["nonce"] + "{", flush=True)'))


def test_silence(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "START_SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(SessionLost) as lost:
        read(peer("time.sleep(60)"))
    assert lost.value.loss is Loss.TIMEOUT
    assert time.monotonic() - started < 20


def test_a_lean_that_does_not_run_the_reader(peer: Peer) -> None:
    with pytest.raises(ToolchainError, match="does not run the reader"):
        read(peer('print("main.lean:1:0: error", file=sys.stderr); sys.exit(1)'))


def test_closing_early_ends_the_processes(peer: Peer) -> None:
    script = """
import os
tell({"ready": True})
tell({"name": "pid", "failure": str(os.getpid())})
tell({"end": "A"})
while True:
    time.sleep(0.05)
    tell({"name": "x", "failure": "y"})
"""
    files = [ModuleFile(n, Path(n), 1, 0) for n in "AB"]
    found = read_modules(peer(script), ["A", "B"], files, 1)
    (told,) = next(found).failures
    assert Path(f"/proc/{told.failure}").exists()
    found.close()
    assert not Path(f"/proc/{told.failure}").exists()
