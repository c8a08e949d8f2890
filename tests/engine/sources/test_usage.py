"""Evidence of local modules: which tactic names a constant, and what a proof survives."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.model import Label, MethodNode, NodeKind
from engine.sources.usage import Naming, module_uses, node_shares, proof_uses
from engine.sources.use_cache import UseCache
from engine.trees.evidence import Evidence
from verifier.errors import StorageError
from verifier.lean import Environment, Statement
from verifier.session import Session

MODULE = """
namespace M
inductive N where
  | zero : N
  | succ : N → N

def add : N → N → N
  | m, .zero => m
  | m, .succ n => .succ (add m n)

@[simp] theorem zero_add (m : N) : add .zero m = m := by
  induction m <;> simp_all [add]

theorem named (m : N) : add .zero (add .zero m) = m := by
  rw [zero_add, zero_add]

theorem implicit (m n : N) : add (add .zero m) n = add m n := by
  simp

theorem doubled (m : N) : add .zero m = m := by
  simp [zero_add]

theorem plain (m : N) : add .zero m = m := zero_add m
end M
"""
NAMES = ("N", "add", "zero_add", "named", "implicit", "doubled", "plain")
OWNERS = {f"M.{name}": f"M.{name}" for name in NAMES} | {"M.N.zero": "M.N", "M.N.succ": "M.N"}
NAMING = Naming(OWNERS, {f"M.{name}" for name in NAMES[2:]})


@pytest.mark.parametrize(
    ("constant", "owner"),
    [
        ("M.add", "M.add"),
        ("M.N.zero", "M.N"),
        ("M.N.rec", "M.N"),
        ("M.add.eq_1", "M.add"),
        ("M.N.succ.injEq", "M.N"),
        ("Nat.add", "Nat.add"),
        ("M.other", "M.other"),
    ],
)
def test_what_lean_made_belongs_to_what_it_was_made_for(constant: str, owner: str) -> None:
    assert NAMING.owner(constant) == owner


def test_shares_count_each_node_once() -> None:
    node = MethodNode(
        id="M:t",
        kind=NodeKind.THEOREM,
        name="t",
        statement="",
        label=Label.VERIFIED,
        symbols=("M.N", "M.N.zero"),
        premises=("M.N.rec", "M.add"),
    )
    shares = node_shares([node, node.model_copy(update={"symbols": (), "premises": ()})], NAMING)
    assert shares["M.N"] == shares["M.add"] == 0.5
    assert shares.declarations == 2


def test_uses_are_kept_by_key(tmp_path: Path) -> None:
    cache = UseCache(tmp_path / "uses")
    uses = {"a": {"b": Evidence(1, 2, ("simp",), False), "c": Evidence(definition=True)}}
    assert cache.get("key") is None
    cache.put("key", uses)
    assert cache.get("key") == uses and cache.get("other") is None
    (file,) = (tmp_path / "uses").iterdir()
    file.write_text("{")
    assert cache.get("key") is None
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="could not be written"):
        UseCache(tmp_path / "file").put("key", uses)


@pytest.mark.lean
def test_evidence_of_a_module(session: Session, base: Environment, tmp_path: Path) -> None:
    cache = UseCache(tmp_path)
    module = base.extended(MODULE)
    uses = module_uses(session, module, NAMING, 60.0, cache)
    add = uses["M.add"]["M.N"]
    assert add == Evidence(3, 3, definition=True), "one zero and three succ, as written"
    proved = uses["M.zero_add"]
    assert proved["M.add"].tactics == ("simp_all",) and proved["M.add"].survives is False
    assert proved["M.N"].tactics == ("induction",)
    assert uses["M.named"]["M.zero_add"] == Evidence(0, 2, ("rw",), False)
    implicit = uses["M.implicit"]["M.zero_add"]
    assert implicit.tactics == () and implicit.survives is False
    doubled = uses["M.doubled"]["M.zero_add"]
    assert doubled.tactics == ("simp",), "and it is taken out of the simp set as well"
    assert doubled.survives is False
    plain = uses["M.plain"]["M.zero_add"]
    assert plain.tactics == ("term",) and plain.survives is None
    assert set(uses) == {f"M.{name}" for name in NAMES}
    assert cache.get(f"{session.toolchain} {module.key} 60") == uses


@pytest.mark.lean
def test_a_proof_that_works_without_survives(session: Session, base: Environment) -> None:
    text = """
theorem one (n : Nat) : 0 + n = n := Nat.zero_add n
theorem two (n : Nat) : 0 + n = n := by first | simp only [one] | omega
"""
    naming = Naming({"one": "one", "two": "two"}, {"one", "two"})
    untried = module_uses(session, base.extended(text), naming)
    assert untried["two"]["one"].survives is None
    tried = module_uses(session, base.extended(text), naming, 60.0)
    assert tried["two"]["one"] == untried["two"]["one"]._replace(survives=True)


@pytest.mark.lean
def test_evidence_of_one_proof(session: Session, base: Environment) -> None:
    module = session.extend(base, MODULE).environment
    statement = Statement(module, "t", "(m : N) : add .zero m = m", "namespace M")
    uses = proof_uses(session, statement, "by rw [zero_add]", NAMING)
    assert uses["M.zero_add"].tactics == ("rw",)
    assert uses["M.add"].in_statement == 1 and "M.t" not in uses
    assert proof_uses(session, statement, "by rw [add]", NAMING) == {}
