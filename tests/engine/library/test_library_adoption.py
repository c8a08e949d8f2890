"""A theory that changes under its lemmas."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from credulous import BASIC, Credulous, theory, write

from engine.library.library import Library
from engine.model import Label
from engine.sources.lean_module import Theory
from verifier.verifier import Verifier

WITHOUT_ADD = BASIC.replace("def add := 1\n", "")


def module(folder: Path, name: str = "Basic") -> list[str]:
    text = (folder / f"Lemmata/Theories/{name}.lean").read_text()
    return re.findall(r"^theorem (\S+)", text, re.MULTILINE)


@pytest.fixture
def filled(library: Library, basic: Theory) -> Library:
    write(library, basic, "bystander", "by use zero")
    write(library, basic, "root", "by use add")
    write(library, basic, "branch", "by use root")
    write(library, basic, "leaf", "by use branch zero")
    return library


def test_an_unchanged_theory_costs_nothing(
    filled: Library, basic: Theory, believer: Verifier
) -> None:
    before = filled.store.verify_chain()
    assert filled.adopt(basic, believer).changed == ()
    assert filled.store.verify_chain() == before


def test_a_harmless_change_keeps_everything(
    filled: Library, folder: Path, believer: Verifier
) -> None:
    report = filled.adopt(theory(BASIC + "-- a remark\n"), believer)
    assert report.changed == ("Theories.Basic",) and len(report.kept) == 4
    assert (folder / "Theories/Basic.lean").read_text().endswith("-- a remark\n")
    assert filled.package.compare() == []


def test_what_fails_is_retracted_with_its_descendants(
    filled: Library, folder: Path, believer: Verifier
) -> None:
    report = filled.adopt(theory(WITHOUT_ADD), believer)
    assert report.kept == ("T.bystander",)
    assert [name for name, _ in report.retracted] == ["T.root", "T.branch", "T.leaf"]
    assert "unknown add" in report.retracted[0][1]
    assert module(folder) == ["bystander"]
    labels = {n.name: n.label for n in filled.store.nodes()}
    assert labels["T.root"] is Label.RETRACTED and labels["T.leaf"] is Label.CONJECTURE
    assert labels["T.bystander"] is Label.VERIFIED
    assert filled.package.compare() == []
    filled.close()
    Library.open(folder).close()


def test_what_holds_again_comes_back(
    filled: Library, folder: Path, basic: Theory, believer: Verifier
) -> None:
    filled.adopt(theory(WITHOUT_ADD), believer)
    report = filled.adopt(basic, believer)
    assert report.restored == ("T.root", "T.branch", "T.leaf")
    assert module(folder) == ["bystander", "root", "branch", "leaf"]
    filled.environment(basic, Credulous())
    assert filled.package.compare() == []


def test_a_change_below_reaches_the_lemmas_above(
    filled: Library, folder: Path, basic: Theory, believer: Verifier
) -> None:
    above = theory("namespace U\ndef tree := 0\nend U\n", "Theories.Above", basic)
    filled.adopt(above, believer)
    write(filled, above, "grown", "by use tree T.root")
    write(filled, above, "free", "by use tree")
    text = (folder / "Lemmata/Theories/Above.lean").read_text()
    assert text.startswith("import Theories.Above\nimport Lemmata.Theories.Basic\n")
    report = filled.adopt(theory(WITHOUT_ADD), believer)
    assert "U.grown" in dict(report.retracted) and "U.free" in report.kept
    assert module(folder, "Above") == ["free"]
    assert filled.adopt(basic, believer).restored[-1] == "U.grown"
    assert filled.package.compare() == []


def test_a_kill_during_the_proofs_changes_nothing(
    filled: Library, folder: Path, believer: Verifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = module(folder)
    monkeypatch.setattr(Credulous, "prove", interrupted)
    with pytest.raises(KeyboardInterrupt):
        filled.adopt(theory(WITHOUT_ADD), believer)
    assert module(folder) == before and filled.package.compare() == []


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt
