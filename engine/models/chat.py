"""One question to a model, one answer: kept on disk by content, bounded in time and tries.

What a model says is text for people. Nothing that is true or false depends on it.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from engine.derived import writing
from engine.settings import ModelSettings
from verifier.errors import InputError

if TYPE_CHECKING:
    from openai import OpenAI


class ChatModel:
    """A model behind an endpoint of the OpenAI protocol.

    The key is read from ``OPENAI_API_KEY`` by the client and goes nowhere else.

    Args:
        settings: Which model, where, and the bounds.
        cache: Folder of the answers; one file each, named by the content of the question.

    Raises:
        InputError: No model is set.
    """

    def __init__(self, settings: ModelSettings, cache: Path) -> None:
        if not settings.name:
            raise InputError("no model is set", "Set LEMMATA_MODEL__NAME, see docs/models.md.")
        self._settings = settings
        self._cache = cache

    def ask(self, question: str) -> str:
        """The answer to a question, from the cache where it was asked before.

        Raises:
            InputError: The endpoint cannot be reached, refuses, or answers with nothing.
            StorageError: The answer cannot be kept.
        """
        told = f"{self._settings.base_url}\0{self._settings.name}\0{question}"
        path = self._cache / f"{hashlib.sha256(told.encode()).hexdigest()}.txt"
        if path.is_file():
            return path.read_text(encoding="utf-8")
        answer = self._answer(question)
        with writing(path) as temporary:
            temporary.write_text(answer, encoding="utf-8")
        return answer

    def _answer(self, question: str) -> str:
        from openai import OpenAIError

        try:
            reply = self._client.chat.completions.create(
                model=self._settings.name,
                messages=[{"role": "user", "content": question}],
                max_completion_tokens=self._settings.tokens,
            )
        except (OpenAIError, ValueError) as error:  # the latter for what is no JSON
            raise InputError(
                f"the model {self._settings.name} did not answer: {error}",
                "Check LEMMATA_MODEL__BASE_URL, LEMMATA_MODEL__NAME and OPENAI_API_KEY.",
            ) from error
        choices = getattr(reply, "choices", None)  # a page of another server comes as text
        text = (choices[0].message.content or "").strip() if choices else ""
        if not text:
            raise InputError(
                f"the model {self._settings.name} answered with nothing", "Try another model."
            )
        return text

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI, OpenAIError

        try:
            return OpenAI(
                base_url=self._settings.base_url or None,
                timeout=self._settings.seconds,
                max_retries=self._settings.retries,
            )
        except OpenAIError as error:
            raise InputError(
                f"the model {self._settings.name} cannot be asked: {error}",
                "Set OPENAI_API_KEY; a server of your own takes any text.",
            ) from error
