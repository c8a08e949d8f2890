"""A small Lake project, compiled by the embedded Lean, and a scripted ``lean`` to read with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from verifier.progress import SilentProgress
from verifier.reading.facts import LibraryDeclaration
from verifier.reading.libraries import embedded_toolchain, project_library
from verifier.reading.reader import read_modules
from verifier.toolchain.embedded.layout import CACHE_VARIABLE, EmbeddedLean
from verifier.toolchain.native.discovery import NativeToolchain
from verifier.toolchain.native.process import kept_environment

LAKEFILE = """name = "orchard"
defaultTargets = ["Orchard"]

[[lean_lib]]
name = "Orchard"
globs = ["Orchard.+"]
"""

FRUIT = """/-! Fruit. -/
namespace Orchard

/-- A fruit that
can be eaten. -/
inductive Fruit (α : Type u) where
  | apple
  | pair (left right : Fruit α)

structure Point where
  x : Nat
  y : Nat

class Heavy (α : Type u) where
  weight : α → Nat

instance : Heavy Nat where
  weight n := n

open Heavy in
/-- Doubles. -/
@[simp, reducible] def double {α : Type u} [Heavy α] (a : α) (f : α → Nat) (h : weight a = 0)
    (n : Nat) : Nat := weight a + n + n

private def hidden : Nat := 3

def «odd name!» : Nat := hidden

@[simp] theorem double_eq (n : Nat) : n + n = 2 * n := by omega

@[deprecated double_eq (since := "2026-01-01")]
theorem twice (n : Nat) : n + n = 2 * n := double_eq n

@[ext] theorem Point.same (p q : Point) (hx : p.x = q.x) (hy : p.y = q.y) : p = q := by
  cases p; cases q; simp_all

noncomputable def chosen : Nat := Classical.choice ⟨3⟩

axiom unproved : ∀ n : Nat, n < 3

theorem from_axiom : 7 < 3 := unproved 7

theorem with_hole : 1 = 2 := sorry

unsafe def dangerous : Nat := unsafeCast 3

end Orchard
"""

TREE = """import Orchard.Fruit
namespace Orchard

theorem uses_double (n : Nat) : n + n + 0 = 2 * n := by rw [Nat.add_zero, double_eq]

end Orchard
"""

Peer = Callable[[str], NativeToolchain]


@pytest.fixture(scope="session")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of a Lake project."""
    folder = tmp_path_factory.mktemp("orchard")
    (folder / "lakefile.toml").write_text(LAKEFILE)
    (folder / "Orchard").mkdir()
    (folder / "Orchard" / "Fruit.lean").write_text(FRUIT)
    (folder / "Orchard" / "Tree.lean").write_text(TREE)
    return folder


@pytest.fixture(scope="session")
def declarations(orchard: Path, installation: EmbeddedLean) -> dict[str, LibraryDeclaration]:
    """All that the reader tells of the project, by name."""
    progress = SilentProgress()
    source = project_library(orchard, embedded_toolchain(progress), progress)
    found = read_modules(source.toolchain, source.imports, source.files, 2, axioms=True)
    contents = list(found)
    assert sorted(c.module for c in contents) == ["Orchard.Fruit", "Orchard.Tree"]
    assert not any(c.failures for c in contents)
    return {d.name: d for c in contents for d in c.declarations}


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    """Makes a toolchain whose ``lean`` compiles everything and reads as a script says.

    The script has the request as ``request`` and answers with ``tell(event)``.
    """
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))

    def made(script: str) -> NativeToolchain:
        program = tmp_path / "peer" / "lean"
        program.parent.mkdir()
        program.write_text(f"#!{sys.executable}\n{PEER}\n{script}\n")
        program.chmod(0o755)
        return replace(TOOLCHAIN, lean=program)

    return made


TOOLCHAIN = NativeToolchain(Path(), None, "4.35.0", "0123456789", "a test", "", kept_environment())

PEER = """
import json, sys, time
if sys.argv[1] == "-o":
    open(sys.argv[2], "w").close()
    sys.exit(0)
request = json.load(open(sys.argv[3]))
def tell(event):
    print(request["nonce"] + json.dumps(event), flush=True)
"""
