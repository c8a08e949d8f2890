"""What the reader tells of a project that the real Lean has compiled."""

from __future__ import annotations

import pytest

from verifier.reading.facts import LibraryDeclaration

pytestmark = pytest.mark.lean

Declarations = dict[str, LibraryDeclaration]


def test_what_the_author_wrote_and_nothing_that_lean_derived(declarations: Declarations) -> None:
    derived = ("rec", "casesOn", "noConfusion", "injEq", "sizeOf_spec", "ctorIdx", "eq_1", "below")
    assert not [n for n in declarations if n.rpartition(".")[2] in derived]
    assert {"Orchard.Fruit", "Orchard.Fruit.pair", "Orchard.double", "Orchard.uses_double"} <= set(
        declarations
    )


def test_kinds_docstrings_and_places(declarations: Declarations) -> None:
    fruit = declarations["Orchard.Fruit"]
    assert (fruit.kind, fruit.doc, fruit.lines) == (
        "inductive", "A fruit that\ncan be eaten. ", (4, 8)
    )  # fmt: skip
    assert fruit.levels == ("u",)
    assert declarations["Orchard.Fruit.pair"].kind == "constructor"
    assert declarations["Orchard.unproved"].kind == "axiom"
    assert declarations["Orchard.uses_double"].kind == "theorem"


def test_signature_roles_and_styles(declarations: Declarations) -> None:
    double = declarations["Orchard.double"]
    assert double.signature.startswith("Orchard.double.{u} {α : Type u} [Orchard.Heavy α] (a : α)")
    assert double.roles == ("type", "instance", "value", "function", "hypothesis", "value")
    styles, type_ = [], double.type
    while type_[0] == "p":
        styles.append(type_[4])
        type_ = type_[3]
    assert styles == [1, 3, 0, 0, 0, 0]


def test_attributes(declarations: Declarations) -> None:
    def attributes(name: str) -> tuple[str, ...]:
        return declarations[f"Orchard.{name}"].attributes

    assert {"reducible", "simp"} <= set(attributes("double"))
    assert attributes("double_eq") == ("simp",)
    assert "ext" in attributes("Point.same")
    assert "structure" in attributes("Point")
    assert {"class", "structure"} <= set(attributes("Heavy"))
    assert "instance" in attributes("instHeavyNat")
    assert "noncomputable" in attributes("chosen")
    assert attributes("uses_double") == ()


def test_deprecated_private_and_odd_names(declarations: Declarations) -> None:
    assert declarations["Orchard.twice"].deprecated == "Orchard.double_eq"
    assert declarations["Orchard.double_eq"].deprecated is None
    (hidden,) = [d for n, d in declarations.items() if n.endswith("hidden")]
    assert hidden.private
    assert "Orchard.«odd name!»" in declarations
    assert not declarations["Orchard.«odd name!»"].private


def test_constants_of_proofs_and_bodies(declarations: Declarations) -> None:
    twice = declarations["Orchard.twice"].body
    assert twice == {"Orchard.double_eq": 1, "Nat": 1}
    assert (declarations["Orchard.double"].body or {}).get("Orchard.Heavy.weight") == 2
    used = declarations["Orchard.uses_double"].body
    assert used is not None
    assert "Orchard.double_eq" in used
    assert declarations["Orchard.unproved"].body is None


def test_axioms_below(declarations: Declarations) -> None:
    assert declarations["Orchard.from_axiom"].axioms == ("Orchard.unproved",)
    assert declarations["Orchard.with_hole"].axioms == ("sorryAx",)
    assert "Classical.choice" in (declarations["Orchard.chosen"].axioms or ())
    assert set(declarations["Orchard.double_eq"].axioms or ()) <= {"propext", "Quot.sound"}
    assert not declarations["Orchard.dangerous"].safe
    assert declarations["Orchard.chosen"].safe
