"""Summaries of clusters by a model, where one is set."""

from __future__ import annotations

from pathlib import Path

from engine.models.chat import ChatModel
from engine.models.prompts import prompt
from engine.settings import ModelSettings
from engine.trees.summaries import ClusterFacts, Summariser, symbolic_summary

PROMPT = "cluster_summary.v1"
LOWEST = 2
"""Level 1 has a cluster for every sixty nodes: too many to ask about, and their own statements say
what they are. From level 2 up a hand that sums up is worth its price."""
LONGEST = 160  # characters of an answer that are kept


def model_summary(model: ChatModel) -> Summariser:
    """A summariser that asks a model about the clusters of level 2 and above.

    Args:
        model: Whom it asks.
    """
    text = prompt(PROMPT)

    def summary(facts: ClusterFacts) -> str:
        if facts.level < LOWEST:
            return symbolic_summary(facts)
        answer = model.ask(
            text.format(
                namespace=facts.namespace or "(several)",
                size=facts.size,
                symbols=", ".join(facts.symbols) or "(none)",
                typical="\n".join(facts.typical) or "(none)",
            )
        )
        line = " ".join(answer.split())
        return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"

    return summary


def summariser_for(settings: ModelSettings, base: Path) -> Summariser:
    """The summariser that the settings ask for: a model where one is set, else none is needed."""
    if not settings.name:
        return symbolic_summary
    return model_summary(ChatModel(settings, base / "answers"))
