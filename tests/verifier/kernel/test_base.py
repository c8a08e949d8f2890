"""The base library on the disk: it is the pinned one or none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from verifier.errors import ToolchainError
from verifier.kernel import format as fmt
from verifier.kernel.base import Base, BaseFiles, base_for, pinned
from verifier.kernel.second import SecondKernel

pytestmark = pytest.mark.lean


@pytest.fixture(scope="module")
def files(second: SecondKernel) -> BaseFiles:
    return second.ensure_base()


@pytest.fixture(scope="module")
def base(files: BaseFiles) -> Base:
    return Base(files, pinned("Init"))


@pytest.fixture
def copy(files: BaseFiles, tmp_path: Path) -> BaseFiles:
    made = BaseFiles(tmp_path, files.name)
    for kind in ("lines", "places", "contents"):
        shutil.copy(getattr(files, kind), getattr(made, kind))
    return made


def test_the_smallest_base_is_used() -> None:
    assert base_for(("Init",)) == "Init"
    assert base_for(("Init.Data.List",)) == "Init"
    assert base_for(("Init", "Std.Data.HashMap")) == "Std"
    assert base_for(("Init", "Lean")) == "Std"


def test_it_knows_what_it_declares(base: Base) -> None:
    nat = base.group(("Nat",))
    assert nat is not None and base.group(("Nat", "succ")) == nat == base.group(("Nat", "rec"))
    assert base.group(("no", "such")) is None
    propext = base.group(("propext",))
    assert propext is not None and base.is_axiom(propext) and not base.is_assumed(propext)
    hidden = base.group(("Nat", "add_comm"))
    assert hidden is not None and base.is_assumed(hidden) and not base.is_axiom(hidden)


def test_what_a_declaration_needs_comes_before_it(base: Base) -> None:
    for name in (("List", "append"), ("Nat", "add_comm"), ("Quot",), ("String",)):
        group = base.group(name)
        assert group is not None
        assert all(needed < group for needed in base.needs(group))


def test_quotients_are_one_group_of_four(base: Base) -> None:
    group = base.group(("Quot", "lift"))
    assert group is not None
    kinds = [d.kind for d in base.declarations(group) if isinstance(d, fmt.Quotient)]
    assert kinds == ["type", "ctor", "lift", "ind"]


def test_its_axioms_are_those_of_the_library(base: Base) -> None:
    names = {base.name(g) for g in range(base.size) if base.is_axiom(g)}
    assert {"propext", "Classical.choice", "Quot.sound", "sorryAx"} <= names
    assert names <= {
        "propext",
        "Classical.choice",
        "Quot.sound",
        "sorryAx",
        "Lean.ofReduceBool",
        "Lean.ofReduceNat",
        "Lean.trustCompiler",
    }


def test_an_edited_export_is_refused(copy: BaseFiles) -> None:
    data = bytearray(copy.lines.read_bytes())
    at = data.index(b'"natVal":"1"')
    data[at + 10 : at + 11] = b"2"
    copy.lines.write_bytes(data)
    with pytest.raises(ToolchainError, match="not the pinned one"):
        Base(copy, pinned("Init"))


def test_an_edited_list_of_axioms_is_refused(copy: BaseFiles) -> None:
    text = copy.contents.read_text("utf-8").replace('"sorryAx",', "", 1)
    copy.contents.write_text(text, "utf-8")
    with pytest.raises(ToolchainError, match="not the pinned one"):
        Base(copy, pinned("Init"))


def test_places_that_are_wrong_are_noticed(copy: BaseFiles) -> None:
    import numpy as np

    with np.load(copy.places) as places:
        arrays = dict(places)
    arrays["expressions"] = np.roll(arrays["expressions"], 1)
    np.savez(copy.places, **arrays)
    base = Base(copy, pinned("Init"))
    with pytest.raises(fmt.Malformed, match="places"):
        base.expression(100)


def test_a_missing_base_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError) as raised:
        Base(BaseFiles(tmp_path, "Init"), pinned("Init"))
    assert "written again" in raised.value.hint
