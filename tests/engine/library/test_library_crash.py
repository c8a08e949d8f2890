"""Kill -9 at any moment: after the next opening, files and database agree and nothing is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import credulous
import pytest
from credulous import Credulous, theory

from engine.library.library import Library
from verifier.session import Session
from verifier.verifier import Verifier

WRITER = Path(credulous.__file__)


def start(folder: Path, lines: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(folder), str(lines)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def assert_agreement(folder: Path, acknowledged: set[str], kills: int) -> None:
    with Library.open(folder) as library:
        assert library.package.compare() == []
        kept = [lemma.name for lemma in library.lemmas()]
        assert acknowledged <= set(kept) and len(kept) <= len(acknowledged) + kills
        if library.contents.adoptions:
            library.environment(theory(), Credulous())
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize("seed", [2603, 9192])
def test_killed_at_any_line(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    acknowledged: set[str] = set()
    for kills in range(1, 9):
        process = start(folder, int(10 ** chance.uniform(1.0, 4.5)))
        output, _ = process.communicate()
        assert process.returncode == -signal.SIGKILL
        acknowledged |= set(output.split())
        assert_agreement(folder, acknowledged, kills)
    assert acknowledged


def test_killed_at_any_time(folder: Path) -> None:
    chance = random.Random(2603)
    acknowledged: set[str] = set()
    for kills in range(1, 5):
        process = start(folder, 10**9)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.2))
        process.kill()
        acknowledged |= set((first + process.stdout.read()).split())
        process.wait()
        process.stdout.close()
        assert_agreement(folder, acknowledged, kills)


RETRACTOR = """
import sys
from credulous import Credulous, die_at_line
from engine.library.library import Library
from engine.library.retraction import retract_failed
from verifier.verifier import Verifier

with Library.open(sys.argv[1]) as library:
    die_at_line(int(sys.argv[2]))
    retract_failed(library, {sys.argv[3]: "a test"}, Verifier(Credulous()))
print("done")
"""


def test_a_killed_retraction_is_whole_or_not_at_all(folder: Path) -> None:
    chance = random.Random(2603)
    with Library.open(folder) as library:
        library.adopt(theory(), Verifier(Credulous()))
        bad = credulous.write(library, theory(), "bad", "by use add").node.id
        credulous.write(library, theory(), "branch", "by use bad")
        credulous.write(library, theory(), "free", "by use zero", its_premises=("T.bad",))
    finished = False
    for _ in range(12):
        lines = str(10**9 if finished else int(10 ** chance.uniform(1.0, 3.6)))
        command = [sys.executable, "-c", RETRACTOR, str(folder), lines, bad]
        done = subprocess.run(command, cwd=WRITER.parent, capture_output=True, text=True)
        with Library.open(folder) as library:
            assert library.package.compare() == []
            kept = [lemma.name for lemma in library.lemmas()]
            finished = kept == ["T.free"]
            assert finished or kept == ["T.bad", "T.branch", "T.free"], done.stderr
            library.environment(theory(), Credulous())
        if finished:
            break
    assert finished


@pytest.mark.lean
def test_what_a_killed_writer_left_compiles(folder: Path, session: Session) -> None:
    output, _ = start(folder, 30_000).communicate()
    acknowledged = output.split()
    with Library.open(folder) as library:
        environment = library.environment(theory(), session)
        found = session.declarations(environment, acknowledged)
    assert acknowledged and all(d is not None and d.kind == "theorem" for d in found)
