from __future__ import annotations

import pytest
from pydantic import ValidationError

from engine.settings import AbstractionSettings, FunnelSettings, RubricWeights, load_settings
from verifier.errors import InputError


def test_defaults_are_consistent() -> None:
    settings = load_settings()
    assert sum(settings.rubric.weights.model_dump().values()) == pytest.approx(1.0)
    assert settings.abstraction.seed == settings.encoder.seed


def test_the_environment_overrides_and_arguments_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEMMATA_FUNNEL__K_1", "3")
    monkeypatch.setenv("LEMMATA_ABSTRACTION__K_1", "32")
    monkeypatch.setenv("LEMMATA_DEDUP__TAU", "0.9")
    settings = load_settings()
    assert (settings.funnel.k_1, settings.abstraction.k_1, settings.dedup.tau) == (3, 32, 0.9)
    assert settings.funnel.eta == FunnelSettings().eta
    assert load_settings(funnel=FunnelSettings(k_1=7)).funnel.k_1 == 7


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LEMMATA_FUNNEL__ETA", "1.5"),
        ("LEMMATA_FUNNEL__WIDTH", "3"),
        ("LEMMATA_ABSTRACTION__ROUNDS", "many"),
        ("LEMMATA_RUBRIC__WEIGHTS__NOVELTY", "0.9"),
    ],
)
def test_what_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=name.split("__")[1].lower().split("_")[0]) as caught:
        load_settings()
    assert "LEMMATA_" in caught.value.hint


def test_groups_check_themselves() -> None:
    with pytest.raises(ValidationError, match="sum to 1"):
        RubricWeights(novelty=1.0)
    with pytest.raises(ValidationError, match="narrows"):
        AbstractionSettings(k_1=2, k_n=4)
