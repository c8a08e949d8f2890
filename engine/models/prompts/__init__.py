"""Prompts are files with a version, so that a change of one is seen and cached answers go stale."""

from __future__ import annotations

from importlib.resources import files


def prompt(name: str) -> str:
    """The text of a prompt, such as ``cluster_summary.v1``."""
    return files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
