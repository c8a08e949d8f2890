"""What the key and Lean say of theorems of Init: the same, and nearly the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine.judgement.equivalence import LAWS, Equivalence
from engine.model import Label, MethodNode, NodeKind
from engine.trees.dedup import duplicates
from engine.trees.statement import statement_key
from verifier.lean import Environment
from verifier.session import Session
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean

ONE_KEY = [
    ("Int.lt_or_gt_of_ne", "Int.lt_or_lt_of_ne"),
    ("Fin.le_refl", "Fin.le_rfl"),
    ("Fin.val_le_of_le", "Fin.val_le_of_ge"),
    ("ite_eq_right_iff", "right_eq_ite_iff"),
    ("Array.forall_mem_ne", "Array.forall_mem_ne'"),
    ("Fin.one_pos", "Fin.zero_lt_one"),
    ("Vector.all_eq_true", "Vector.all_iff_forall"),
    ("List.some_getElem_eq_getElem?_iff", "List.getElem?_eq_some_getElem_iff"),
]
PROVED_ONLY = [("Fin.lt_or_le", "Fin.le_or_lt"), ("Int8.lt_or_le", "Int8.le_or_lt")]
NEAR_MISSES = [
    ("Nat.gcd_add_self_right", "Nat.gcd_add_self_left"),
    ("UInt16.toBitVec_ne_of_ne", "UInt16.ne_of_toBitVec_ne"),
    ("Nat.mul_le_mul_left", "Nat.mul_le_mul_right"),
    ("Nat.lcm_mul_right_right", "Nat.lcm_mul_right_left"),
    ("Int16.div_zero", "Int16.div_one"),
    ("Array.any_flatten", "Array.any_flatten'"),
    ("Nat.add_left_cancel", "Nat.add_right_cancel"),
    ("Int.mul_lt_mul_right_of_neg", "Int.mul_lt_mul_left"),
    ("UInt64.not_or_self", "UInt64.or_not_self"),
    ("Nat.le_of_lt", "Nat.le_refl"),
]


def nodes(session: Session, base: Environment, names: tuple[str, ...]) -> list[MethodNode]:
    found = session.declarations(base, names)
    made = []
    for name, declaration in zip(names, found, strict=True):
        assert declaration is not None, name
        made.append(
            MethodNode(
                id=f"Init:{name}",
                kind=NodeKind.THEOREM,
                name=name,
                statement=name,
                label=Label.ASSUMED,
                lean_kind="theorem",
                universes=declaration.level_params,
                canonical=statement_key(declaration.type),
            )
        )
    return made


@pytest.fixture(scope="module")
def equivalence(session: Session, base: Environment) -> Equivalence:
    return Equivalence(Verifier(session), base, seconds=5.0)


@pytest.mark.parametrize("pair", ONE_KEY)
def test_lean_proves_what_the_key_merges(
    session: Session, base: Environment, equivalence: Equivalence, pair: tuple[str, str]
) -> None:
    one, other = nodes(session, base, pair)
    assert one.canonical == other.canonical != ""
    assert equivalence(one, other)


@pytest.mark.parametrize("pair", PROVED_ONLY)
def test_lean_finds_what_the_key_does_not(
    session: Session, base: Environment, equivalence: Equivalence, pair: tuple[str, str]
) -> None:
    one, other = nodes(session, base, pair)
    assert one.canonical != other.canonical
    (alias,) = duplicates([one, other], np.ones((2, 1), dtype=np.float32), prove=equivalence)
    assert "proved by Lean" in alias.reason


@pytest.mark.parametrize("pair", NEAR_MISSES)
def test_near_misses_never_merge_however_alike_they_are(
    session: Session, base: Environment, equivalence: Equivalence, pair: tuple[str, str]
) -> None:
    made = nodes(session, base, pair)
    identical = np.ones((2, 1), dtype=np.float32)
    assert duplicates(made, identical, prove=equivalence) == ()


def test_the_laws_are_there(session: Session, base: Environment) -> None:
    names = tuple(LAWS.split(", "))
    assert [d.name for d in session.declarations(base, names) if d is not None] == list(names)


def test_what_cannot_be_named_is_not_proved(
    session: Session, base: Environment, equivalence: Equivalence
) -> None:
    one, other = nodes(session, base, ONE_KEY[0])
    assert not equivalence(one.model_copy(update={"private": True}), other)
    assert not equivalence(one.model_copy(update={"name": None}), other)
    assert not equivalence(one.model_copy(update={"name": "No.such_theorem"}), other)
    assert not equivalence(one.model_copy(update={"name": "no name at all"}), other)


def test_what_the_laws_prove_alone_is_no_evidence(
    session: Session, base: Environment, equivalence: Equivalence
) -> None:
    one, other = nodes(session, base, ("and_comm", "or_comm"))
    assert not equivalence(one, other)
