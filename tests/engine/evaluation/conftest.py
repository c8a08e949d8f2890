"""Makes the helper module of this folder importable, and a small knowledge base."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All lemmas of the data set, with all that their proofs use, by name and statement."""
    from small_library import definition, knowledge_base, theorem

    from engine.evaluation.premises import load_premises

    data = load_premises()
    lemmas = {row.name: theorem(row.name, statement=row.signature) for row in data.lemmas}
    premises = {name: theorem(name) for row in data.lemmas for name in row.premises}
    others = {name: definition(name) for row in data.lemmas for name in row.definitions}
    nodes = {**others, **premises, **lemmas}
    return knowledge_base(tmp_path_factory.mktemp("bench") / "base", list(nodes.values()))
