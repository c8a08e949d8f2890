"""Our end of the wire to Node, against a scripted peer that does everything wrong."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from verifier.errors import InputError, ToolchainError
from verifier.lean import Environment
from verifier.session import Session
from verifier.toolchain.embedded import process
from verifier.toolchain.embedded.process import HostProcess, Loss, SessionLost

READY = 'say({"ready": True})'
PEER = """#!{python}
import json, os, subprocess, sys, time

def say(message):
    write(json.dumps(message) + "\\n")

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def ask():
    return json.loads(sys.stdin.readline())

def answer(**rest):
    say({{"id": ask()["id"], "bytes": 1, "result": {{}}, **rest}})

{script}
time.sleep(60)
"""
ROOM = 8 << 30


@dataclass(frozen=True)
class FakeLean:
    node: Path
    lean_version: str = "4.0.0"
    commit: str = "0123456789"

    @property
    def lean_js(self) -> Path:
        return self.node.with_name("lean.js")

    @property
    def lib(self) -> Path:
        return self.node.with_name("lib")


Peer = Callable[..., HostProcess]


@pytest.fixture
def lean(tmp_path: Path) -> Callable[[str], FakeLean]:
    def write(script: str) -> FakeLean:
        node = tmp_path / "node"
        node.write_text(PEER.format(python=sys.executable, script=script))
        node.chmod(0o755)
        return FakeLean(node)

    return write


@pytest.fixture
def peer(lean: Callable[[str], FakeLean]) -> Iterator[Peer]:
    started: list[HostProcess] = []

    def start(script: str, memory_limit: int = ROOM) -> HostProcess:
        started.append(HostProcess(lean(script), memory_limit))
        return started[-1]

    yield start
    for child in started:
        child.kill()


def gone(pid: int) -> bool:
    """Whether a process has ended and been reaped."""
    return not Path(f"/proc/{pid}").exists()


def test_an_answer_is_returned_without_its_token(peer: Peer) -> None:
    child = peer(f"{READY}\nwhile True: answer(result={{'x': 'é\\u2028'}})")
    for _ in range(3):
        assert child.request({"op": "x"}, 5) == {"bytes": 1, "result": {"x": "é\u2028"}}
    assert child.alive


def test_an_answer_may_come_in_pieces(peer: Peer) -> None:
    child = peer(f"""{READY}
line = json.dumps({{"id": ask()["id"], "text": "ℕ" * 40_000}}, ensure_ascii=False)
line = line.encode() + b"\\n"
for at in range(0, len(line), 997):
    os.write(1, line[at : at + 997])
    time.sleep(0.0001)
""")
    assert child.request({}, 10) == {"text": "ℕ" * 40_000}


BAD_ANSWERS = {
    "rubbish": ('ask(); write("Segmentation fault\\n")', Loss.CRASH, "not an answer"),
    "empty_line": ('ask(); write("\\n")', Loss.CRASH, "not an answer"),
    "list": ("ask(); say([1, 2])", Loss.CRASH, "not an answer"),
    "number": ("ask(); say(42)", Loss.CRASH, "not an answer"),
    "half_a_line": ("ask(); write('{\"id\": ')", Loss.TIMEOUT, "time limit"),
    "nothing": ("ask()", Loss.TIMEOUT, "time limit"),
    "does_not_listen": ("pass", Loss.TIMEOUT, "time limit"),
    "wrong_token": ('ask(); say({"id": "0" * 16, "result": {}})', Loss.CRASH, "another request"),
    "counted_token": ('ask(); say({"id": 1, "result": {}})', Loss.CRASH, "another request"),
    "no_token": ('ask(); say({"result": {}})', Loss.CRASH, "another request"),
    "closed_output": ("ask(); os.close(1)", Loss.CRASH, "a closed pipe"),
    "exit": ("ask(); sys.exit(3)", Loss.CRASH, "status 3"),
    "signal": ("ask(); os.kill(os.getpid(), 11)", Loss.CRASH, "SIGSEGV"),
    "last_words": ('ask(); sys.exit("out of luck")', Loss.CRASH, "out of luck"),
    "fatal": ('ask(); say({"fatal": "RuntimeError: unreachable"})', Loss.CRASH, "unreachable"),
    "fatal_memory": ('ask(); say({"fatal": "Aborted(OOM)"})', Loss.MEMORY, "OOM"),
}


@pytest.mark.parametrize("script, loss, words", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_is_a_loss(peer: Peer, script: str, loss: Loss, words: str) -> None:
    child = peer(f"{READY}\n{script}")
    child.wait_until_ready()
    started = time.monotonic()

    with pytest.raises(SessionLost, match=words) as lost:
        child.request({"op": "x"}, 0.5)

    assert lost.value.loss is loss
    assert time.monotonic() - started < 2
    assert not child.alive
    assert gone(child.pid)


def test_a_line_that_was_left_over_is_no_answer(peer: Peer) -> None:
    child = peer(f"""{READY}
token = ask()["id"]
say({{"id": token, "result": {{}}}})
say({{"id": token, "result": {{"forged": True}}}})
ask()
""")
    child.request({}, 5)
    with pytest.raises(SessionLost, match="another request"):
        child.request({}, 5)


def test_a_flood_without_an_end_is_cut_off(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_ANSWER", 1 << 20)
    child = peer(f"{READY}\nask()\nwhile True: write('x' * 65_536)")
    with pytest.raises(SessionLost, match="over 1 MiB"):
        child.request({}, 20)
    assert gone(child.pid)


def test_a_flood_of_lines_does_not_hold_up_the_next_request(peer: Peer) -> None:
    child = peer(f"{READY}\nanswer()\nwhile True: say({{}})")
    child.request({}, 5)
    with pytest.raises(SessionLost, match="another request"):
        child.request({}, 5)


def test_a_request_that_is_not_taken_times_out(peer: Peer) -> None:
    child = peer(READY)
    started = time.monotonic()
    with pytest.raises(SessionLost) as lost:
        child.request({"text": "x" * 10_000_000}, 0.5)
    assert lost.value.loss is Loss.TIMEOUT
    assert time.monotonic() - started < 2


def test_a_request_to_a_dead_process_is_a_loss(peer: Peer) -> None:
    child = peer(READY)
    child.wait_until_ready()
    os.kill(child.pid, signal.SIGKILL)
    with pytest.raises(SessionLost) as lost:
        child.request({"text": "x" * 1_000_000}, 5)
    assert lost.value.loss is Loss.CRASH
    assert gone(child.pid)


def test_memory_is_watched_while_the_peer_talks(peer: Peer) -> None:
    child = peer(
        f"{READY}\nask()\nheld = []\nwhile True: held.append(bytearray(10_000_000)); write('x')",
        memory_limit=300 << 20,
    )
    with pytest.raises(SessionLost, match="grew to") as lost:
        child.request({}, 20)
    assert lost.value.loss is Loss.MEMORY


def test_children_of_the_peer_go_with_it(peer: Peer, tmp_path: Path) -> None:
    child = peer(f"""{READY}
other = subprocess.Popen(["sleep", "60"])
answer(result={{"pid": other.pid}})
""")
    other = child.request({}, 5)["result"]["pid"]
    child.kill()
    for _ in range(100):
        if gone(other) or " Z " in Path(f"/proc/{other}/stat").read_text():
            return
        time.sleep(0.02)
    pytest.fail("a child of the peer is left")


def test_killing_twice_is_harmless(peer: Peer) -> None:
    child = peer(READY)
    child.kill()
    child.kill()
    assert gone(child.pid)


def test_an_interrupt_leaves_no_answer_behind(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    child = peer(f"{READY}\nanswer()")
    child.wait_until_ready()

    def interrupt(deadline: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(child, "_line", interrupt)
    with pytest.raises(KeyboardInterrupt):
        child.request({}, 5)
    assert gone(child.pid)


def test_text_that_is_no_unicode_does_not_reach_the_peer(peer: Peer) -> None:
    child = peer(f"{READY}\nanswer()")
    with pytest.raises(InputError, match="cannot be encoded"):
        child.request({"text": "\ud800"}, 5)
    assert child.request({"text": "x"}, 5)["result"] == {}


BAD_STARTS = {
    "exit": ("sys.exit('no such option')", "no such option"),
    "fatal": ('say({"fatal": "wrong version"})', "wrong version"),
    "silent": ("pass", "time limit"),
    "rubbish": ("write('Welcome!\\n')", "not an answer"),
    "not_ready": ("say({})", "did not start"),
}


@pytest.mark.parametrize("script, words", BAD_STARTS.values(), ids=BAD_STARTS)
def test_a_peer_that_does_not_get_ready_is_no_toolchain(
    peer: Peer, script: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "START_SECONDS", 0.5)
    child = peer(script)
    with pytest.raises(ToolchainError, match=words) as error:
        child.wait_until_ready()
    assert "doctor" in error.value.hint
    assert gone(child.pid)


def test_without_node_there_is_no_toolchain(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="did not start"):
        HostProcess(FakeLean(tmp_path / "no such node"), ROOM)
    other = tmp_path / "node"
    other.write_text("not executable")
    with pytest.raises(ToolchainError, match="did not start"):
        HostProcess(FakeLean(other), ROOM)


def test_the_environment_of_the_user_stays_outside(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEMMATA_SECRET", "4711")
    child = peer(f"{READY}\nanswer(result=dict(os.environ))")
    assert "LEMMATA_SECRET" not in child.request({}, 5)["result"]


def test_many_open_files_are_no_obstacle(peer: Peer) -> None:
    files = [open(os.devnull) for _ in range(1100)]  # noqa: SIM115, PTH123
    try:
        child = peer(f"{READY}\nanswer()")
        assert child.request({}, 5)["result"] == {}
    finally:
        for file in files:
            file.close()


def test_a_session_takes_no_answer_of_another_shape(lean: Callable[[str], FakeLean]) -> None:
    environment = Environment(("Init",))
    answers = (
        'answer(result={"imports": "Init"})',
        "answer(result=7)",
        'say({"id": ask()["id"]})',
        'answer(result={"imports": [], "bodyStart": 0, "trusted": True})',
    )
    for answer in answers:
        with Session(lean(f"{READY}\n{answer}")) as session:
            with pytest.raises(SessionLost, match="not an answer") as lost:
                session.header("")
            assert lost.value.loss is Loss.CRASH
            assert session.pid is None
    refusal = 'say({"id": ask()["id"], "bytes": 1, "text": "no such module"})'
    with (
        Session(lean(f"{READY}\n{refusal}")) as session,
        pytest.raises(InputError, match="no such module"),
    ):
        session.declarations(environment, ["x"])


def test_two_sessions_do_not_mix_their_answers(lean: Callable[[str], FakeLean]) -> None:
    script = f"""{READY}
while True:
    question = ask()
    say({{"id": question["id"], "bytes": 1, "result": {{
        "imports": [question["text"]], "bodyStart": 0, "messages": []}}}})
"""
    fake = lean(script)
    wrong: list[str] = []

    def run(name: str) -> None:
        with Session(fake) as session:
            for number in range(200):
                text = f"{name} {number}"
                if session.header(text).imports != (text,):
                    wrong.append(text)

    threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
