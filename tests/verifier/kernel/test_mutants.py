"""Two hundred theorems that both kernels accept, and a thousand lies about them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from kernel_process import Child

from engine.evaluation.corpus import Theorem, core, theories
from engine.evaluation.mutation import KINDS, mutants
from verifier.audit import ALLOWED_AXIOMS
from verifier.kernel.second import SecondKernel
from verifier.lean import Environment, ProofFacts, StatementFacts
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean
PROJECT = Path(__file__).parents[3] / "lean_project"
MUTANTS = 1_000
SEED = 2603


@pytest.fixture(scope="module")
def proved(
    installation: EmbeddedLean, session: Session, verifier: Verifier
) -> list[tuple[Theorem, StatementFacts, ProofFacts]]:
    found = []
    for theorem in (*core(), *theories(installation, session, PROJECT)):
        verdict = verifier.check(theorem.statement, theorem.proof, 30.0)
        assert verdict.verified and len(verdict.kernels) == 2, (theorem, verdict)
        stated = session.state(theorem.statement)
        found.append((theorem, stated, session.prove(theorem.statement, theorem.proof, 30.0)))
    return found


def test_two_hundred_theorems_are_accepted_by_both_kernels(
    proved: list[tuple[Theorem, StatementFacts, ProofFacts]],
) -> None:
    assert len(proved) >= 200
    assert len({(t.statement.signature, t.statement.context) for t, _, _ in proved}) >= 200


def scope(child: Child, session: Session, environment: Environment, known: set[str]) -> str:
    for link in environment.chain():
        if link.key not in known:
            below = link.parent.key if link.parent else None
            delta = session.delta(link) if below else ""
            assert child.ask(op="scope", key=link.key, below=below, delta=delta) is not None
            known.add(link.key)
    return environment.key


def test_a_thousand_mutants_are_refused_or_prove_the_same(
    proved: list[tuple[Theorem, StatementFacts, ProofFacts]],
    second: SecondKernel,
    session: Session,
) -> None:
    """What is accepted proves the very statement from allowed axioms: another proof, no lie."""
    rng = random.Random(SEED)
    child = Child(second)
    known: set[str] = set()
    refused: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    each = -(-MUTANTS // len(proved))
    for theorem, stated, facts in proved:
        key = scope(child, session, theorem.statement.environment, known)
        assert facts.delta is not None
        levels = list(stated.level_params)
        honest = child.check(facts.delta, facts.name, stated.type, key, levels=levels)
        assert "axioms" in honest, honest
        for mutant in mutants(facts.delta, facts.name, each, rng):
            answer = child.check(mutant.text, facts.name, stated.type, key, levels=levels)
            if "axioms" in answer and set(answer["axioms"]) <= ALLOWED_AXIOMS:
                assert set(answer["axioms"]) <= set(honest["axioms"]) | ALLOWED_AXIOMS
                harmless[mutant.kind] += 1
            else:
                refused[mutant.kind] += 1
    child.process.kill()
    assert refused.total() + harmless.total() >= MUTANTS
    assert set(refused) == set(KINDS), "each kind of lie is refused somewhere"
    lies = {"a false Nat.add", "a forged assumption", "an axiom for a theorem", "another statement"}
    assert not lies & set(harmless), harmless
    assert harmless.total() < 0.2 * refused.total(), harmless


FORGERIES: dict[str, Any] = {
    "k": lambda rec: rec.update(k=not rec["k"]),
    "minors": lambda rec: rec.update(numMinors=rec["numMinors"] + 1),
    "motives": lambda rec: rec.update(numMotives=rec["numMotives"] + 1),
    "parameters": lambda rec: rec.update(numParams=rec["numParams"] + 1),
    "indices": lambda rec: rec.update(numIndices=rec["numIndices"] + 1),
    "no_rules": lambda rec: rec.update(rules=[]),
    "rules_swapped": lambda rec: rec["rules"].reverse(),
    "one_rule_for_all": lambda rec: [r.update(rhs=rec["rules"][0]["rhs"]) for r in rec["rules"]],
    "fields": lambda rec: rec["rules"][0].update(nfields=rec["rules"][0]["nfields"] + 1),
    "type": lambda rec: rec.update(type=rec["rules"][0]["rhs"]),
    "universe": lambda rec: rec.update(levelParams=rec["levelParams"][1:]),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_recursor_takes_its_type_with_it(
    forgery: str, child: Child, session: Session, base: Environment
) -> None:
    text = "inductive Chain (α : Type u) where\n  | nil\n  | cons (x : α) (xs : Chain α)\n"
    environment = session.extend(base, text).environment
    delta = session.delta(environment)
    assert delta is not None
    items = [orjson.loads(line) for line in delta.splitlines()]
    (inductive,) = (i["inductive"] for i in items if "inductive" in i)
    FORGERIES[forgery](inductive["recs"][0])
    forged = "".join(orjson.dumps(i).decode() + "\n" for i in items)
    assert child.ask(op="scope", key="honest", below="base", delta=delta)["left_out"] == {}
    answer = child.ask(op="scope", key="forged", below="base", delta=forged)
    assert "malformed" in answer or {"Chain", "Chain.rec", "Chain.cons"} <= set(answer["left_out"])


@pytest.mark.parametrize("flag", ["isRec", "isReflexive", "numNested", "numIndices", "numParams"])
def test_what_is_said_of_a_type_is_compared(
    flag: str, child: Child, session: Session, base: Environment
) -> None:
    environment = session.extend(base, "inductive Two where | a | b\n").environment
    delta = session.delta(environment)
    assert delta is not None
    items = [orjson.loads(line) for line in delta.splitlines()]
    (type_,) = next(i["inductive"]["types"] for i in items if "inductive" in i)
    type_[flag] = 1 if flag.startswith("num") else not type_[flag]
    forged = "".join(orjson.dumps(i).decode() + "\n" for i in items)
    answer = child.ask(op="scope", key="forged_type", below="base", delta=forged)
    assert "Two" in answer["left_out"]
