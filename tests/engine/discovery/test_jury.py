"""What is known when a draft is judged, without a real Lean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from algebra import CONS, NIL_TERM, XS, X, append, reverse
from credulous import Credulous, theory, write
from waiting import COMMUTES, IDLE, INVOLUTION, searched

from engine.discovery.ground import Ground
from engine.discovery.jury import Jury
from engine.judgement.novelty import Following
from engine.knowledge.run import Knowledge
from engine.language.rewriting import Rewriter
from engine.language.semantics import Interpretation
from engine.language.term import Law, Term
from engine.language.typing import most_general
from engine.library.library import Library
from engine.model import Label, ParentClaim
from engine.settings import Settings
from engine.strategy.operators import Draft, KnownLaw
from verifier.session import Session
from verifier.verifier import Verifier


class Grounded:
    """What a run knows, and nothing else."""

    def __init__(self) -> None:
        environment = theory().environment
        self.theory = SimpleNamespace(
            name="Theories.Basic", context="", symbols={}, environment=environment
        )
        self.known: list[KnownLaw] = []

    def proved(self) -> list[KnownLaw]:
        return self.known

    def rewriter(self) -> Rewriter:
        rewriter = Rewriter()
        for known in self.known:
            rewriter.add(known.law)
        return rewriter

    are_more_special = Ground.are_more_special


class Encoder:
    """Finds no two texts alike."""

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.eye(len(texts))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        opened.adopt(theory(), Verifier(Credulous()))
        yield opened


def jury(library: Library, ground: Grounded) -> Jury:
    lean = Credulous()
    made = Jury(
        cast(Ground, ground),
        library.store,
        cast(Session, lean),
        Verifier(lean),
        cast(Interpretation, None),
        Settings(),
        "",
    )
    made.meet(cast(Knowledge, SimpleNamespace(encoder=Encoder())))
    return made


def made_from(node: str, law: Law) -> Draft:
    claim = ParentClaim(node=node, rating=5, explanation="it is rewritten with it")
    return Draft(law, "deduction", "a summary", (claim,), "a novelty")


def prove(library: Library, ground: Grounded, name: str, law: Law) -> str:
    """Writes a lemma as a run does in the middle of a round; its node."""
    write(library, theory(), name)
    node = library.find(f"T.{name}").node
    ground.known.append(KnownLaw(node, f"T.{name}", law, Label.VERIFIED))
    return node


def test_a_lemma_of_this_round_is_a_parent_once_the_jury_has_learnt_it(library: Library) -> None:
    ground = Grounded()
    judges = jury(library, ground)
    node = prove(library, ground, "involution", INVOLUTION)
    made = made_from(node, IDLE)
    assert "fabricated" in judges.judge(made, []).reason
    judges.learn()
    assert judges.judge(made, []).kept
    assert "fabricated" in judges.judge(made_from("T:nothing", IDLE), []).reason


def test_what_a_new_lemma_settles_needs_no_proof(library: Library) -> None:
    ground = Grounded()
    judges = jury(library, ground)
    instance = most_general(reverse(reverse(append(XS, XS))), append(XS, XS))
    computed = most_general(append(reverse(reverse(XS)), XS), append(XS, XS))
    assert judges.settled(instance) == judges.settled(computed) == ""
    prove(library, ground, "involution", INVOLUTION)
    judges.learn()
    assert judges.settled(instance) == "an instance of T.involution, which was proved meanwhile"
    assert "by calculation" in judges.settled(computed)
    assert judges.settled(IDLE) == ""


def test_an_instance_of_an_open_conjecture_is_no_news(library: Library) -> None:
    ground = Grounded()
    node = prove(library, ground, "idle", IDLE)
    judges = jury(library, ground)
    law = most_general(reverse(reverse(append(XS, XS))), append(XS, XS))
    made = made_from(node, law)
    assert judges.judge(made, [INVOLUTION]).reason.endswith("an instance of an open conjecture")
    assert judges.judge(made, [COMMUTES]).kept


def test_what_follows_from_more_special_lemmas_is_news(library: Library) -> None:
    """How reverse treats one element must not hide what it does to all lists."""
    ground = Grounded()
    judges = jury(library, ground)
    special = most_general(reverse(Term(CONS, (X, NIL_TERM))), Term(CONS, (X, NIL_TERM)))
    node = prove(library, ground, "special", special)
    prove(library, ground, "general", INVOLUTION)
    judges.learn()
    made = made_from(node, COMMUTES)
    judged = judges.judge(made, [])
    for lemma, pruned in (("T.special", False), ("T.general", True)):
        follows = Following(True, "grind", "by grind", (lemma,))
        again = judges.after_search(judged, made, searched(0.1, proved=True, following=follows))
        assert bool(again.reason) == pruned
