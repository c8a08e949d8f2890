"""A planted lemma is found, taken out with its consequences, and the library is sound again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from credulous import Credulous, missing, namespace, theorems, theory, words, write

from engine.library.check import examine
from engine.library.files import sha256
from engine.library.library import Library
from engine.library.package import DATABASE
from engine.library.retraction import OWN_PROOF, RetractionReport, retract_failed
from engine.library.reverification import note_trials, reverify_some
from engine.model import Contribution, Label
from engine.sources.lean_module import Theory
from verifier.errors import StorageError
from verifier.lean import Environment, ProofFacts, Statement
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.verifier import Verifier

MODULE = "Lemmata/Theories/Basic.lean"
BAD = "Lemmata.Theories.Basic:T.bad"


class Strict(Credulous):
    """Proves what is ``trivial`` or uses what was proved; finds nothing by itself."""

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        known = proof == "trivial" or proof.startswith("by use")
        if not known or missing(proof, proved_words(statement.environment)):
            proof = f"by use nothing {proof.removeprefix('by use')}"
        return super().prove(statement, proof, seconds, replay)


def proved_words(environment: Environment) -> set[str]:
    """Words of an environment without those of theorems that failed."""
    known = words(environment)
    for link in environment.chain():
        for _, name, _, proof in theorems(link.text):
            if missing(proof, known):
                known -= {name, f"{namespace(link.text)}.{name}"}
    return known


class Slow(Strict):
    """Hangs on one lemma."""

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        if statement.name == "bad":
            raise SessionLost(Loss.TIMEOUT, "no answer")
        return super().prove(statement, proof, seconds, replay)


@pytest.fixture
def planted(library: Library, folder: Path, basic: Theory) -> Path:
    """A library whose lemma ``bad`` rests on nothing: database and module agree about it."""
    write(library, basic, "good", "by use zero")
    write(library, basic, "bad", "by use add")
    write(library, basic, "branch", "by use bad")
    write(library, basic, "leaf", "by use branch")
    write(library, basic, "free", "by use zero", its_premises=("T.branch",))
    write(library, basic, "bystander", "by use good")
    branch, bad = (library.find(name).node for name in ("branch", "bad"))
    claim = Contribution(parent=bad, child=branch, rating=5, explanation="rewrites with it")
    library.store.add_contribution(claim)
    library.close()
    falsify(folder)
    return folder


def falsify(folder: Path) -> None:
    """Plants another proof and statement, in the database and in the module."""
    with sqlite3.connect(folder / DATABASE) as raw:
        raw.execute("UPDATE lemmas SET text = replace(text, 'use add', 'use lies')")
        raw.execute(
            "UPDATE nodes SET body = json_set(body, '$.proof', 'by use lies') WHERE id = ?", (BAD,)
        )
        text = (folder / MODULE).read_text().replace("use add", "use lies")
        (folder / MODULE).write_text(text)
        raw.execute("UPDATE modules SET hash = ? WHERE module LIKE 'Lemmata%'", (sha256(text),))
    raw.close()


def retract(folder: Path, lean: Credulous) -> RetractionReport:
    verifier = Verifier(lean)
    with Library.open(folder, lenient=True) as library:
        return retract_failed(library, examine(library, verifier).failed, verifier)


def labels(folder: Path) -> dict[str, Label]:
    with Library.read(folder) as library:
        return {node.name or "": node.label for node in library.store.nodes()}


def test_a_planted_lemma_falls_with_its_consequences(planted: Path) -> None:
    with pytest.raises(StorageError):
        Library.open(planted)
    report = retract(planted, Strict())
    assert [name for name, _ in report.retracted] == ["T.bad"]
    assert "lies" in report.retracted[0][1]
    assert [name for name, _ in report.demoted] == ["T.branch", "T.leaf"]
    assert report.reproved == (("T.free", OWN_PROOF),)
    assert [path.name for path in report.aside] == ["Basic.lean.edited"]
    found = labels(planted)
    assert found["T.bad"] is Label.RETRACTED
    assert found["T.branch"] is found["T.leaf"] is Label.CONJECTURE
    with Library.open(planted) as library:
        assert [lemma.name for lemma in library.lemmas()] == ["T.good", "T.bystander", "T.free"]
        assert examine(library, Verifier(Strict())).report.findings == ()
        (event,) = library.store.audit_entries(event="lemma.retracted")
        assert event.subject == BAD and "lies" in json.loads(event.detail)["reason"]
        demoted = library.store.audit_entries(event="lemma.demoted")
        assert [e.subject.rpartition(".")[2] for e in demoted] == ["branch", "free", "leaf"]
        (event,) = library.store.audit_entries(event="lemma.reproved")
        assert event.subject.endswith("free")
        assert library.store.node(event.subject).premises == ("T.zero",)
    assert "bad" not in (planted / MODULE).read_text()


def test_nothing_is_retracted_that_nobody_knows_about(planted: Path) -> None:
    with Library.open(planted, lenient=True) as library:
        found = examine(library, Verifier(Slow()))
    assert found.failed == {} and not found.report.ok
    assert {f.code for f in found.report.findings} >= {"lemma_undetermined"}
    undetermined = [t.node.name for t in found.trials if t.undetermined]
    assert undetermined == ["T.bad", "T.branch", "T.leaf"]


def test_a_forged_history_is_no_measure(planted: Path) -> None:
    with sqlite3.connect(planted / DATABASE) as raw:
        raw.executescript(
            "DROP TRIGGER audit_never_changes; UPDATE audit SET time = '' WHERE seq = 3"
        )
    raw.close()
    with pytest.raises(StorageError, match="entry 3"):
        retract(planted, Strict())


def test_a_retraction_is_whole_or_not_at_all(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    before = labels(planted)
    with monkeypatch.context() as patch:
        patch.setattr("engine.library.package.Package.record", fail)
        with pytest.raises(StorageError, match="full"):
            retract(planted, Strict())
    assert labels(planted) == before
    assert [name for name, _ in retract(planted, Strict()).retracted] == ["T.bad"]


def test_claims_to_rest_on_one_another_protect_nobody(planted: Path) -> None:
    with sqlite3.connect(planted / DATABASE) as raw:
        raw.execute(
            "UPDATE nodes SET body = json_set(body, '$.premises', json('[\"T.leaf\"]')) "
            "WHERE id = ?",
            (BAD,),
        )
    raw.close()
    retract(planted, Strict())
    found = labels(planted)
    assert Label.VERIFIED not in (found["T.bad"], found["T.branch"], found["T.leaf"])


def test_lemmas_are_proved_again_in_turn(
    library: Library, basic: Theory, clock: Callable[[], Any]
) -> None:
    for name in ("one", "two", "three"):
        write(library, basic, name)
    verifier = Verifier(Strict())
    seen = []
    for _ in range(3):
        (trial,) = reverify_some(library, verifier, 1).trials
        assert trial.holds
        seen.append(trial.node.name)
    assert seen == ["T.one", "T.two", "T.three"]
    last = library.store.last_recheck(library.find("one").node)
    assert last is not None and last.outcome == "verified"
    assert [t.node.name for t in reverify_some(library, verifier, 2).trials] == ["T.one", "T.two"]
    assert reverify_some(library, verifier, 3, stop=lambda: True).trials == ()
    (named,) = reverify_some(library, verifier, 3, names=["T.three"]).trials
    assert named.node.name == "T.three"
    assert reverify_some(library, verifier, 3, theory="Theories.Other").trials == ()


def test_a_failure_is_followed_to_its_cause(planted: Path) -> None:
    verifier = Verifier(Strict())
    with Library.open(planted, lenient=True) as library:
        checked = examine(library, verifier)
        note_trials(library.store, checked.trials[:3], "earlier")  # the others are due
        found = reverify_some(library, verifier, 3)
        assert set(found.failed) >= {BAD}
        report = retract_failed(library, found.failed, verifier)
    assert [name for name, _ in report.retracted] == ["T.bad"]


def test_doubt_spreads_to_what_rests_on_it(library: Library, basic: Theory) -> None:
    write(library, basic, "bad", "by use add")
    write(library, basic, "branch", "by use bad")

    class Doubtful(Slow):
        def prove(
            self, statement: Statement, proof: str, seconds: float, replay: bool = True
        ) -> ProofFacts:
            gone = "by use nothing" if "bad" in proof else proof
            return super().prove(statement, gone, seconds, replay)

    found = reverify_some(library, Verifier(Doubtful()), 2)
    assert found.failed == {} and all(t.undetermined for t in found.trials)


def test_modules_above_lose_what_rests_on_it(library: Library, basic: Theory) -> None:
    write(library, basic, "bad", "by use add")
    above = theory("namespace U\ndef tree := 0\nend U\n", "Theories.Above", basic)
    library.adopt(above, Verifier(Credulous()))
    write(library, above, "grown", "by use tree T.bad")
    write(library, above, "free", "by use tree")
    report = retract_failed(library, {BAD: "a test"}, Verifier(Strict()))
    assert [name for name, _ in report.demoted] == ["U.grown"]
    assert [lemma.name for lemma in library.lemmas()] == ["U.free"]
    assert library.environment(above, Credulous()) != Environment(("Init",))
    assert library.package.compare() == []
