"""The derivation chain: the primary parents, and beside each what else contributed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.report.chain import chain_lines
from engine.store import Store
from verifier.errors import InputError


def test_the_chain_of_a_node(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        for name in "abcde":
            store.upsert_node(
                MethodNode(
                    id=f"M:{name}",
                    kind=NodeKind.THEOREM,
                    name=name,
                    statement=": True",
                    label=Label.VERIFIED,
                )
            )
        for parent, child, rating, strength in (
            ("a", "b", 3, 0.1),
            ("b", "e", 5, 0.5),
            ("c", "e", 5, 0.2),
            ("d", "e", 5, 0.4),
        ):
            store.add_contribution(
                Contribution(
                    parent=f"M:{parent}",
                    child=f"M:{child}",
                    rating=rating,
                    strength=strength,
                    explanation=f"{parent} helps.",
                )
            )
        assert chain_lines(store, "M:e") == [
            "[verified] e : True",
            "   also, w = 1.00: d helps.",
            "   also, w = 1.00: c helps.",
            "└─ w = 1.00  b helps.",
            "   [verified] b : True",
            "└─ w = 0.50  a helps.",
            "   [verified] a : True",
        ]
        with pytest.raises(InputError):
            chain_lines(store, "M:z")
