"""A warm session with the real Lean: what it answers, and what becomes of it when it dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier import session as sessions
from verifier.errors import InputError
from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.embedded.process import Loss, SessionLost, resident_bytes
from verifier.verdict import Outcome, Reason
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean

DOUBLE = """\
def double (n : Nat) : Nat := n + n

theorem double_eq (n : Nat) : double n = 2 * n := by
  unfold double
  omega
"""
HOG = """\
noncomputable def grow : Nat → List Nat := Nat.rec [1] fun _ half => List.append half half
"""


@pytest.fixture(scope="module")
def mortal(installation: EmbeddedLean) -> Iterator[Session]:
    """A session whose process may be killed."""
    with Session(installation) as session:
        yield session


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


# What it answers


def test_a_header_names_its_imports_and_where_the_body_begins(session: Session) -> None:
    text = "/- α -/\nimport Std.Data.HashMap\nimport Lean\n\ndef x := 1\n"
    header = session.header(text)
    assert header.imports == ("Init", "Std.Data.HashMap", "Lean")
    assert text.encode()[header.body_start :].startswith(b"def x")
    assert session.header("prelude\n").imports == ()
    assert any(m.is_error for m in session.header("import 7").messages)


def test_a_module_extends_an_environment(session: Session, base: Environment) -> None:
    extension = session.extend(base, DOUBLE)
    assert extension.messages == ()
    assert extension.refused == ()
    names = [d.name for d in extension.declarations]
    assert names.index("double") < names.index("double_eq")
    described, unknown = session.declarations(extension.environment, ["double_eq", "no.such"])
    assert unknown is None
    assert described is not None
    assert described.kind == "theorem"
    assert {"double", "HMul.hMul"} <= set(described.type_constants)
    assert session.declarations(base, ["double"]) == (None,)


def test_a_module_may_begin_behind_its_header(session: Session) -> None:
    text = f"import Init\n\n{DOUBLE}"
    header = session.header(text)
    extension = session.extend(Environment(header.imports), text, header.body_start)
    assert not any(m.is_error for m in extension.messages)
    assert extension.declarations[0].span == (len("import Init\n\n"), text.index("\n\ntheorem"))


def test_messages_have_their_place(session: Session, base: Environment) -> None:
    (message,) = session.extend(base, "\n\ntheorem t : 1 = 2 := by\n  decide\n").messages
    assert message.is_error
    assert (message.line, message.column) == (4, 2)
    (printed,) = session.messages(base, "open Nat", "#check succ")
    assert "Nat.succ" in printed.text
    assert session.messages(base, "", "axiom h : False") == ()
    assert session.declarations(base, ["h"]) == (None,)


def test_a_context_that_declares_is_refused(session: Session, base: Environment) -> None:
    with pytest.raises(InputError, match="a context with a command"):
        session.messages(base, "axiom h : False", "#check h")


def test_an_unknown_module_is_an_error_of_the_input(session: Session, base: Environment) -> None:
    before = session.pid
    with pytest.raises(InputError, match="unknown module prefix 'No'"):
        session.extend(Environment(("No.Such.Module",)), "")
    assert session.header("").imports == ("Init",)
    assert session.pid == before, "Lean refused, and lives on"


def test_what_the_kernel_refuses_is_named(session: Session, base: Environment) -> None:
    extension = session.extend(
        base,
        "set_option debug.skipKernelTC true in\ntheorem wrong : 1 = 2 := by decide +kernel\n"
        "theorem above : 1 = 2 := wrong\ntheorem beside : 1 = 1 := rfl\n",
    )
    assert not any(m.is_error for m in extension.messages)
    assert [r.partition(":")[0] for r in extension.refused] == [
        "wrong._proof_1",
        "wrong._proof_1",
        "wrong._proof_1",
    ]


THEORIES = {
    "recursion": "def f : Nat → Nat | 0 => 0 | n + 1 => f n + 2\n",
    "well_founded": "def half (n : Nat) : Nat := if n < 2 then 0 else half (n - 2) + 1\n",
    "mutual": "mutual\ndef e : Nat → Bool | 0 => true | n + 1 => o n\n"
    "def o : Nat → Bool | 0 => false | n + 1 => e n\nend\n",
    "inductive": "inductive Tree (α : Type u) where | leaf | node (l r : Tree α) (a : α)\n"
    "deriving Repr, BEq, DecidableEq, Inhabited\n",
    "indexed": "inductive Vec (α : Type u) : Nat → Type u | nil : Vec α 0\n"
    "  | cons : α → Vec α n → Vec α (n + 1)\n",
    "mutual_inductive": "mutual\ninductive Even : Nat → Prop | zero : Even 0\n"
    "  | succ : Odd n → Even (n + 1)\n"
    "inductive Odd : Nat → Prop | succ : Even n → Odd (n + 1)\nend\n",
    "nested": "inductive Rose | mk : List Rose → Rose\n",
    "structure": "structure Point (α : Type) where\n  x : α\n  y : α := x\n",
    "class": "class Pointed (α : Type u) where point : α\ninstance : Pointed Nat := ⟨7⟩\n",
    "quotient": "def Parity := Quot fun (a b : Nat) => a % 2 = b % 2\n"
    "theorem same : (Quot.mk _ 1 : Parity) = Quot.mk _ 3 := Quot.sound rfl\n",
    "choice": "noncomputable def pick (h : ∃ n : Nat, n > 3) : Nat := Classical.choose h\n",
    "opaque": "opaque secret : Nat\npartial def loop (n : Nat) : Nat := loop (n + 1)\n",
    "notation": 'infixl:65 " ⊕⊕ " => fun (a b : Nat) => a + b + 1\nmacro "m!" : term => `(1)\n',
    "unsafe": "unsafe def u : Nat := unsafeCast 1\n",
    "quoted": "def «a b».«1».«x.y» : Nat := 1\ntheorem «a b».t : «a b».«1».«x.y» = 1 := rfl\n",
}


@pytest.mark.parametrize("theory", THEORIES.values(), ids=THEORIES)
def test_the_kernel_takes_a_good_theory_again(
    theory: str, session: Session, base: Environment
) -> None:
    extension = session.extend(base, theory)
    assert not any(m.is_error for m in extension.messages)
    assert extension.refused == ()
    names = [d.name for d in extension.declarations]
    described = session.declarations(extension.environment, names)
    assert [d and d.name for d in described] == names


# Hostile bytes


def test_strange_text_does_not_harm_the_session(session: Session, base: Environment) -> None:
    before = session.pid
    for text in (
        "\0",
        "\ufeffdef x := 1",
        "def x := 1\r\ndef y := 2\r",
        'def s := "\u2028\u2029\x85"',
        "-- \u202e\u2066",
        "\x1b[2J",
        "/- " + "long " * 200_000 + " -/",
        "def " + "a" * 100_000 + " := 1",
        "\U0010ffff",
        '{"id": 1, "result": {}}\n',
    ):
        session.extend(base, text)
    assert session.pid == before


def test_lines_may_end_as_they_like(session: Session, base: Environment) -> None:
    unix = session.extend(base, DOUBLE)
    windows = session.extend(base, DOUBLE.replace("\n", "\r\n"))
    assert windows.messages == ()
    assert windows.declarations == unix.declarations


def test_a_lone_surrogate_is_an_error_of_the_input(session: Session, base: Environment) -> None:
    before = session.pid
    with pytest.raises(InputError, match="cannot be encoded"):
        session.extend(base, "-- \ud800")
    assert session.pid == before


def test_names_survive_the_way_there_and_back(session: Session, base: Environment) -> None:
    names = ["«»", "«a b»", "«a.b»", "«a».b", "a.«1»", "«λ»", "«Π»", "«日本»", "é", "α₁'", "ℕ!"]
    text = "".join(f"theorem {n} : 1 = 1 := rfl\n" for n in names)
    extension = session.extend(base, text)
    assert [m.text for m in extension.messages if m.is_error] == []
    declared = [d.name for d in extension.declarations]
    assert sorted(declared) == sorted(["a.b" if n == "«a».b" else n for n in names])
    again = "".join(f"example := @{n}\n" for n in declared)
    assert session.messages(extension.environment, "", again) == ()
    described = session.declarations(extension.environment, [*declared, "«»».x»", "a.b.c"])
    assert [d and d.name for d in described] == [*declared, None, None]


# Forgetting


def test_forgotten_environments_and_statements_still_answer_right(
    session: Session, base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session._environments, "_size", 2)
    monkeypatch.setattr(session._statements, "_size", 3)
    verifier = Verifier(session)
    environments = [base.extended(f"def k : Nat := {k}\n") for k in range(4)]
    for _ in range(2):
        for k, environment in enumerate(environments):
            right = Statement(environment, "right", f": k = {k}")
            wrong = Statement(environment, "wrong", f": k = {k + 1}")
            assert verifier.check(right, "rfl").verified
            assert not verifier.check(wrong, "rfl").verified
    assert len(session._environments._ids) == 2
    assert len(session._statements._ids) == 3


def test_a_chain_longer_than_what_is_kept_is_built_whole(
    session: Session, base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session._environments, "_size", 2)
    environment = base
    for k in range(6):
        below = f"k{k - 1}" if k else "0"
        environment = environment.extended(f"def k{k} : Nat := {below} + 1\n")
    statement = Statement(environment, "t", ": k5 = 6")
    assert Verifier(session).check(statement, "rfl").verified


def test_many_contexts_do_not_pile_up(session: Session, base: Environment) -> None:
    for number in range(70):
        context = f"variable (x y{number} : Nat)"
        statement = Statement(base, "t", f": x = x + {number % 2}", context)
        facts = session.prove(statement, "rfl", 10)
        assert any(m.is_error for m in facts.messages) is (number % 2 == 1)
    first = Statement(base, "t", ": x = x", "variable (x y0 : Nat)")
    assert Verifier(session).check(first, "rfl").verified


def test_stating_twice_keeps_one_statement(session: Session, base: Environment) -> None:
    statement = Statement(base, "t", ": 1 = 1")
    first, second = session.state(statement).statement, session.state(statement).statement
    assert first != second
    assert session._statements.released == [first]
    assert session.prove(statement, "rfl", 10).present
    assert session._statements.released == []


# Dying


def test_a_killed_process_is_replaced_and_its_environments_built_again(
    mortal: Session, base: Environment
) -> None:
    environment = mortal.extend(base, DOUBLE).environment
    statement = Statement(environment, "t", ": double 3 = 6")
    verifier = Verifier(mortal)
    assert verifier.check(statement, "double_eq 3").verified
    before, generation = mortal.pid, mortal.generation
    assert before is not None

    os.kill(before, signal.SIGKILL)
    while not gone(before) and mortal.generation >= 0:
        time.sleep(0.01)

    verdict = verifier.check(statement, "double_eq 3")
    assert verdict.verified
    assert "double_eq" in verdict.premises
    assert mortal.pid != before
    assert mortal.generation > generation
    assert gone(before)


def test_a_process_that_is_killed_at_work_is_a_loss(mortal: Session, base: Environment) -> None:
    statement = Statement(mortal.extend(base, HOG).environment, "t", ": (grow 40).length = 1")
    mortal.state(statement)
    process = mortal.pid
    assert process is not None
    threading.Timer(0.5, os.kill, (process, signal.SIGKILL)).start()
    with pytest.raises(SessionLost) as lost:
        mortal.prove(statement, "by decide +kernel", 20)
    assert lost.value.loss is Loss.CRASH
    assert gone(process)


def test_a_statement_that_never_ends_is_undetermined(
    mortal: Session, base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "STATE_SECONDS", 2.0)
    environment = mortal.extend(base, HOG).environment
    statement = Statement(environment, "t", ": (by decide +kernel : (grow 40).length = 1) = rfl")
    verdict = Verifier(mortal).check(statement, "rfl")
    assert verdict.outcome is Outcome.UNDETERMINED
    assert verdict.reason in {Reason.TIMEOUT, Reason.CRASH}
    assert mortal.pid is None or mortal.generation == -1
    assert Verifier(mortal).check(Statement(base, "t", ": 1 = 1"), "rfl").verified


def test_an_evaluator_goes_with_its_process(mortal: Session, base: Environment) -> None:
    zero = ["c", "Nat.zero", []]
    evaluator = mortal.evaluator(base, [zero])
    assert mortal.apply(evaluator, [[0]], 10, 10) == ([0], [0])
    mortal.close()
    with pytest.raises(SessionLost):
        mortal.apply(evaluator, [[0]], 10, 10)
    assert mortal.apply(mortal.evaluator(base, [zero]), [[0]], 10, 10) == ([0], [0])


def test_a_full_process_is_replaced_between_requests(
    mortal: Session, base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = Statement(base, "t", ": 1 = 1")
    assert mortal.prove(statement, "rfl", 10).present
    before = mortal.pid
    assert before is not None
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "RECYCLE_BYTES", 1)
        assert mortal.prove(statement, "rfl", 10).present
    assert mortal.pid != before
    assert gone(before)


def test_a_spare_takes_over(mortal: Session, base: Environment) -> None:
    mortal.start()
    mortal.keep_spare()
    first, spare = mortal.pid, mortal._spare
    assert spare is not None
    assert first is not None
    spare.wait_until_ready()
    os.kill(first, signal.SIGKILL)
    while mortal.generation >= 0:
        time.sleep(0.01)
    started = time.monotonic()
    mortal.start()
    assert time.monotonic() - started < 1
    assert mortal.pid == spare.pid
    assert gone(first)


def test_a_spare_that_died_is_not_used(mortal: Session, base: Environment) -> None:
    mortal.start()
    mortal.keep_spare()
    spare = mortal._spare
    assert spare is not None
    os.kill(spare.pid, signal.SIGKILL)
    while spare.alive:
        time.sleep(0.01)
    mortal.close()
    mortal._spare = spare
    mortal.start()
    assert mortal.pid != spare.pid
    assert mortal.header("").imports == ("Init",)
    assert gone(spare.pid)


def test_too_much_memory_is_a_loss(installation: EmbeddedLean, mortal: Session) -> None:
    mortal.start()
    assert mortal.pid is not None
    usual = resident_bytes(mortal.pid)
    assert usual is not None
    mortal.close()
    with Session(installation, memory_limit=usual + (400 << 20)) as session:
        environment = session.extend(Environment(("Init",)), HOG).environment
        statement = Statement(environment, "t", ": (grow 40).length = 1")
        session.state(statement)
        with pytest.raises(SessionLost, match="grew to") as lost:
            session.prove(statement, "by decide +kernel", 60)
        assert lost.value.loss is Loss.MEMORY


def test_closing_leaves_no_process_and_no_zombie(mortal: Session) -> None:
    mortal.start()
    mortal.keep_spare()
    assert mortal._spare is not None
    processes = (mortal.pid, mortal._spare.pid)
    mortal.close()
    assert all(p is not None and gone(p) for p in processes)
    mortal.close()
    assert mortal.header("").imports == ("Init",), "it can be used again"
    mortal.close()


def test_two_sessions_in_two_threads(
    installation: EmbeddedLean, session: Session, base: Environment
) -> None:
    verdicts: dict[str, list[bool]] = {}

    def run(name: str, lean: Session, offset: int) -> None:
        verifier = Verifier(lean)
        verdicts[name] = [
            verifier.check(Statement(base, "t", f": {k} + 1 = {k + offset}"), "rfl").verified
            for k in range(20)
        ]

    with Session(installation) as other:
        threads = [
            threading.Thread(target=run, args=("right", session, 1)),
            threading.Thread(target=run, args=("wrong", other, 2)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert verdicts == {"right": [True] * 20, "wrong": [False] * 20}
