"""Goals as Lean shows them, read back."""

from __future__ import annotations

import pytest

from engine.proving.holes import read_goal


def test_hypotheses_and_target() -> None:
    goal = read_goal("α : Type u_1\nxs ys : List α\nh : xs =\n  ys\n⊢ ys = xs")
    assert goal is not None
    assert goal.signature == "(α : Type u_1) (xs ys : List α) (h : xs = ys) : ys = xs"
    assert goal.universes == ".{u_1}"


def test_case_names_and_later_goals_are_left_out() -> None:
    goal = read_goal("case nil\nn : Nat\n⊢ n = n\n\ncase cons\n⊢ False")
    assert goal is not None
    assert goal.signature == "(n : Nat) : n = n"


def test_a_hypothesis_without_a_name_is_an_instance() -> None:
    goal = read_goal("α : Type\ninst✝ : DecidableEq α\n⊢ True")
    assert goal is not None
    assert goal.signature == "(α : Type) [DecidableEq α] : True"


@pytest.mark.parametrize("shown", ["", "no goals", "x : Nat := 3\n⊢ x = 3", "n✝ : Nat\n⊢ n✝ = 0"])
def test_what_cannot_be_stated_is_none(shown: str) -> None:
    assert read_goal(shown) is None
