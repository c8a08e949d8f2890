"""A knowledge base by a neural encoder: a tiny model, through the code that loads real ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.knowledge import encoding
from engine.knowledge.base import KnowledgeBase
from engine.knowledge.index import update_index
from engine.settings import EncoderSettings, NeuralSettings, Settings
from verifier.errors import InputError
from verifier.progress import SilentProgress


def settings_for(model: Path) -> Settings:
    return Settings(
        encoder=EncoderSettings(kind="neural"),
        neural=NeuralSettings(model=str(model), device="cpu"),
    )


@pytest.fixture
def filled(declarations, write, make_library):
    for module, rows in make_library().items():
        write(module, rows)
    return declarations


def test_a_neural_base_is_built_searched_and_extended(
    filled, write, make_theorem, make_model, settings
) -> None:
    base, neural = filled.path.parent, settings_for(make_model())
    assert update_index(base, filled, neural, SilentProgress()).change == "rebuilt"
    assert (base / encoding.CACHE).is_file()
    assert not (base / "index" / "encoder").exists()

    # Whoever searches need not know which model it was.
    with KnowledgeBase(base, settings) as opened:
        assert opened.vectors.dimensions == 32
        (node,) = opened.declarations.named("map_sum_sum")
        for method in ("flat", "funnel"):
            # Words that the model does not know look alike: others may be as near, none nearer.
            assert opened.search(node, 1, method).found[0].hit.score == pytest.approx(1.0, abs=1e-5)

    write("New", [make_theorem("New", "n", "sum", "map", "append")])
    report = update_index(base, filled, neural, SilentProgress())
    assert report.change in ("extended", "rebuilt")
    assert update_index(base, filled, neural, SilentProgress()).change == "unchanged"


def test_another_model_is_another_index(filled, make_model, settings) -> None:
    base = filled.path.parent
    update_index(base, filled, settings, SilentProgress())
    one, other = settings_for(make_model(seed=1)), settings_for(make_model(seed=2))
    assert update_index(base, filled, one, SilentProgress()).change == "rebuilt"
    assert update_index(base, filled, other, SilentProgress()).change == "rebuilt"
    assert update_index(base, filled, settings, SilentProgress()).change == "rebuilt"


def test_a_model_that_is_gone(filled, make_model, settings) -> None:
    base, folder = filled.path.parent, make_model()
    update_index(base, filled, settings_for(folder), SilentProgress())
    shutil.rmtree(folder)
    with KnowledgeBase(base, settings) as opened, pytest.raises(InputError, match=r"model|folder"):
        opened.search("map", 1, "flat")
