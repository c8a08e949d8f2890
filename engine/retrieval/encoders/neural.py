"""The neural encoder: a transformer reads the text, the mean (or one) of its tokens is the vector.

Nothing heavy is imported before a text has to be encoded that is not in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.model import MethodNode
from engine.retrieval.encoders.cache import VectorCache, key_of
from engine.retrieval.encoders.checkpoint import INSTALL, Checkpoint, Pooling, find_checkpoint
from engine.retrieval.encoders.interface import Vectors, unit_rows
from engine.retrieval.interface import Query
from engine.retrieval.shape import word_tokens
from engine.settings import NeuralSettings
from verifier.errors import InputError
from verifier.progress import Progress, SilentProgress

_ROUND: Final = 16  # batches between two writes to the cache
_LONGEST_TEXT: Final = 20_000  # characters; no model reads more tokens than that


class NeuralEncoder:
    """Encodes with a model in the layout of ``transformers``.

    Args:
        settings: Model, device, batches.
        cache: Where vectors are kept between runs; ``None`` keeps none.
        progress: Told how many texts have been encoded.

    Raises:
        InputError: There is no such model.
    """

    def __init__(
        self,
        settings: NeuralSettings | None = None,
        cache: VectorCache | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._settings = settings or NeuralSettings()
        self._cache = cache
        self._progress = progress or SilentProgress()
        self.checkpoint: Checkpoint = find_checkpoint(self._settings.model)

    @property
    def dimensions(self) -> int:
        """Width d of the vectors."""
        return self.checkpoint.dimensions

    @property
    def identity(self) -> str:
        """What the vectors depend on besides the text: the model and how long a text may be."""
        return f"{self.checkpoint.identity}:{self.checkpoint.pooling}:{self._max_length}"

    def encode(self, items: Sequence[Query]) -> Vectors:
        """Encode nodes and texts, see ``Encoder.encode``.

        Raises:
            InputError: PyTorch or transformers is not installed, or cannot load the model.
            StorageError: The cache cannot be used.
        """
        texts = [self._text(item) for item in items]
        keys = [key_of(self.identity, text) for text in texts]
        known = self._cache.get(keys) if self._cache else {}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            known |= self._computed(missing)
        rows = np.zeros((len(items), self.dimensions), dtype=np.float32)
        for row, key in enumerate(keys):
            rows[row] = known[key]
        return rows

    def _text(self, item: Query) -> str:
        if isinstance(item, str):
            return self.checkpoint.prompts["query"] + item[:_LONGEST_TEXT]
        return self.checkpoint.prompts["document"] + node_text(item)[:_LONGEST_TEXT]

    def _computed(self, missing: dict[bytes, str]) -> dict[bytes, Vectors]:
        """Vectors of texts; they are kept a few batches at a time, so that little can be lost."""
        # Texts of one length share a batch, so that little of it is padding.
        order = sorted(missing, key=lambda key: (len(missing[key]), key))
        found: dict[bytes, Vectors] = {}
        self._progress.stage(f"encoding with {self.checkpoint.name}", len(order))
        for start in range(0, len(order), self._settings.batch_size * _ROUND):
            keys = order[start : start + self._settings.batch_size * _ROUND]
            vectors = self._run([missing[key] for key in keys])
            if self._cache:
                self._cache.put(keys, vectors)
            found.update(zip(keys, vectors, strict=True))
        self._progress.done()
        return found

    def _run(self, texts: Sequence[str]) -> Vectors:
        size = self._settings.batch_size
        parts = []
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            parts.append(self._batch(batch))
            self._progress.advance(len(batch))
        return unit_rows(np.concatenate(parts))

    def _batch(self, texts: Sequence[str]) -> Vectors:
        tokenizer, model = self._loaded
        import torch

        tokens = tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._max_length,
            return_tensors="pt",
        ).to(self._device)
        with torch.inference_mode():
            states = model(**tokens).last_hidden_state
            pooled = _pooled(states, tokens["attention_mask"], self.checkpoint.pooling)
        vectors: Vectors = pooled.float().cpu().numpy()
        return vectors

    @property
    def _max_length(self) -> int:
        wanted = self._settings.max_length or self.checkpoint.max_length
        return min(wanted, self.checkpoint.max_length)

    @cached_property
    def _device(self) -> str:
        import torch

        if self._settings.device != "auto":
            return self._settings.device
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The tokenizer, and the model in evaluation mode on its device."""
        try:
            import torch
            from safetensors import SafetensorError
            from transformers import AutoTokenizer
        except ImportError as error:
            raise InputError("the neural encoder is not installed", INSTALL) from error
        if self._settings.threads:
            torch.set_num_threads(self._settings.threads)
        folder = self.checkpoint.folder
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = _model(folder).to(self._device).eval()
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            raise InputError(
                f"the model {self.checkpoint.name} cannot be loaded: {error}",
                "check that transformers knows this kind of model and that its files are whole",
            ) from error
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        return tokenizer, model


def _model(folder: Path) -> Any:
    """The model in a folder; of an encoder and a decoder the encoder."""
    from transformers import AutoConfig, AutoModel, AutoModelForTextEncoding
    from transformers.utils import logging

    hide_bar: Callable[[], None] = logging.disable_progress_bar
    hide_bar()  # it would write over the progress that the user sees
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    encodes = type(config) in AutoModelForTextEncoding._model_mapping
    loader = AutoModelForTextEncoding if encodes else AutoModel
    return loader.from_pretrained(folder, local_files_only=True, use_safetensors=True)


def node_text(node: MethodNode) -> str:
    """What a model reads of a node: the words of its name, its statement, its summary."""
    words = " ".join(token.partition(" ")[2] for token in word_tokens(node.name or ""))
    return "\n".join(filter(None, (words, node.statement, node.summary)))


def _pooled(states: Any, mask: Any, pooling: Pooling) -> Any:
    """One vector a text, shape (n, d), from its tokens, shape (n, length, d).

    Args:
        states: The last hidden states.
        mask: 1 for a token, 0 for padding, shape (n, length).
        pooling: Which tokens count.
    """
    if pooling == "cls":
        return states[:, 0]
    if pooling == "last":
        import torch

        # The last token that is no padding, on whichever side the padding is.
        places = torch.arange(mask.shape[1], device=mask.device)
        last = (mask * places).argmax(dim=1)
        return states[torch.arange(len(states), device=mask.device), last]
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1.0)
