"""Tiny transformers with random weights, loaded as any other model is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WORDS = ("add", "comm", "append", "assoc", "list", "nat", "zero", "(", ")", ":", "=", "+", "a", "b")
MakeModel = Callable[..., Path]


@pytest.fixture
def make_model(tmp_path: Path) -> MakeModel:
    """Makes a model of two layers and 32 dimensions: ``make_model(kind, pooling=…)``."""
    torch = pytest.importorskip("torch", reason="extra `neural` is not installed")
    transformers = pytest.importorskip("transformers", reason="extra `neural` is not installed")

    def make(kind: str = "bert", seed: int = 1, **extras: Any) -> Path:
        folder = tmp_path / f"{kind}-{seed}-{len(list(tmp_path.iterdir()))}"
        torch.manual_seed(seed)
        model(transformers, kind).save_pretrained(folder)
        tokenizer(transformers, folder)
        if "pooling" in extras:
            write(folder / "1_Pooling" / "config.json", extras["pooling"])
        if "sentence" in extras:
            write(folder / "sentence_bert_config.json", extras["sentence"])
        if "prompts" in extras:
            write(folder / "config_sentence_transformers.json", {"prompts": extras["prompts"]})
        return folder

    return make


def model(transformers: Any, kind: str) -> Any:
    size = len(WORDS) + 5
    if kind == "t5":
        config = transformers.T5Config(
            vocab_size=size, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4
        )
        return transformers.T5ForConditionalGeneration(config)
    config = transformers.BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    return transformers.BertModel(config)


def tokenizer(transformers: Any, folder: Path) -> None:
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    transformers.BertTokenizerFast(vocab_file=str(vocabulary)).save_pretrained(folder)


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
