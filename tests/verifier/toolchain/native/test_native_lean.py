"""Batches against a scripted peer: what one candidate does is not done to another.

The peer answers as ``audit.lean`` does; the proof of a candidate is Python that the peer runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from native_lean import write_program

from verifier.batch import Candidate, check_many
from verifier.errors import InputError, ToolchainError
from verifier.lean import Environment, Statement
from verifier.toolchain.embedded.process import SessionLost
from verifier.toolchain.native import run as runs
from verifier.toolchain.native.compiled import compiled, search_path
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.lean import NativeLean
from verifier.verdict import Reason, Verdict

SERVE = """
PROVED = {"fault": None, "name": "t", "present": True, "kind": "theorem", "typeMatches": True,
          "replay": "accepted", "premises": ["b", "a"]}
STATED = {"fault": None, "name": "t", "kind": "theorem", "statement": 0, "type": ["c", "T", []]}
LINK = {"messages": [], "declarations": [], "refused": []}

def serve():
    for g, group in enumerate(told["groups"]):
        answer(group=g)
        for i, link in enumerate(group["chain"]):
            answer(begin=i, link=True)
            exec(link["text"])
            answer(link=i, facts=LINK)
        for t, task in enumerate(group["tasks"]):
            answer(begin=t)
            stated = STATED
            exec(task["signature"])
            answer(task=t, facts=STATED)
            for p, proof in enumerate(task["proofs"]):
                answer(begin=t, proof=p)
                facts = dict(PROVED)
                if "guard_target" not in proof:  # one of the verifier's own, in Lean
                    exec(proof, globals(), locals())
                answer(task=t, proof=p, facts=facts)
    answer(end=True)

with open("{log}", "a") as log:
    log.write("x")
told = request()
answer(ready=True)
serve()
"""
GOOD = "pass"
BASE = Environment(("Init",))
Peer = Callable[[str], NativeToolchain]


class Scripted:
    """A Lean that runs proofs as Python, and the number of processes that it took."""

    def __init__(self, peer: Peer, log: Path) -> None:
        self.log = log
        self.lean = NativeLean(peer(SERVE.replace("{log}", str(log))))

    def check(self, proofs: Sequence[str], seconds: float = 5.0) -> list[Verdict]:
        """Verdicts on candidates of one statement each."""
        return check_many(
            self.lean,
            [
                Candidate(Statement(BASE, "t", f"number = {number}"), proof, seconds)
                for number, proof in enumerate(proofs)
            ],
        )

    @property
    def processes(self) -> int:
        return len(self.log.read_text())


@pytest.fixture
def scripted_lean(peer: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setattr(runs, "confined", list)  # the peer counts its starts in a file
    return Scripted(peer, tmp_path / "log")


def test_one_process_for_all(scripted_lean: Scripted) -> None:
    verdicts = scripted_lean.check([GOOD] * 20)
    assert all(v.verified for v in verdicts)
    assert verdicts[0].premises == ("a", "b")
    assert verdicts[0].toolchain == "4.35.0+0123456 (native)"
    assert scripted_lean.processes == 1


LOSSES = {
    "timeout": ("time.sleep(60)", Reason.TIMEOUT),
    "crash": ("os.abort()", Reason.CRASH),
    "exit": ("sys.exit(0)", Reason.CRASH),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", Reason.CRASH),
    "no_json": ("write(nonce + 'hello\\n'); time.sleep(60)", Reason.CRASH),
    "no_object": ("write(nonce + '[]\\n')", Reason.CRASH),
    "unknown_fact": ("facts['surprise'] = 1", Reason.CRASH),
    "no_facts": ("facts = 1; answer(task=t, proof=p, facts=facts)", Reason.CRASH),
    "another_task": ("answer(task=t + 1, proof=p, facts=facts)", Reason.CRASH),
    "another_proof": ("answer(task=t, proof=p + 1, facts=facts)", Reason.CRASH),
    "twice": ("answer(task=t, proof=p, facts=facts)", Reason.CRASH),
    "early_end": ("answer(end=True)", Reason.CRASH),
    "fatal": ("answer(fatal='no more')", Reason.CRASH),
}


@pytest.mark.parametrize("script, reason", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_loss_is_that_of_one_candidate(
    scripted_lean: Scripted, script: str, reason: Reason, place: int
) -> None:
    proofs = [GOOD] * 4
    proofs[place] = script

    verdicts = scripted_lean.check(proofs, seconds=1.0)

    assert [v.verified for v in verdicts] == [number != place for number in range(4)]
    assert verdicts[place].reason is reason


def test_a_crash_behind_others_is_tried_again_alone(scripted_lean: Scripted) -> None:
    mark = scripted_lean.log.with_name("mark")
    once = f"if not os.path.exists({str(mark)!r}): open({str(mark)!r}, 'x'), os.abort()"

    verdicts = scripted_lean.check([GOOD, once, GOOD])

    assert all(v.verified for v in verdicts)
    assert scripted_lean.processes == 3


def test_several_losses(scripted_lean: Scripted) -> None:
    verdicts = scripted_lean.check([GOOD, "os.abort()", "os.abort()", GOOD, "sys.exit(0)", GOOD])
    assert [v.verified for v in verdicts] == [True, False, False, True, False, True]


def test_several_proofs_of_one_statement(scripted_lean: Scripted) -> None:
    statement = Statement(BASE, "t", "pass")
    proofs = [GOOD, "os.abort()", "facts['axioms'] = ['sorryAx']", "1"]

    verdicts = check_many(scripted_lean.lean, [Candidate(statement, p, 5.0) for p in proofs])

    reasons = [Reason.PROVED, Reason.CRASH, Reason.SORRY, Reason.PROVED]
    assert [v.reason for v in verdicts] == reasons


def test_equal_candidates_have_equal_verdicts(scripted_lean: Scripted) -> None:
    candidate = Candidate(Statement(BASE, "t", "pass"), GOOD)
    assert [v.verified for v in check_many(scripted_lean.lean, [candidate] * 3)] == [True] * 3


def test_a_statement_that_is_lost(scripted_lean: Scripted) -> None:
    bad, good = Statement(BASE, "t", "os.abort()"), Statement(BASE, "t", "pass")
    candidates = [Candidate(s, p) for s in (good, bad, good) for p in (GOOD, "1")]

    verdicts = check_many(scripted_lean.lean, candidates)

    assert [v.verified for v in verdicts] == [True, True, False, False, True, True]
    assert verdicts[2].reason is Reason.CRASH


def test_a_theory_that_is_lost_takes_its_own_candidates_along(scripted_lean: Scripted) -> None:
    for shared in (False, True):
        lean = NativeLean(scripted_lean.lean._toolchain, shared=shared)
        places = [BASE.extended("os.abort()"), BASE, BASE.extended("pass")]
        verdicts = check_many(lean, [Candidate(Statement(e, "t", "1"), GOOD) for e in places])
        assert [v.verified for v in verdicts] == [False, True, True]


def test_noise_is_no_answer(scripted_lean: Scripted) -> None:
    noise = 'write(\'{"task": 0, "proof": 0, "facts": {}}\\nhello\\n\\x00\\xff\\n\')'
    assert scripted_lean.check([noise, GOOD])[0].verified


def test_text_that_lean_should_not_see_is_not_sent(scripted_lean: Scripted) -> None:
    reasons = [v.reason for v in scripted_lean.check(["\0", GOOD, "\ud800", "x" * 200_000])]
    assert reasons == [Reason.BAD_TEXT, Reason.PROVED, Reason.BAD_TEXT, Reason.TOO_LARGE]


def test_the_request_is_gone_when_candidates_run(scripted_lean: Scripted) -> None:
    look = "time.sleep(0.2); facts['present'] = not os.path.exists(sys.argv[-1])"
    assert scripted_lean.check([look])[0].verified


def test_batches(scripted_lean: Scripted) -> None:
    lean = NativeLean(scripted_lean.lean._toolchain, batch=3)
    candidates = [Candidate(Statement(BASE, "t", f"number = {n}"), GOOD) for n in range(10)]
    assert all(v.verified for v in check_many(lean, candidates))
    assert scripted_lean.processes == 4


def test_memory(scripted_lean: Scripted) -> None:
    lean = NativeLean(scripted_lean.lean._toolchain, memory_limit=200 << 20)
    proofs = [GOOD, "big = b'1' * (400 << 20); time.sleep(60)", "1"]
    candidates = [Candidate(Statement(BASE, "t", "pass"), p, 20.0) for p in proofs]
    reasons = [v.reason for v in check_many(lean, candidates)]
    assert reasons == [Reason.PROVED, Reason.OUT_OF_MEMORY, Reason.PROVED]


def test_a_lean_that_does_not_run_the_audit(peer: Peer) -> None:
    lean = NativeLean(peer("print('audit.lean:7:0: error: unknown'); sys.exit(1)"))
    with pytest.raises(ToolchainError, match=r"exit status 1; audit.lean:7:0: error: unknown"):
        check_many(lean, [Candidate(Statement(BASE, "t", ": True"), "trivial")])


def test_imports_that_are_not_there(peer: Peer) -> None:
    lean = NativeLean(peer("request(); answer(fatal='unknown module prefix')"))
    statement = Statement(BASE, "t", ": True")

    verdict = check_many(lean, [Candidate(statement, "trivial")])[0]

    assert verdict.reason is Reason.CRASH
    assert "unknown module prefix" in verdict.message
    with pytest.raises(InputError, match="unknown module prefix"):
        lean.state(statement)


def test_a_start_that_takes_too_long(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "START_SECONDS", 0.5)
    with pytest.raises(SessionLost):
        NativeLean(peer("time.sleep(60)")).state(Statement(BASE, "t", ": True"))


def test_nothing_to_check(scripted_lean: Scripted) -> None:
    assert check_many(scripted_lean.lean, []) == []
    assert not scripted_lean.log.exists()


def test_the_audit_is_compiled_once(scripted_lean: Scripted) -> None:
    toolchain = scripted_lean.lean._toolchain
    folder = compiled(runs.AUDIT, toolchain)
    before = folder.stat().st_mtime_ns

    scripted_lean.check([GOOD])

    assert compiled(runs.AUDIT, toolchain) == folder
    assert folder.stat().st_mtime_ns == before
    assert [f.name for f in folder.parent.iterdir()] == [folder.name]
    assert search_path(toolchain, folder)["LEAN_PATH"].startswith(str(folder))


def test_a_lean_that_does_not_compile_the_audit(peer: Peer) -> None:
    toolchain = peer("")
    write_program(
        toolchain.lean, f"#!{sys.executable}\nprint('LemmataAudit.lean:9:1: error'); exit(1)\n"
    )
    with pytest.raises(ToolchainError, match=r"LemmataAudit.lean:9:1: error"):
        NativeLean(toolchain).state(Statement(BASE, "t", ": True"))


def test_a_vacuous_statement_is_flagged(scripted_lean: Scripted) -> None:
    """The verifier has a proof of its own to try, which goes to a second process."""
    hypothesis = 'STATED["type"] = ["p", "h", ["c", "False", []], ["c", "False", []], 0]'
    for signature, flagged in (("pass", False), (hypothesis, True)):
        candidate = Candidate(Statement(BASE, "t", signature), GOOD)
        (verdict,) = check_many(scripted_lean.lean, [candidate])
        assert verdict.verified
        assert verdict.vacuous is flagged
