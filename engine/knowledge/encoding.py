"""Which encoder a knowledge base is built with, and how a search gets it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.model import MethodNode
from engine.retrieval.encoders import Encoder, StructuralEncoder
from engine.settings import NeuralSettings, Settings
from verifier.progress import Progress, SilentProgress

CACHE = "neural.db"
"""The vectors of texts by a neural model, beside the index; they outlive it."""


def fitted(
    nodes: Sequence[MethodNode], settings: Settings, base: Path, progress: Progress
) -> Encoder:
    """The encoder that the settings ask for.

    Args:
        nodes: What the structural encoder learns its vocabulary from.
        settings: Which encoder, and its numbers.
        base: The folder of the knowledge base.
        progress: Told how many texts a model has read.

    Raises:
        InputError: The neural encoder is not installed, or there is no such model.
    """
    if settings.encoder.kind == "structural":
        progress.stage("fitting the encoder", None)
        return StructuralEncoder.fit(nodes, settings.encoder)
    return neural(settings.neural, base, progress)


def neural(settings: NeuralSettings, base: Path, progress: Progress | None = None) -> Encoder:
    """A neural encoder that keeps its vectors beside the index."""
    from engine.retrieval.encoders.cache import VectorCache
    from engine.retrieval.encoders.neural import NeuralEncoder

    return NeuralEncoder(settings, VectorCache(base / CACHE), progress or SilentProgress())


def description(settings: Settings) -> dict[str, Any] | None:
    """What must be known to get a neural encoder back; ``None`` for the structural one."""
    if settings.encoder.kind == "structural":
        return None
    return settings.neural.model_dump(mode="json", include={"model", "max_length"})


def restored(told: dict[str, Any] | None, folder: Path) -> Encoder:
    """The encoder of an index.

    Args:
        told: Its :func:`description`.
        folder: Of the index, inside the knowledge base.

    Raises:
        StorageError: A structural encoder cannot be read.
        InputError: The neural encoder is not installed, or its model is gone.
    """
    if told is None:
        return StructuralEncoder.load(folder / "encoder")
    return neural(NeuralSettings(**told), folder.parent)
