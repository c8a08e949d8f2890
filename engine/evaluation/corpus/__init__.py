"""Theorems with proofs that benchmarks and tests of the verifier run on.

``core.jsonl`` has statements over Lean's core library. ``theories.jsonl`` has lemmas that Lemmata
found about its seed theories, in the order in which they were proved, with the proofs it found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import orjson

from verifier.errors import InputError
from verifier.lean import Environment, Statement
from verifier.modules import load_graph, read_graph
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean

FOLDER = Path(__file__).parent
PROJECT = Path("lean_project")


@dataclass(frozen=True)
class Theorem:
    """A statement in its place, and a proof of it."""

    statement: Statement
    proof: str


@dataclass(frozen=True)
class _Lemma:
    theory: str
    namespace: str
    name: str
    statement: str
    proof: str

    @property
    def text(self) -> str:
        theorem = f"theorem {self.name} {self.statement} := {self.proof}"
        return f"\nnamespace {self.namespace}\n{theorem}\nend {self.namespace}\n"


def core() -> list[Theorem]:
    """Theorems over Lean's core library."""
    base = Environment(("Init",))
    rows = map(orjson.loads, (FOLDER / "core.jsonl").read_bytes().splitlines())
    return [Theorem(Statement(base, r["name"], r["statement"]), r["proof"]) for r in rows]


def theories(lean: EmbeddedLean, session: Session, project: Path = PROJECT) -> Iterator[Theorem]:
    """Lemmas about the seed theories, each in the environment of those before it.

    Args:
        lean: The installation.
        session: Elaborates the theories.
        project: The folder with the seed theories.

    Raises:
        InputError: A theory is not there.
    """
    rows = map(orjson.loads, (FOLDER / "theories.jsonl").read_bytes().splitlines())
    lemmas = [_Lemma(**row) for row in rows]
    for theory, of_theory in groupby(lemmas, lambda lemma: lemma.theory):
        path = project.joinpath(*theory.split(".")).with_suffix(".lean")
        if not path.is_file():
            raise InputError(
                f"the seed theory {path} is not there",
                "Run it in a checkout of Lemmata, or name its project.",
            )
        graph = read_graph(path, session, lean.has_module)
        environment = load_graph(graph, session).environment
        for lemma in of_theory:
            statement = Statement(
                environment, lemma.name, lemma.statement, f"namespace {lemma.namespace}\n"
            )
            yield Theorem(statement, lemma.proof)
            environment = environment.extended(lemma.text)
